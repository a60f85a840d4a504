"""The text and the syntax tree of a function that has already been loaded."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import NamedTuple

__all__ = ["Definition", "Source", "assigned", "parameters", "plain", "root", "source_of"]

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


class Source(NamedTuple):
    """Where a function was written: its tree, and the file that holds it."""

    node: Definition
    lines: list[str]
    file: str

    def body(self) -> list[ast.AST]:
        """The statements of the function, or the one expression of a lambda."""
        return [self.node.body] if isinstance(self.node, ast.Lambda) else [*self.node.body]

    def segment(self, node: ast.expr) -> str:
        """The text of a part on one line, as it was written where that is one line already."""
        if node.lineno != node.end_lineno:
            return ast.unparse(node)
        # Columns count bytes. (The standard library splits the whole file for every segment.)
        line = self.lines[node.lineno - 1].encode()
        return line[node.col_offset : node.end_col_offset].decode()


def plain(function: Callable[..., object]) -> FunctionType | None:
    """The function under bound methods and wrappers, if there is one written in Python."""
    found = inspect.unwrap(getattr(function, "__func__", function))
    return found if isinstance(found, FunctionType) else None


def source_of(function: Callable[..., object]) -> Source | None:
    """The source of a function, or None if it cannot be had.

    The whole file is parsed and the definition found by its place in it, because the text of one
    function alone does not always parse: a lambda among arguments, text at the margin.
    """
    found = plain(function)
    if found is None:
        return None
    code = found.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, found.__globals__)
    try:
        nodes = [node for node in _definitions("".join(lines)) if _matches(node, code)]
    except (SyntaxError, ValueError):  # edited since it was loaded, or no Python at all
        return None
    if len(nodes) > 1:
        nodes = [node for node in nodes if _holds(node, code)]
    return Source(nodes[0], lines, code.co_filename) if len(nodes) == 1 else None


@lru_cache(maxsize=32)
def _definitions(text: str) -> tuple[Definition, ...]:
    return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, Definition))


def _matches(node: Definition, code: CodeType) -> bool:
    # The parameters are compared too: the file may have been edited since it was loaded.
    if isinstance(node, ast.Lambda):
        name, line = "<lambda>", node.lineno
    else:
        name = node.name
        line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    count = code.co_argcount + code.co_kwonlyargcount
    known = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return (name, line) == (code.co_name, code.co_firstlineno) and known == list(
        code.co_varnames[:count]
    )


def _holds(node: Definition, code: CodeType) -> bool:
    """Whether the code was compiled from this one of several definitions on a line."""
    body = node.body if isinstance(node, ast.Lambda) else node.body[-1]
    place = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    return place in set(code.co_positions())


def parameters(node: Definition) -> set[str]:
    """The names of all parameters of a definition."""
    given = node.args
    stars = [each for each in (given.vararg, given.kwarg) if each is not None]
    return {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *stars)}


def assigned(body: Iterable[ast.AST]) -> set[str]:
    """The names that a function body binds in its own scope."""
    names: set[str] = set()
    elsewhere: set[str] = set()
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere.update(node.names)
        names.update(_binds(node))
        if isinstance(node, _COMPREHENSIONS):
            # Their targets are their own; only := reaches the function around them.
            todo += [each for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
        elif not isinstance(node, (*_SCOPES, ast.Lambda)):
            todo += ast.iter_child_nodes(node)
    return names - elsewhere


def _binds(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.split(".")[0]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name


def root(node: ast.AST) -> ast.AST:
    """What a chain of attributes and subscripts starts from: `s` in `s.log[i].last`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node
