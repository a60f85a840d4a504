"""Reusable predicates over logs, snapshots and epochs.

There are none yet: this package keeps their place. Until they arrive, invariants are written as
methods of a spec, decorated with `@invariant`.
"""
