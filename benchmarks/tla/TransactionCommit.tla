-------------------------- MODULE TransactionCommit --------------------------
(***************************************************************************)
(* What it means to commit a transaction over several resource managers:   *)
(* all commit or all abort. No messages: each step looks at everybody.     *)
(* This is the problem; TwoPhase.tla is one solution.                      *)
(*                                                                         *)
(* 3 managers: 34 distinct, 94 generated, depth 7. Run TLC with -deadlock  *)
(* (do not look for one): when all have decided, nothing happens any more. *)
(***************************************************************************)
EXTENDS Naturals

CONSTANT N

Managers == 1..N

VARIABLE state    \* state[m]: "working", "prepared", "committed" or "aborted"

Init == state = [m \in Managers |-> "working"]

Prepare(m) ==
  /\ state[m] = "working"
  /\ state' = [state EXCEPT ![m] = "prepared"]

Commit(m) ==
  /\ state[m] = "prepared"
  /\ \A other \in Managers : state[other] \in {"prepared", "committed"}
  /\ state' = [state EXCEPT ![m] = "committed"]

Abort(m) ==
  /\ state[m] \in {"working", "prepared"}
  /\ \A other \in Managers : state[other] # "committed"
  /\ state' = [state EXCEPT ![m] = "aborted"]

Next == \E m \in Managers : Prepare(m) \/ Commit(m) \/ Abort(m)

Spec == Init /\ [][Next]_state

Consistent ==
  \A a, b \in Managers : ~(state[a] = "committed" /\ state[b] = "aborted")
==============================================================================
