"""The loops of the cluster's data path: integers and arrays only, compiled, and kept on disk like the engine's own."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

__all__ = ["kernels"]


def translate(codes: Any, chosen: Any, to: Any, base: Any, meaning: Any, out: Any) -> int:
    """Rewrite some rows of codes: ``out[to[k]]`` gets row ``chosen[k]``, codes by ``meaning``."""
    width = len(base)
    for k in range(len(chosen)):
        source = chosen[k]
        target = to[k]
        for slot in range(width):
            out[target, slot] = meaning[base[slot] + codes[source, slot]]
    return len(chosen)


def mark(codes: Any, base: Any, used: Any) -> int:
    """Set ``used`` for every code that occurs, slot by slot."""
    width = len(base)
    for k in range(len(codes)):
        for slot in range(width):
            used[base[slot] + codes[k, slot]] = 1
    return len(codes)


def missing(fps: Any, run: Any, keep: Any) -> int:
    """Clear ``keep`` for the fingerprints that are in a run; both ascend. Returns how many are left."""
    left = 0
    at = 0
    end = len(run)
    for k in range(len(fps)):
        fp = fps[k]
        while at < end and run[at] < fp:
            at += 1
        keep[k] = at == end or run[at] != fp
        left += keep[k]
    return left


@cache
def kernels() -> Any:
    """The loops, compiled. Loaded once in a process."""
    import numba

    jit = numba.njit(cache=True, nogil=True)
    return SimpleNamespace(**{loop.__name__: jit(loop) for loop in (translate, mark, missing)})
