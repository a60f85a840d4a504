"""Running a pure function once more, to see where and with which names it returned."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from modelcheck.source import Source, plain, source_of

__all__ = ["Returned", "rerun"]

Place = tuple[int | None, int | None, int | None, int | None]


class Returned(NamedTuple):
    """How a function ended: what it returned, and its names at that moment."""

    source: Source
    statement: ast.Return | None
    value: ast.expr | None
    scope: dict[str, Any]
    result: object


def rerun(function: Callable[..., object], arguments: Mapping[str, object]) -> Returned | None:
    """Run a function once more, watching where it returns; None if its source cannot be had."""
    found, source = plain(function), source_of(function)
    if found is None or source is None:
        return None
    signature = inspect.signature(found)
    known = {name: arguments[name] for name in signature.parameters if name in arguments}
    call = inspect.BoundArguments(signature, OrderedDict(known))
    returns = _returns(source, found.__code__)
    result, statement, names = _watched(found, call, returns)
    scope = {**found.__globals__, **names, **_super_for(names, call)}
    if isinstance(source.node, ast.Lambda):
        return Returned(source, None, source.node.body, scope, result)
    return Returned(source, statement, statement.value if statement else None, scope, result)


def _watched(
    function: FunctionType, call: inspect.BoundArguments, returns: Sequence[ast.Return | None]
) -> tuple[object, ast.Return | None, dict[str, Any]]:
    """The result of a call, the `return` that gave it, and the local names at the end."""
    statement: ast.Return | None = None
    names: dict[str, Any] = {}
    entered = False

    def watch(frame: FrameType, event: str, argument: object) -> object:
        # The last instruction may belong to a `finally` or `with`, so every one is looked at.
        nonlocal statement, names
        statement = returns[frame.f_lasti // 2] or statement
        if event == "return":
            names = dict(frame.f_locals)
        return watch

    def enter(frame: FrameType, event: str, argument: object) -> object:
        nonlocal entered
        if frame.f_code is not function.__code__ or entered:
            return None  # another function, or this one calling itself
        entered = frame.f_trace_opcodes = True
        return watch

    before = sys.gettrace()
    sys.settrace(enter)  # type: ignore[arg-type]
    try:
        result = function(*call.args, **call.kwargs)
    finally:
        sys.settrace(before)
    return result, statement, names


def _returns(source: Source, code: CodeType) -> list[ast.Return | None]:
    """For each instruction of a function, the `return` statement that it is a part of."""
    statements = [node for node in ast.walk(source.node) if isinstance(node, ast.Return)]
    return [
        next((each for each in statements if _contains(each, place)), None)
        for place in code.co_positions()
    ]


def _contains(node: ast.Return, place: Place) -> bool:
    line, last_line, column, last_column = place
    if line is None or last_line is None or node.end_lineno is None:
        return False
    if column is None or last_column is None or node.end_col_offset is None:
        # Python may be told to keep no columns; then the lines have to do.
        return node.lineno <= line and last_line <= node.end_lineno
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return start <= (line, column) and (last_line, last_column) <= end


def _super_for(names: Mapping[str, Any], call: inspect.BoundArguments) -> dict[str, Any]:
    """A `super` that works outside the method, where Python cannot fill in its arguments."""
    if "__class__" not in names or not call.args:
        return {}
    defaults = (names["__class__"], call.args[0])
    return {"super": lambda *given: builtins.super(*(given or defaults))}
