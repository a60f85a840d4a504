------------------------------- MODULE DieHard -------------------------------
(***************************************************************************)
(* Measure four gallons with a jug of three, a jug of five and a tap.      *)
(* NotFour claims that it cannot be done; the counterexample (7 states) is *)
(* the solution. Without the invariant: 16 distinct, 97 generated.         *)
(***************************************************************************)
EXTENDS Naturals

VARIABLES small, big

vars == <<small, big>>

Least(a, b) == IF a < b THEN a ELSE b

Init == small = 0 /\ big = 0

FillSmall == small' = 3 /\ big' = big
FillBig == small' = small /\ big' = 5
EmptySmall == small' = 0 /\ big' = big
EmptyBig == small' = small /\ big' = 0

SmallToBig ==
  LET poured == Least(small, 5 - big)
  IN  small' = small - poured /\ big' = big + poured

BigToSmall ==
  LET poured == Least(big, 3 - small)
  IN  small' = small + poured /\ big' = big - poured

Next == FillSmall \/ FillBig \/ EmptySmall \/ EmptyBig \/ SmallToBig \/ BigToSmall

Spec == Init /\ [][Next]_vars

NotFour == big # 4

NoOverflow == small \in 0..3 /\ big \in 0..5
==============================================================================
