"""Protocols written in the spec language, shared by the tests, the benchmarks and the documentation.

* `specs.toys`: small puzzles and mutual exclusion, each checked in well under a second or so;
* `specs.classics`: transaction commit, two-phase commit, Lamport's mutex, Paxos, Raft and a
  token ring that detects termination.

Each folder has a `models.toml` that names its models, with the expected verdicts and counts, and
is run by `modelcheck check specs/toys`. The ZooKeeper study is not here yet.
"""
