"""The kernels at either speed. Compiled ones are cached on disk: only the first run on a machine compiles."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

from . import kernels

__all__ = ["compiled", "interpreted"]


def interpreted() -> Any:
    """The kernels as plain Python, for columns that are lists."""
    return SimpleNamespace(**{kernel.__name__: kernel for kernel in kernels.KERNELS})


@cache
def compiled() -> Any:
    """The kernels compiled by Numba, for columns that are numpy arrays. Loaded once in a process."""
    import numba

    jit = numba.njit(cache=True, nogil=True)
    return SimpleNamespace(**{kernel.__name__: jit(kernel) for kernel in kernels.KERNELS})
