"""The state graph: all states of a small model, or those around a counterexample.

States are explored by the plain meaning of the spec, so a graph is also a second opinion on a search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from modelcheck import plain
from modelcheck.errors import Refused
from modelcheck.layout import State
from modelcheck.program import Program
from modelcheck.spec import Spec
from modelcheck.trace import Trace
from modelcheck.values import show

from .canvas import FONT, quoted
from .diff import fields_of
from .lettering import shortened
from .text import changes

__all__ = ["Graph", "graph_source", "neighbourhood", "reachable"]

MOST_STATES = 200
_LINES = 10
_WIDTH = 44
_LOOKS = {
    "violating": 'fillcolor="#ffebe9", color="#cf222e", penwidth=2',
    "deadlocked": 'fillcolor="#d0d7de", color="#24292f", penwidth=2',
    "initial": 'fillcolor="#dafbe1", color="#1a7f37", penwidth=2',
    "outside": 'fillcolor="#ffffff", color="#afb8c1", style="rounded,dashed"',
    "unexplored": 'fillcolor="#ffffff", color="#afb8c1", style="rounded,filled,dashed"',
}


@dataclass
class Graph:
    """States in the order in which they were found, edges with their actions, and what is special about states."""

    spec: Spec
    states: list[State] = field(default_factory=list)
    edges: list[tuple[int, int, str]] = field(default_factory=list)
    looks: dict[int, set[str]] = field(default_factory=dict)
    path: list[int] = field(default_factory=list)  # the states of a counterexample
    origin: dict[int, int] = field(default_factory=dict)  # states that are told by what changed since another
    _numbers: dict[State, int] = field(default_factory=dict)

    def number(self, state: State) -> int:
        """The number of a state, which is added if it is new."""
        if state not in self._numbers:
            self._numbers[state] = len(self.states)
            self.states.append(state)
        return self._numbers[state]

    def mark(self, number: int, look: str) -> None:
        self.looks.setdefault(number, set()).add(look)


def reachable(spec: Spec, most: int = MOST_STATES, deadlock: bool = True) -> Graph:
    """The whole reachable graph; Refused where it has more states than can be looked at."""
    graph = _started(spec)
    at = 0
    while at < len(graph.states):
        _expand(graph, at, deadlock)
        at += 1
        if len(graph.states) > most:
            raise Refused(
                f"{type(spec).__name__} has more than {most} states: a picture of them could not be read.\n"
                "Make the constants smaller with --set NAME=VALUE, draw only the states around the counterexample\n"
                "with --around, or allow more with --max-states N."
            )
    return graph


def neighbourhood(spec: Spec, trace: Trace, most: int = MOST_STATES, deadlock: bool = True) -> Graph:
    """The states of a counterexample and all their successors."""
    graph = Graph(spec)
    graph.path = [graph.number(state) for state in trace.states]
    graph.mark(graph.path[0], "initial")
    for number in dict.fromkeys(graph.path):
        _expand(graph, number, deadlock)
    graph.origin = dict(zip(graph.path[1:], graph.path, strict=False))
    for start, end, _ in graph.edges:
        graph.origin.setdefault(end, start)
    graph.origin.pop(graph.path[0], None)
    for number in range(len(graph.states)):
        if number not in graph.path:
            graph.mark(number, "unexplored")
            _judge(graph, number)
    if len(graph.states) > most:
        raise Refused(
            f"the counterexample has {len(graph.states)} states around it, more than {most}: a picture of them could\n"
            "not be read. `modelcheck draw` draws the counterexample alone; --max-states N allows more."
        )
    return graph


def _started(spec: Spec) -> Graph:
    graph = Graph(spec)
    for _, state in plain.initial_states(spec.program):
        graph.mark(graph.number(state), "initial")
    return graph


def _expand(graph: Graph, number: int, deadlock: bool) -> None:
    program, state = graph.spec.program, graph.states[number]
    _judge(graph, number)
    source = plain.StateSource(program, state)
    if not all(program.holds(bound, source) for bound in program.constraints):
        graph.mark(number, "outside")
        return
    found = list(plain.moves(program, state))
    for move in found:
        after = plain.StateSource(program, move.state)
        if all(program.holds(bound, source, after) for bound in program.step_constraints):
            graph.edges.append((number, graph.number(move.state), move.step.label))
            if any(not program.holds(bound, source, after) for bound in program.step_invariants):
                graph.mark(graph.number(move.state), "violating")
    if deadlock and not found and not any(program.holds(bound, source) for bound in program.terminals):
        graph.mark(number, "deadlocked")


def _judge(graph: Graph, number: int) -> None:
    program: Program = graph.spec.program
    source = plain.StateSource(program, graph.states[number])
    if any(not program.holds(bound, source) for bound in program.invariants):
        graph.mark(number, "violating")


def graph_source(graph: Graph) -> str:
    """The picture as dot source."""
    idle = sum(start == end for start, end, _ in graph.edges)
    title = f"{type(graph.spec).__name__}: {len(graph.states)} states, {len(graph.edges)} steps"
    title += f" ({idle} of them change nothing and are not drawn)" if idle else ""
    title += ". Each state but the first: what changed" if graph.origin else ""
    titles = [quoted(shortened(text, 160))[1:-1] for text in (title, repr(graph.spec))]
    lines = [
        "// Drawn by modelcheck: dot -Tsvg FILE",
        "digraph states {",
        f"  graph [rankdir=TB, nodesep=0.25, ranksep=0.45, fontname={FONT}, labelloc=t];",
        '  graph [label="' + "\\n".join(titles) + '"];',
        f'  node [shape=box, style="rounded,filled", fillcolor="#f6f8fa", color="#8c959f", fontname={FONT}];',
        "  node [fontsize=9];",
        f'  edge [fontname={FONT}, fontsize=8, color="#8c959f", fontcolor="#424a53", arrowsize=0.7];',
        *_key(graph),
    ]
    for number, state in enumerate(graph.states):
        lines.append(f"  s{number} [label={_label(graph, number, state)}{_look(graph, number)}];")
    on_path = set(zip(graph.path, graph.path[1:], strict=False))
    for (start, end), labels in _merged(edge for edge in graph.edges if edge[0] != edge[1]).items():
        strong = ', color="#cf222e", penwidth=2, weight=20' if (start, end) in on_path else ""
        texts = _lines([f" {label} " for label in labels], 34)
        lines.append(f"  s{start} -> s{end} [label={texts}{strong}];")
    return "\n".join([*lines, "}", ""])


def _merged(edges: Iterable[tuple[int, int, str]]) -> dict[tuple[int, int], list[str]]:
    """Steps between the same two states share an arrow."""
    merged: dict[tuple[int, int], list[str]] = {}
    for start, end, label in edges:
        merged.setdefault((start, end), []).append(label)
    return merged


def _key(graph: Graph) -> Iterator[str]:
    """What the colours mean: only those that occur."""
    present = {look for looks in graph.looks.values() for look in looks}
    shown = [look for look in _LOOKS if look in present]
    for look in shown:
        text = {"outside": "outside a constraint", "unexplored": "not expanded"}.get(look, look)
        yield f'  key_{look} [label="{text}", {_LOOKS[look]}, fontsize=8, height=0.2, margin="0.06,0.02"];'
    if len(shown) > 1:
        yield "  { rank=source; " + "; ".join(f"key_{look}" for look in shown) + " }"


def _look(graph: Graph, number: int) -> str:
    looks = graph.looks.get(number, set())
    return next((f", {_LOOKS[look]}" for look in _LOOKS if look in looks), "")


def _label(graph: Graph, number: int, state: State) -> str:
    """A state in full, or what changed since the one it was reached from: large states would all look the same."""
    fields = fields_of(state)
    if number not in graph.origin:
        return _lines([f"{name} = {show(value)}" for name, value in fields.items()], _WIDTH)
    before = fields_of(graph.states[graph.origin[number]])
    texts = [text for name, value in fields.items() for text in changes(name, before[name], value)]
    return _lines(texts or ["(nothing changes)"], _WIDTH)


def _lines(texts: list[str], width: int) -> str:
    cut = texts if len(texts) <= _LINES else [*texts[: _LINES - 1], f"… {len(texts) - _LINES + 1} more"]
    return '"' + "".join(quoted(shortened(text, width))[1:-1] + "\\l" for text in cut) + '"'
