"""What is wrong with the functions of a spec, as far as their text tells before they run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import NamedTuple

from modelcheck.errors import suggest
from modelcheck.source import Definition, Source, assigned, parameters, plain, root, source_of

__all__ = ["Names", "Problem", "Walker", "problems"]

Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp

_CLOCK = "reads the clock"
_CHANCE = "draws at random (a choice is a parameter with a domain)"
_SYSTEM = "asks the operating system"
_IMPURE_MODULES = {
    "time": _CLOCK,
    "datetime": _CLOCK,
    "random": _CHANCE,
    "secrets": _CHANCE,
    "uuid": _CHANCE,
    "os": _SYSTEM,
    "posix": _SYSTEM,
    "nt": _SYSTEM,
}
_IMPURE_BUILTINS: tuple[tuple[object, str], ...] = (
    (builtins.input, "asks the user"),
    (builtins.open, "opens a file"),
    (builtins.id, "differs from run to run"),
    (builtins.hash, "differs from run to run"),
)
_PURITY = "a spec's functions depend on the state and the constants only"
_MUTATORS = frozenset({"add", "discard", "send", "receive"})


@dataclass(frozen=True)
class Names:
    """The names that a spec declares."""

    variables: frozenset[str]
    constants: frozenset[str]
    attributes: frozenset[str]


class Problem(NamedTuple):
    """Something wrong in the text of a spec, and where."""

    file: str
    line: int
    message: str


def problems(
    function: Callable[..., object],
    names: Names,
    handles: Mapping[str, str],
    *,
    may_yield: bool = False,
) -> list[Problem]:
    """Everything wrong that the text of a function shows, in the order of its lines.

    `handles` gives the role of parameters: "spec" (self), "now" (s) or "next" (n). `may_yield` is
    for helper methods, which are allowed to be generators. A function whose source cannot be had
    has no known problems. Cost: one parse of its file.
    """
    source, found = source_of(function), plain(function)
    if source is None or found is None:
        return []
    checker = _Checker(found, source, names, handles)
    if isinstance(source.node, ast.AsyncFunctionDef):
        checker.report(source.node, f"{source.node.name} is async: {_PURITY}, and run at once")
    checker.depth = int(may_yield)
    checker.walk(source)
    return sorted(dict.fromkeys(checker.found), key=lambda problem: problem.line)


class Walker(ast.NodeVisitor):
    """Visits a function knowing, at every place, which names stand for handles.

    A handle that is hidden by an inner parameter, or bound anew, is no handle there.
    """

    def __init__(self, roles: Mapping[str, str]) -> None:
        self.roles = dict(roles)
        self.bound: frozenset[str] = frozenset()
        self.depth = 0

    def walk(self, source: Source) -> None:
        """Visit the body of the function itself, without its signature and decorators."""
        body, own = source.body(), parameters(source.node)
        again = assigned(body)
        self.roles = {k: v for k, v in self.roles.items() if k in own and k not in again}
        self.bound = frozenset(own | again)
        for node in body:
            self.visit(node)

    def role(self, node: ast.AST) -> str | None:
        """The role of the handle that an expression is, if it is one."""
        return self.roles.get(node.id) if isinstance(node, ast.Name) else None

    def inside(self, names: set[str], nodes: Iterable[ast.AST]) -> None:
        """Visit nodes in an inner scope that binds some names."""
        outer = self.roles, self.bound
        self.roles = {k: v for k, v in self.roles.items() if k not in names}
        self.bound |= names
        for node in nodes:
            self.visit(node)
        self.roles, self.bound = outer

    def function(self, node: Definition) -> None:
        """Visit an inner function; its defaults and decorators belong to the scope around it."""
        decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
        for outside in (*decorators, *node.args.defaults, *node.args.kw_defaults):
            if outside is not None:
                self.visit(outside)
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
        self.depth += 1
        self.inside(parameters(node) | assigned(body), body)
        self.depth -= 1

    def comprehension(self, node: Comprehension) -> None:
        """Visit a comprehension, whose first collection belongs to the scope around it."""
        first, *others = node.generators
        self.visit(first.iter)
        targets = [each.target for each in node.generators]
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self.inside(assigned(targets), [*targets, *first.ifs, *others, *results])

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = function
    visit_GeneratorExp = visit_ListComp = visit_SetComp = visit_DictComp = comprehension


class _Checker(Walker):
    """Collects the problems of one function."""

    def __init__(
        self, function: FunctionType, source: Source, names: Names, handles: Mapping[str, str]
    ) -> None:
        super().__init__(handles)
        self.source, self.names, self.outside = source, names, _Outside(function)
        self.found: list[Problem] = []
        own = parameters(source.node)
        # How this function calls its handles, for the advice that is given.
        self.called = {role: name for name, role in handles.items() if name in own}
        self.rebound: frozenset[str] = frozenset()

    def report(self, node: ast.expr | ast.stmt, message: str) -> None:
        self.found.append(Problem(self.source.file, node.lineno, message))

    # Names on handles

    def visit_Attribute(self, node: ast.Attribute) -> None:
        wrong = self._misnamed(node)
        if wrong:
            self.report(node, wrong)
        self._check_stored(node)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._check_stored(node)
        self.generic_visit(node)

    def _misnamed(self, node: ast.Attribute) -> str:
        role, name = self.role(node.value), node.attr
        if role is None or name.startswith("__"):
            return ""
        text, known = f"{ast.unparse(node)}: ", self.names
        if role == "spec":
            if name in known.variables:
                return text + self._variables_live_on(name)
            if name in known.constants | known.attributes:
                return ""
            near = suggest(name, sorted(known.constants | known.attributes))
            return f"{text}the spec has no constant or attribute {name!r}{near}"
        if name in known.variables:
            return ""
        spec = self.called.get("spec", "self")
        if name in known.constants:
            return f"{text}{name!r} is a constant, and constants live on {spec}: {spec}.{name}"
        if name in known.attributes:
            return f"{text}{name!r} is an attribute of the spec, not a variable: {spec}.{name}"
        return f"{text}there is no variable {name!r}{suggest(name, sorted(known.variables))}"

    def _variables_live_on(self, name: str) -> str:
        handles = [self.called[role] for role in ("now", "next") if role in self.called]
        text = f"{name!r} is a variable, and variables live on s and n"
        if not handles:
            return f"{text}, which this function does not take"
        return f"{text}: {' or '.join(f'{handle}.{name}' for handle in handles)}"

    # Assignments

    def _check_stored(self, node: ast.Attribute | ast.Subscript) -> None:
        start = root(node)
        if isinstance(node.ctx, ast.Load) or not isinstance(start, ast.Name):
            return
        role, handle, text = self.roles.get(start.id), start.id, ast.unparse(node)
        if role is None:
            if handle not in self.bound:
                self.report(node, f"{text} changes {handle!r}, which outlives the call: {_PURITY}")
        elif (first := _first_attribute(node)) and self._misnamed(first):
            return  # The wrong name is reported already, and advice about it would mislead.
        elif role == "now":
            instead = self._on_next(text, handle)
            self.report(node, f"{handle} is the current state and cannot be assigned{instead}")
        elif role == "spec":
            self.report(node, f"{text} is assigned, but {handle} never changes while a spec runs")
        elif isinstance(node.ctx, ast.Del):
            self.report(node, f"{text} cannot be deleted: assign it a new value")

    def _on_next(self, text: str, handle: str) -> str:
        other = self.called.get("next")
        return f": did you mean {other}{text.removeprefix(handle)}?" if other else ""

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            start = root(call.func)
            if call.func.attr in _MUTATORS and self.role(start) == "now":
                text, handle = ast.unparse(call), ast.unparse(start)
                self.report(node, f"{text} changes nothing{self._on_next(text, handle)}")
        self.generic_visit(node)

    # What lies outside the state

    def visit_Call(self, node: ast.Call) -> None:
        start = root(node.func)
        if isinstance(start, ast.Name) and start.id not in self.bound:
            reason = _impurity(self.outside.get(start.id))
            if reason:
                self.report(node, f"{ast.unparse(node.func)}() {reason}: {_PURITY}")
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self._check_imported(node, [alias.name for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._check_imported(node, [node.module or ""])

    def _check_imported(self, node: ast.Import | ast.ImportFrom, modules: list[str]) -> None:
        for module in modules:
            reason = _IMPURE_MODULES.get(module.split(".")[0])
            if reason:
                self.report(node, f"import of {module}, which {reason}: {_PURITY}")

    def function(self, node: Definition) -> None:
        if isinstance(node, ast.AsyncFunctionDef):
            self.report(node, f"{node.name} is async: {_PURITY}, and run at once")
        outer = self.rebound
        self.rebound = frozenset()
        super().function(node)
        self.rebound = outer

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = function

    def visit_Global(self, node: ast.Global) -> None:
        self.rebound |= frozenset(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        # A local of this very function may be counted up from an inner one: that ends with it.
        self.rebound |= frozenset(node.names) - self.bound

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.rebound and not isinstance(node.ctx, ast.Load):
            self.report(node, f"{node.id!r} is assigned, and outlives the call: {_PURITY}")

    # What is not an ordinary function

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        if self.depth == 0:
            self.report(node, "yield makes this a generator: it must do its work and return")
        self.generic_visit(node)

    visit_YieldFrom = visit_Yield

    def visit_Await(self, node: ast.Await) -> None:
        self.report(node, f"await: {_PURITY}, and run at once")
        self.generic_visit(node)


class _Outside:
    """What a function's names mean when it does not bind them itself."""

    def __init__(self, function: FunctionType) -> None:
        self._globals = function.__globals__
        self._closure: dict[str, object] = {}
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            try:
                self._closure[name] = cell.cell_contents
            except ValueError:  # not filled yet, as __class__ is while its class is being made
                continue

    def get(self, name: str) -> object:
        if name in self._closure:
            return self._closure[name]
        return self._globals.get(name, getattr(builtins, name, None))


def _impurity(thing: object) -> str | None:
    """Why calling something makes a function impure, or None."""
    for builtin, reason in _IMPURE_BUILTINS:
        if thing is builtin:
            return reason
    if _is_dice(thing) or _is_dice(getattr(thing, "__self__", None)):
        return _CHANCE
    if isinstance(thing, ModuleType):
        return _IMPURE_MODULES.get(thing.__name__)
    home = getattr(thing, "__module__", None) if callable(thing) else None
    return _IMPURE_MODULES.get(home) if isinstance(home, str) else None


def _is_dice(thing: object) -> bool:
    """Whether it is a `random.Random` or made from one, as all functions of `random` are."""
    return any(base.__module__ == "random" for base in type(thing).__mro__)


def _first_attribute(node: ast.AST) -> ast.Attribute | None:
    """The attribute on the handle itself: `s.log` in `s.log[i].last`."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return node
        node = node.value
    return None
