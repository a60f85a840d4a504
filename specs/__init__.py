"""Protocols written in the spec language, shared by the tests, the benchmarks and the documentation.

* `specs.toys`: small puzzles and mutual exclusion, each checked within seconds;
* `specs.classics`: transaction commit, two-phase commit, Lamport's mutex, Paxos, Raft and a
  token ring that detects termination;
* `specs.zookeeper`: the study of leader and learner synchronisation (docs/zookeeper-study.md).

Toys and classics have a `models.toml` each, which names their models with the expected verdicts and
counts: `modelcheck check specs/toys` runs them all.
"""
