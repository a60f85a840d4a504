------------------------------ MODULE CoffeeCan ------------------------------
(***************************************************************************)
(* A puzzle that Dijkstra wrote down: from a can with black and white      *)
(* beans take two. If they are alike, throw both away and put a black one  *)
(* in; otherwise put the white one back. What colour is the last bean?     *)
(*                                                                         *)
(* Every content of the can is an initial state, so this measures how fast *)
(* a checker gets through initial states and through transitions that are  *)
(* met once each. MaxBeans = 1000: 501,500 distinct, 2,000,002 generated.  *)
(***************************************************************************)
EXTENDS Naturals

CONSTANT MaxBeans

VARIABLES black, white

vars == <<black, white>>

Init ==
  /\ black \in 0..MaxBeans
  /\ white \in 0..(MaxBeans - black)
  /\ black + white > 0

TwoBlack ==
  /\ black >= 2
  /\ black' = black - 1
  /\ white' = white

TwoWhite ==
  /\ white >= 2
  /\ black' = black + 1
  /\ white' = white - 2

OneOfEach ==
  /\ black >= 1
  /\ white >= 1
  /\ black' = black - 1
  /\ white' = white

\* One bean left: a step that changes nothing, so that stopping is no deadlock.
Finished ==
  /\ black + white = 1
  /\ UNCHANGED vars

Next == TwoBlack \/ TwoWhite \/ OneOfEach \/ Finished

Spec == Init /\ [][Next]_vars

NeverEmpty == black + white > 0

\* What gives the answer away: an odd number of white beans stays odd.
ParityKept == [][white' % 2 = white % 2]_vars
==============================================================================
