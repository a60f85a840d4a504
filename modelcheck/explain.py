"""Why a predicate is false: what it returned, taken apart, with the values that decided it."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeGuard

from modelcheck.rerun import Returned, rerun
from modelcheck.source import Source, plain, root

__all__ = ["why_false"]

_LONGEST = 200
_DEEPEST = 3
_ITEM = "__item__"
_NOT_VALUES = (type, super, ModuleType, FunctionType, MethodType, BuiltinFunctionType)

Show = Callable[[object], str]
Collected = ast.GeneratorExp | ast.ListComp | ast.SetComp


class _Puzzled(Exception):
    """The parts do not add up to the answer, so nothing should be said about them."""


@dataclass
class _Note:
    """One line of an explanation, with the lines that explain it."""

    text: str
    details: list[_Note] = field(default_factory=list)

    def render(self, indent: int = 0) -> Iterator[str]:
        yield " " * indent + self.text
        for detail in self.details:
            yield from detail.render(indent + 2)


def why_false(function: Callable[..., object], arguments: Mapping[str, object], show: Show) -> str:
    """Why a predicate returned something false for these arguments, as indented text.

    The predicate is run again and the expression that it returned is taken apart. Values are
    printed by `show`, cut at 200 characters. Never raises: where an explanation cannot be found,
    the answer is the source text of the returned expression, or "" if there is none.

    >>> from types import SimpleNamespace
    >>> def never_four(s):
    ...     return s.small >= 0 and s.big != 4
    >>> print(why_false(never_four, {"s": SimpleNamespace(small=3, big=4)}, repr))
    s.big != 4
      s.big = 4
    """
    handles = [arguments[name] for name in ("self", "s", "n") if name in arguments]
    text = ""
    try:
        returned = rerun(function, arguments)
        if returned is None or returned.value is None:
            return ""
        text = returned.source.segment(returned.value)
        if returned.result:
            return text
        explainer = _Explainer(returned.source, returned.scope, show, handles)
        return "\n".join(explainer.returned(returned, truth=False).render())
    except Exception:  # the predicate is the user's: whatever it does, the violation is reported
        return text


@dataclass(frozen=True)
class _Explainer:
    """Takes expressions apart in one scope: the names of a function, with inner bindings."""

    source: Source
    scope: dict[str, Any]
    show: Show
    handles: list[object]
    depth: int = 0

    # Evaluating parts again

    def value(self, node: ast.expr) -> Any:
        return eval(_expression(node), self.scope)

    def text(self, node: ast.expr) -> str:
        return self.source.segment(node)

    def shown(self, value: object) -> str:
        try:
            text = self.show(value).replace("\n", " ")
        except Exception:  # a value that cannot be shown must not hide the others
            text = f"<{type(value).__name__}>"
        return _cut(text)

    def within(self, names: Mapping[str, Any]) -> _Explainer:
        return replace(self, scope={**self.scope, **names})

    # Why an expression is true or false

    def returned(self, returned: Returned, truth: bool) -> _Note:
        """Why a function returned what it did; a bare True or False is explained by the tests."""
        assert returned.value is not None
        if isinstance(returned.value, ast.Constant) and returned.statement is not None:
            reasons = [*self.path_to(returned.statement, returned.source.node)]
            return _Note(f"return {self.text(returned.value)}", reasons)
        return self.why(returned.value, truth)

    def why(self, node: ast.expr, truth: bool) -> _Note:
        """The part of an expression that makes it true or false, with the values in it."""
        match node:
            case ast.BoolOp():
                return self.boolean(node, truth)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.negation(node, operand, truth)
            case ast.NamedExpr(value=value):
                return self.why(value, truth)
            case ast.IfExp():
                return self.conditional(node, truth)
            case ast.Compare():
                return self.comparison(node)
            case ast.Call():
                return self.call(node, truth)
        return _Note(self.text(node), self.values([node]))

    def part(self, node: ast.expr, truth: bool) -> _Note:
        """The same inside a list of parts, where a name with its value says it in one line."""
        values = self.values([node]) if _is_leaf(node) else []
        return values[0] if values else self.why(node, truth)

    def boolean(self, node: ast.BoolOp, truth: bool) -> _Note:
        """One false part decides an `and`, one true part an `or`; otherwise all parts do."""
        if truth is isinstance(node.op, ast.Or):
            for each in node.values:
                if bool(self.value(each)) is truth:
                    return self.why(each, truth)
            raise _Puzzled
        return _Note(self.text(node), [self.part(each, truth) for each in node.values])

    def negation(self, node: ast.expr, operand: ast.expr, truth: bool) -> _Note:
        inner = self.why(operand, not truth)
        same = inner.text == self.text(operand)
        return _Note(self.text(node), inner.details if same else [inner])

    def conditional(self, node: ast.IfExp, truth: bool) -> _Note:
        holds = bool(self.value(node.test))
        chosen = self.why(node.body if holds else node.orelse, truth)
        return _Note(chosen.text, [*chosen.details, self.because(node.test, holds)])

    def because(self, test: ast.expr, truth: bool) -> _Note:
        note = self.part(test, truth)
        told = truth or _is_leaf(test)
        return _Note(f"because {note.text}{'' if told else ' is false'}", note.details)

    def comparison(self, node: ast.Compare) -> _Note:
        operands = [node.left, *node.comparators]
        if len(operands) > 2:
            for left, op, right in zip(operands, node.ops, node.comparators, strict=False):
                link = ast.copy_location(ast.Compare(left, [op], [right]), node)
                if not self.value(link):
                    failed = _Note(f"fails at {ast.unparse(link)}", self.values([left, right]))
                    return _Note(self.text(node), [failed])
        return _Note(self.text(node), self.values(operands))

    # Quantifiers and helpers

    def call(self, node: ast.Call, truth: bool) -> _Note:
        function = self.value(node.func)
        if len(node.args) == 1 and not node.keywords:
            if function is builtins.bool:
                return self.why(node.args[0], truth)
            quantified = function is builtins.all or function is builtins.any
            if quantified and isinstance(node.args[0], Collected):
                return self.quantifier(node, node.args[0], function is builtins.all, truth)
        details = self.values(_operands(node))
        result = self.value(node)
        if not isinstance(result, bool):
            details.insert(0, _Note(f"{self.text(node)} = {self.shown(result)}"))
        return _Note(self.text(node), [*details, *self.helper(node, function, truth)])

    def quantifier(self, node: ast.Call, over: Collected, universal: bool, truth: bool) -> _Note:
        """One element that fails an `all` or meets an `any`; otherwise what was tried in vain."""
        tried: list[dict[str, Any]] = []
        for inner, names in self.bindings(over.generators, {}):
            if bool(inner.value(over.elt)) is not universal:
                note = inner.why(over.elt, not universal)
                word = "fails" if universal else "holds"
                found = _Note(f"{word} for {self.bound(names)}: {note.text}", note.details)
                return _Note(self.text(node), [found])
            tried.append(names)
        if truth is not universal:
            raise _Puzzled
        each = "; ".join(map(self.bound, tried[:_LONGEST]))
        word = "holds" if universal else "fails"
        note = _Note(f"{word} for each of {_cut(each)}" if tried else "there is none to try")
        parts = [over.elt] if tried else [over.generators[0].iter]
        inside = {name.id for name in ast.walk(over) if _is_stored(name)}
        return _Note(self.text(node), [note, *self.values(_free_leaves(parts, inside))])

    def bound(self, names: Mapping[str, Any]) -> str:
        return ", ".join(f"{name}={self.shown(value)}" for name, value in names.items())

    def bindings(
        self, generators: list[ast.comprehension], bound: dict[str, Any]
    ) -> Iterator[tuple[_Explainer, dict[str, Any]]]:
        """Every binding of the clauses of a comprehension: a scope, and the names bound in it."""
        if not generators:
            yield self, bound
            return
        first, *others = generators
        for item in self.value(first.iter):
            names = _bind(first.target, item, self.scope)
            inner = self.within(names)
            if all(inner.value(test) for test in first.ifs):
                yield from inner.bindings(others, {**bound, **names})

    def helper(self, node: ast.Call, function: Any, truth: bool) -> list[_Note]:
        """What happened inside a function of the spec that was called."""
        found = plain(function)
        if found is None or self.depth >= _DEEPEST:
            return []
        try:
            args, kwargs = self.arguments(node)
            own = [function.__self__] if isinstance(function, MethodType) else []
            call = inspect.signature(found).bind(*own, *args, **kwargs)
            call.apply_defaults()
            returned = rerun(found, call.arguments)
            if returned is None or returned.value is None or bool(returned.result) is not truth:
                return []
            deeper = _Explainer(
                returned.source, returned.scope, self.show, self.handles, self.depth + 1
            )
            inside = deeper.returned(returned, truth)
        except Exception:  # the call itself is explained already
            return []
        return [_Note(f"in {found.__name__}: {inside.text}", inside.details)]

    def arguments(self, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        for each in node.args:
            if isinstance(each, ast.Starred):
                args += self.value(each.value)
            else:
                args.append(self.value(each))
        kwargs: dict[str, Any] = {}
        for named in node.keywords:
            value = self.value(named.value)
            kwargs.update({named.arg: value} if named.arg else value)
        return args, kwargs

    # Values

    def values(self, nodes: Iterable[ast.expr]) -> list[_Note]:
        """`source = value` for every part that says something, each once."""
        found: dict[str, _Note] = {}
        for node in nodes:
            literal = not any(isinstance(each, ast.Name) for each in ast.walk(node))
            if literal or isinstance(node, (ast.GeneratorExp, ast.Lambda, ast.JoinedStr)):
                continue
            try:
                value = self.value(node)
                if self.is_silent(node, value):
                    continue
                inner = self.values(_operands(node))
                text = self.text(node)
                found.setdefault(text, _Note(f"{text} = {self.shown(value)}", inner))
            except Exception:  # one part that cannot be evaluated by itself hides no other
                continue
        return list(found.values())

    def is_silent(self, node: ast.expr, value: object) -> bool:
        """Whether a value goes without saying: a handle, a class, a member of an enum."""
        if any(value is handle for handle in self.handles) or isinstance(value, _NOT_VALUES):
            return True
        start = root(node)
        if start is node or not isinstance(start, ast.Name):
            return False
        return isinstance(self.scope.get(start.id), type)

    # The way to a bare `return False`

    def path_to(self, target: ast.stmt, start: ast.AST) -> Iterator[_Note]:
        """The loop variables and the tests that led to a statement, outermost first."""
        for part, block in ast.iter_fields(start):
            if not isinstance(block, list):
                continue
            for position, each in enumerate(block):
                if not any(inner is target for inner in ast.walk(each)):
                    continue
                if isinstance(start, ast.If):
                    yield from self.tested(start.test, part == "body")
                if isinstance(start, ast.For) and part == "body":
                    names = [name.id for name in ast.walk(start.target) if _is_stored(name)]
                    yield _Note(f"for {self.bound({name: self.scope[name] for name in names})}")
                for earlier in block[:position]:
                    if isinstance(earlier, ast.If) and isinstance(earlier.body[-1], ast.Return):
                        yield from self.tested(earlier.test, False)
                yield from self.path_to(target, each)

    def tested(self, test: ast.expr, truth: bool) -> list[_Note]:
        try:
            # The names in a test may have changed since: then it explains nothing.
            return [self.because(test, truth)] if bool(self.value(test)) is truth else []
        except Exception:
            return []


@lru_cache(maxsize=512)
def _expression(node: ast.expr) -> CodeType:
    return compile(ast.Expression(node), "<explanation>", "eval", dont_inherit=True)


@lru_cache(maxsize=64)
def _assignment(target: ast.expr) -> CodeType:
    item = ast.copy_location(ast.Name(_ITEM, ast.Load()), target)
    store = ast.copy_location(ast.Assign([target], item), target)
    return compile(ast.Module([store], []), "<explanation>", "exec", dont_inherit=True)


def _bind(target: ast.expr, item: object, scope: Mapping[str, Any]) -> dict[str, Any]:
    """The names that a target such as `i, (j, k)` gives to an item, in its order."""
    names = [node.id for node in ast.walk(target) if _is_stored(node)]
    inner = {**scope, _ITEM: item}
    exec(_assignment(target), inner)
    return {name: inner[name] for name in names}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _free_leaves(nodes: Iterable[ast.expr], bound: set[str]) -> Iterator[ast.expr]:
    """The names, attributes and subscripts in expressions that need none of the bound names."""
    for node in nodes:
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        if _is_leaf(node) and not names & bound:
            yield node
        else:
            inner = (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
            yield from _free_leaves(inner, bound)


def _is_leaf(node: ast.expr) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))


def _operands(node: ast.expr) -> list[ast.expr]:
    """The parts of an expression whose values explain its own."""
    match node:
        case ast.Call(func=function, args=args, keywords=keywords):
            receiver = [function.value] if isinstance(function, ast.Attribute) else []
            plainly = [each.value if isinstance(each, ast.Starred) else each for each in args]
            return [*receiver, *plainly, *(each.value for each in keywords)]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.Attribute(value=value):
            return [] if _is_leaf(value) else [value]
        case ast.Subscript(value=value, slice=index):
            keys = index.elts if isinstance(index, ast.Tuple) else [index]
            told = [key for key in keys if not isinstance(key, (ast.Name, ast.Slice))]
            return told if _is_leaf(value) else [value, *told]
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return [each for each in elements if not isinstance(each, ast.Name)]
    return []
