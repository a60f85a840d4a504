"""Which variables a function may read and write, by its text: the set reductions may rely on."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType

from modelcheck.source import Source, assigned, plain, source_of
from modelcheck.statics import Names, Walker

__all__ = ["Access", "access"]

_STATES = ("now", "next")
# A bare `n.x` may be a view that can be written. These only pass it on to what is around them ...
_PASSING = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.IfExp, ast.BoolOp, ast.Starred, ast.keyword)
# ... and these give it a name under which it is out of sight.
_NAMING = (ast.Assign, ast.AnnAssign, ast.NamedExpr)


@dataclass(frozen=True)
class Access:
    """What a function may touch, by variable.

    `escapes`: a state was handed to code that cannot be followed, so any variable may be read.
    If that was the next state, any variable may be written too, and `writes` holds them all.
    """

    reads: frozenset[str]
    writes: frozenset[str]
    escapes: bool


def access(
    function: Callable[..., object],
    names: Names,
    handles: Mapping[str, str],
    helpers: Mapping[str, FunctionType],
) -> Access:
    """The variables that a function and the spec's methods it calls may read and write.

    `handles` gives the role of parameters: "spec" (self), "now" (s) or "next" (n); `helpers` are
    the methods of the spec by name. A read of `n.x` counts as a read of x, because it is one
    where x was not written before.
    """
    found = _Found(names.variables)
    todo: list[tuple[Callable[..., object], dict[str, str]]] = [(function, dict(handles))]
    done: set[tuple[object, frozenset[tuple[str, str]]]] = set()
    while todo:
        target, roles = todo.pop()
        key = (plain(target), frozenset(roles.items()))
        if key in done:
            continue
        done.add(key)
        source = source_of(target)
        if source is None:
            found.escape(*roles.values())
            continue
        # A state under a name that is bound anew cannot be told from what it is bound to.
        found.escape(*(roles[name] for name in assigned(source.body()) if name in roles))
        reader = _Reader(source, roles, helpers, found)
        reader.is_helper = len(done) > 1
        reader.walk(source)
        todo += reader.calls
    return Access(frozenset(found.reads), frozenset(found.writes), found.escapes)


class _Found:
    """What was seen so far, over all functions followed."""

    def __init__(self, variables: frozenset[str]) -> None:
        self.variables = variables
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.escapes = False

    def escape(self, *roles: str | None) -> None:
        if any(role in _STATES for role in roles):
            self.escapes = True
        if "next" in roles:
            self.writes |= self.variables


class _Reader(Walker):
    """Notes every use of a state in one function, and the methods that a state is handed to."""

    def __init__(
        self,
        source: Source,
        roles: Mapping[str, str],
        helpers: Mapping[str, FunctionType],
        found: _Found,
    ) -> None:
        super().__init__(roles)
        self.helpers, self.found, self.is_helper = helpers, found, False
        self.calls: list[tuple[Callable[..., object], dict[str, str]]] = []
        self.parents = {
            child: parent
            for parent in ast.walk(source.node)
            for child in ast.iter_child_nodes(parent)
        }

    def visit_Name(self, node: ast.Name) -> None:
        # Attributes of a handle never come here, so this is the handle itself going elsewhere.
        self.found.escape(self.role(node))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        role = self.role(node.value)
        if role not in _STATES:
            self.generic_visit(node)
        elif node.attr not in self.found.variables:
            self.found.escape(role)
        else:
            reads, writes = (True, False) if role == "now" else self._use(node)
            if reads:
                self.found.reads.add(node.attr)
            if writes:
                self.found.writes.add(node.attr)

    def _use(self, node: ast.Attribute) -> tuple[bool, bool]:
        """Whether this `n.x` is read and whether it is written."""
        place: ast.Attribute | ast.Subscript = node
        parent = self.parents[place]
        if isinstance(parent, ast.Subscript) and parent.value is place:
            place, parent = parent, self.parents[parent]
        if not isinstance(place.ctx, ast.Load):
            return isinstance(parent, ast.AugAssign), True
        if isinstance(place, ast.Subscript):
            return True, self._stored_deeper(parent)
        if isinstance(parent, ast.Attribute):
            return self._method(parent)
        return True, self._carried(parent)

    def _stored_deeper(self, parent: ast.AST) -> bool:
        return isinstance(parent, (ast.Attribute, ast.Subscript)) and not isinstance(
            parent.ctx, ast.Load
        )

    def _method(self, method: ast.Attribute) -> tuple[bool, bool]:
        """The use of x in `n.x.method`, by the name of the method and what becomes of its result.

        `add` and `discard` write a subset but are pure on a value, whose result someone then takes.
        `send` reads as well: what it leaves on the channel depends on what was there.
        """
        call = self.parents[method]
        if not (isinstance(call, ast.Call) and call.func is method):
            return True, True
        dropped = isinstance(self.parents[call], ast.Expr)
        if method.attr in ("add", "discard"):
            return not dropped, True
        return True, dropped or method.attr in ("send", "receive")

    def _carried(self, parent: ast.AST) -> bool:
        """Whether a bare `n.x` reaches code that could write through it."""
        while isinstance(parent, _PASSING):
            parent = self.parents[parent]
        if isinstance(parent, (ast.Return, ast.Lambda)):
            return self.depth > 0 or self.is_helper
        if isinstance(parent, ast.Call):
            called = parent.func
            name = called.id if isinstance(called, ast.Name) else ""
            return name in self.bound or not hasattr(builtins, name)
        return isinstance(parent, _NAMING)

    def visit_Call(self, node: ast.Call) -> None:
        handed = [each for each in _arguments(node) if self.role(each) in _STATES]
        passed = self._followed(node) if handed else None
        if passed is None:
            self.generic_visit(node)
            return
        self.calls.append(passed)
        for argument in _arguments(node):
            if argument not in handed:
                self.visit(argument)

    def _followed(self, node: ast.Call) -> tuple[FunctionType, dict[str, str]] | None:
        """The method of the spec that a call goes to, with the roles of its parameters."""
        called = node.func
        if not isinstance(called, ast.Attribute) or self.role(called.value) != "spec":
            return None
        helper = plain(self.helpers[called.attr]) if called.attr in self.helpers else None
        if helper is None or any(isinstance(each, ast.Starred) for each in node.args):
            return None
        code = helper.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        positional = names[1 : code.co_argcount]
        given = dict(zip(positional, node.args, strict=False))
        given.update({each.arg: each.value for each in node.keywords if each.arg in names})
        roles = {name: role for name, each in given.items() if (role := self.role(each))}
        wanted = sum(self.role(each) is not None for each in _arguments(node))
        if not names or len(roles) != wanted:
            return None  # A handle landed in *args or **kwargs, or the call does not fit.
        return helper, {names[0]: "spec", **roles}


def _arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(each.value for each in node.keywords)]
