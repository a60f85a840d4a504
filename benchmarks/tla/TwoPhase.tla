------------------------------ MODULE TwoPhase ------------------------------
(***************************************************************************)
(* Two-phase commit. Each resource manager says that it is prepared; the   *)
(* coordinator commits when it has heard so from all, and may abort at any *)
(* moment before. Messages stay in one set for ever, so receiving one does *)
(* not remove it, and a lost message is one that nobody ever looks at.     *)
(*                                                                         *)
(*    N    distinct    generated   depth                                   *)
(*    3         288        1,146      11                                   *)
(*    6      50,816      402,306      20                                   *)
(*    7     296,448    2,744,706      23                                   *)
(*    8   1,745,408   18,507,778      26                                   *)
(*    9  10,340,352  123,558,402      29                                   *)
(*                                                                         *)
(* No deadlock: what was decided can be heard again, changing nothing.     *)
(***************************************************************************)
EXTENDS Naturals

CONSTANT N

Managers == 1..N

VARIABLES
  state,      \* state[m]: "working", "prepared", "committed" or "aborted"
  decision,   \* the coordinator's: "none", "committed" or "aborted"
  heard,      \* the managers that the coordinator knows to be prepared
  messages    \* everything that was ever sent

vars == <<state, decision, heard, messages>>

PreparedBy(m) == [kind |-> "prepared", from |-> m]
CommitAll == [kind |-> "commit"]
AbortAll == [kind |-> "abort"]

TypeOK ==
  /\ state \in [Managers -> {"working", "prepared", "committed", "aborted"}]
  /\ decision \in {"none", "committed", "aborted"}
  /\ heard \subseteq Managers
  /\ messages \subseteq {PreparedBy(m) : m \in Managers} \cup {CommitAll, AbortAll}

Init ==
  /\ state = [m \in Managers |-> "working"]
  /\ decision = "none"
  /\ heard = {}
  /\ messages = {}

\* A manager is ready, and says so.
Prepare(m) ==
  /\ state[m] = "working"
  /\ state' = [state EXCEPT ![m] = "prepared"]
  /\ messages' = messages \cup {PreparedBy(m)}
  /\ UNCHANGED <<decision, heard>>

\* A manager gives up on its own, silently.
GiveUp(m) ==
  /\ state[m] = "working"
  /\ state' = [state EXCEPT ![m] = "aborted"]
  /\ UNCHANGED <<decision, heard, messages>>

HearPrepared(m) ==
  /\ decision = "none"
  /\ PreparedBy(m) \in messages
  /\ heard' = heard \cup {m}
  /\ UNCHANGED <<state, decision, messages>>

DecideCommit ==
  /\ decision = "none"
  /\ heard = Managers
  /\ decision' = "committed"
  /\ messages' = messages \cup {CommitAll}
  /\ UNCHANGED <<state, heard>>

DecideAbort ==
  /\ decision = "none"
  /\ decision' = "aborted"
  /\ messages' = messages \cup {AbortAll}
  /\ UNCHANGED <<state, heard>>

\* The manager obeys whatever state it is in; that this is safe is to be shown.
ObeyCommit(m) ==
  /\ CommitAll \in messages
  /\ state' = [state EXCEPT ![m] = "committed"]
  /\ UNCHANGED <<decision, heard, messages>>

ObeyAbort(m) ==
  /\ AbortAll \in messages
  /\ state' = [state EXCEPT ![m] = "aborted"]
  /\ UNCHANGED <<decision, heard, messages>>

Next ==
  \/ DecideCommit
  \/ DecideAbort
  \/ \E m \in Managers :
       \/ Prepare(m) \/ GiveUp(m) \/ HearPrepared(m)
       \/ ObeyCommit(m) \/ ObeyAbort(m)

Spec == Init /\ [][Next]_vars

Consistent ==
  \A a, b \in Managers : ~(state[a] = "committed" /\ state[b] = "aborted")
=============================================================================
