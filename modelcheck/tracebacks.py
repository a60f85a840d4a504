"""The user's own traceback: an exception of a spec without the frames of the checker."""

from __future__ import annotations

import os
import traceback

__all__ = ["user_traceback"]

_PACKAGE_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def user_traceback(error: BaseException) -> str:
    """The traceback of an exception with only those frames that lie outside the checker.

    >>> user_traceback(ValueError("no such server"))
    'ValueError: no such server'
    """
    report = traceback.TracebackException.from_exception(error)
    frames = [frame for frame in report.stack if not _is_ours(frame.filename)]
    report.stack = traceback.StackSummary.from_list(frames)
    # What it was raised from may be ours; the user's own exception is what has to be mended.
    return "".join(report.format(chain=False)).rstrip()


def _is_ours(filename: str) -> bool:
    return filename.startswith(("<frozen importlib", _PACKAGE_FOLDER))
