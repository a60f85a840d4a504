/*
 * Two-phase commit, the same model as tla/TwoPhase.tla: every TLA+ action is one d_step, hence
 * one transition, so that the state graphs are the same. Number of managers: spin -DN=8.
 *
 * spin -DN=8 -a two_phase.pml && gcc -O2 -DSAFETY -DNOREDUCE -DBFS -o pan pan.c && ./pan
 * N = 8: 1,745,408 states stored, 18,507,778 transitions, depth 25. Spin calls the initial state
 * depth 0 where TLC says 1, and counts it among its transitions as TLC does among the generated,
 * so all three numbers are TLC's. -DNOREDUCE: partial-order reduction would leave states out.
 *
 * Two choices make Spin as fast as we could: sets are bit masks, and one process offers all
 * transitions (state vector of 20 bytes, 2.8 to 3.8 s for N = 8; a process for each manager gives
 * the same counts with 84 bytes and takes about a quarter longer). The invariant is asserted in
 * the steps that may break it.
 */
#ifndef N
#define N 3
#endif
#if N < 1 || N > 10
#error "N must be between 1 and 10"
#endif

#if N > 8
#define SET short
#else
#define SET byte
#endif
#define EVERYBODY ((1 << N) - 1)

#define NONE 0
#define COMMIT 1
#define ABORT 2

SET prepared, committed, aborted;       /* a manager in none of the three is working */
SET heard;                              /* managers that the coordinator knows to be prepared */
SET sent;                               /* managers whose "prepared" message was sent */
bool commit_sent, abort_sent;
byte decision = NONE;

#define consistent() assert(!(committed && aborted))
#define working(me) (!((prepared | committed | aborted) & (me)))
#define becomes_committed(me) \
	prepared = prepared & ~(me); aborted = aborted & ~(me); committed = committed | (me); \
	consistent()
#define becomes_aborted(me) \
	prepared = prepared & ~(me); committed = committed & ~(me); aborted = aborted | (me); \
	consistent()

#define MANAGER(me) \
	:: d_step { working(me) -> prepared = prepared | (me); sent = sent | (me) } \
	:: d_step { working(me) -> becomes_aborted(me) } \
	:: d_step { decision == NONE && (sent & (me)) -> heard = heard | (me) } \
	:: d_step { commit_sent -> becomes_committed(me) } \
	:: d_step { abort_sent -> becomes_aborted(me) }

active proctype everybody() {
	do
	:: d_step { decision == NONE && heard == EVERYBODY -> decision = COMMIT; commit_sent = true }
	:: d_step { decision == NONE -> decision = ABORT; abort_sent = true }
	MANAGER(1)
#if N > 1
	MANAGER(2)
#endif
#if N > 2
	MANAGER(4)
#endif
#if N > 3
	MANAGER(8)
#endif
#if N > 4
	MANAGER(16)
#endif
#if N > 5
	MANAGER(32)
#endif
#if N > 6
	MANAGER(64)
#endif
#if N > 7
	MANAGER(128)
#endif
#if N > 8
	MANAGER(256)
#endif
#if N > 9
	MANAGER(512)
#endif
	od
}
