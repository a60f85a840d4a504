"""Writing the functions of a generated spec: expressions, guards, writes and properties as source text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from tests.sorts import SORTS, Domain, Sort

__all__ = ["Action", "Predicates", "Scope", "Variable"]

T = TypeVar("T")
INT = SORTS[0]


class Choices(Protocol):
    """Where decisions come from."""

    def one(self, options: Sequence[T]) -> T: ...
    def number(self, low: int, high: int) -> int: ...
    def chance(self, percent: int) -> bool: ...


@dataclass(frozen=True)
class Variable:
    """A declared variable; ``sort`` is that of its values or messages."""

    name: str
    kind: str
    sort: Sort
    domains: tuple[Domain, ...]
    order: str = ""


@dataclass(frozen=True)
class Scope:
    """What expressions may mention: the variables through a handle, and the parameters by sort."""

    choices: Choices
    variables: list[Variable]
    domains: list[Domain]
    handle: str = "s"
    params: dict[str, Sort] = field(default_factory=dict)
    on_self: bool = True

    def through(self, handle: str) -> Scope:
        """The same scope, reading another state."""
        return Scope(self.choices, self.variables, self.domains, handle, self.params, self.on_self)

    def value(self, sort: Sort, depth: int = 2) -> str:
        """An expression of a sort."""
        options = ["literal"]
        if places := self._places(sort):
            options = ["change", "change", "change", "place", "literal"] if sort.changes else ["literal", "place"]
        if depth:
            options.append("choice")
        match self.choices.one(options):
            case "place":
                return self.choices.one(places)
            case "change":
                return self.changed(self.choices.one(places), sort)
            case "choice":
                first, second = self.value(sort, depth - 1), self.value(sort, depth - 1)
                return f"({first} if {self.question(0)} else {second})"
        return self.choices.one(sort.literals)

    def changed(self, place: str, sort: Sort) -> str:
        """Another value, made from that of a place."""
        return self._filled(self.choices.one(sort.changes), place, sort)

    def _places(self, sort: Sort) -> list[str]:
        found = [name for name, known in self.params.items() if known.name == sort.name]
        for variable in self.variables:
            if variable.sort.name == sort.name and variable.kind == "var":
                found.append(f"{self.handle}.{variable.name}")
            elif variable.sort.name == sort.name and variable.kind == "per":
                found.append(f"{self.handle}.{variable.name}[{self.key(variable.domains[0], 0)}]")
        return found

    def key(self, domain: Domain, depth: int = 1) -> str:
        """A key of a domain: a literal, a parameter, or what some variable holds."""
        params = [name for name, sort in self.params.items() if sort.name == domain.sort.name]
        options = params * 3 or list(domain.sort.literals)
        if depth:
            holders = [v for v in self.variables if v.sort.name == domain.sort.name and v.kind == "var"]
            options += [f"{self.handle}.{v.name}" for v in holders]
        return self.choices.one([*options, self.choices.one(domain.sort.literals)])

    def question(self, depth: int = 1) -> str:
        """An expression that is true or false."""
        if depth and self.choices.chance(30):
            word = self.choices.one(("and", "or"))
            return f"({self.question(depth - 1)} {word} {self.question(depth - 1)})"
        variable = self.choices.one(self.variables)
        if variable.kind == "subset":
            return self._about_subset(variable)
        if variable.kind == "channel":
            return self._about_channel(variable)
        place = f"{self.handle}.{variable.name}"
        if variable.kind == "per":
            if depth and self.choices.chance(15):
                return self._about_all(variable)
            place += f"[{self.key(variable.domains[0])}]"
        return self._asked(place, variable.sort, depth)

    def guard(self) -> str:
        """A question that is true more often than not, so that actions are taken."""
        if self.choices.chance(40):
            return self.question()
        return f"{self.question(0)} or {self.question()}"

    def _asked(self, place: str, sort: Sort, depth: int) -> str:
        forms = ["{e} == {v}", "{e} != {v}", *sort.questions]
        if depth:
            forms.append("{e} == {other}")
        if sort.name != "pbag":
            # A bag cannot be compared with anything but a bag, not even to say that they differ.
            forms.append("{e} in ({v}, {v})")
        form = self.choices.one(forms)
        if form == "{e} == {other}":
            return f"{place} == {self.value(sort, 0)}"
        return self._filled(form, place, sort)

    def _filled(self, form: str, place: str, sort: Sort) -> str:
        literal = self.choices.one(sort.literals) if "{v}" in form else ""
        number = str(self.choices.number(0, 2)) if "{k}" in form else ""
        return "(" + form.format(e=place, v=literal, k=number) + ")"

    def _about_subset(self, variable: Variable) -> str:
        place, domain = f"{self.handle}.{variable.name}", variable.domains[0]
        forms = ["{key} in {e}", "{key} not in {e}", "len({e}) == {k}", "not {e}", "{e} == set({all})"]
        form = self.choices.one(forms)
        number = str(self.choices.number(0, 2)) if "{k}" in form else ""
        key = self.key(domain) if "{key}" in form else ""
        return "(" + form.format(e=place, key=key, k=number, all=domain.expression) + ")"

    def _about_all(self, variable: Variable) -> str:
        word = self.choices.one(("any", "all"))
        asked = self._filled(self.choices.one(("{e} == {v}", *variable.sort.questions)), "item", variable.sort)
        return f"{word}({asked} for item in {self.handle}.{variable.name}.values())"

    def queue(self, variable: Variable, keys: str) -> str:
        """What is under way on a channel."""
        place = f"{self.handle}.{variable.name}"
        return f"{place}[{keys}]" if keys else f"{place}.messages()"

    def keys(self, variable: Variable) -> str:
        return ", ".join(self.key(domain) for domain in variable.domains)

    def _about_channel(self, variable: Variable) -> str:
        queue = self.queue(variable, self.keys(variable))
        forms = ["not {e}", "len({e}) < {k}", "{v} in {e}"]
        if variable.order == "fifo":
            forms.append("{e}[:1] == pvector([{v}])")
        return self._filled(self.choices.one(forms), queue, variable.sort)

    def bind(
        self, role: str, handles: str, name: str, most: int, over: Domain | None = None
    ) -> tuple[Scope, list[str]]:
        """Parameters for a function: the scope with them, and the decorator and ``def`` line.

        ``over`` is the domain of the first one, if it matters.
        """
        params: dict[str, Sort] = {}
        domains = []
        for param in ("i", "j")[: self.choices.number(1 if over else 0, most)]:
            if over and not params:
                text, sort = f'"{over.name}"', over.sort
            else:
                text, sort = self._domain_for(params, "s" in handles.split(", "))
            params[param] = sort
            domains.append(f"{param}={text}")
        scope = Scope(self.choices, self.variables, self.domains, self.handle, params)
        decorator = f"@{role}({', '.join(domains)})" if domains else f"@{role}"
        return scope, ["", decorator, f"def {name}({', '.join(('self', handles, *params))}):"]

    def _domain_for(self, params: dict[str, Sort], sees_state: bool) -> tuple[str, Sort]:
        domain = self.choices.one(self.domains)
        options: list[tuple[str, Sort]] = [(f'"{domain.name}"', domain.sort), ("range(2)", INT), ("{2, 0}", INT)]
        for name, sort in params.items():
            # A domain that depends on an earlier parameter, but not on the state.
            other = self.choices.one(sort.literals)
            options.append((f"lambda self, {name}: [k for k in {domain.expression} if {name} != {other}]", domain.sort))
        if sees_state and self.choices.chance(35):
            options = self._open_domains(domain, params)
        return self.choices.one(options)

    def _open_domains(self, domain: Domain, params: dict[str, Sort]) -> list[tuple[str, Sort]]:
        """Domains that depend on the state, and on an earlier parameter."""
        earlier = Scope(self.choices, self.variables, self.domains, "s", params, on_self=False)
        names = "".join(f", {name}" for name in params)
        asked = earlier.question()
        found = [(f"lambda self, s{names}: [k for k in {domain.expression} if {asked}]", domain.sort)]
        for variable in self.variables:
            place = f"s.{variable.name}"
            if variable.kind == "subset":
                found.append((f"lambda s: {place}", variable.domains[0].sort))
            elif variable.kind == "var" and variable.sort.name == "int":
                found.append((f"lambda s: range({place})", INT))
            elif variable.kind == "var" and variable.sort.name in ("frozenset", "pset", "pvector"):
                found.append((f"lambda s: {place}", INT))
            elif variable.kind == "channel":
                queue = earlier.queue(variable, earlier.keys(variable))
                found.append((f"lambda s{names}: {queue}", variable.sort))
        return found


class Action:
    """Writes actions and the function of initial states."""

    def __init__(self, scope: Scope, freedom: int = 50, alive: str = "") -> None:
        self.base = scope
        self.choices = scope.choices
        self.freedom = freedom
        self.alive = alive

    def initial(self) -> list[str]:
        """An ``@init`` with choices."""
        scope, lines = self.base.through("n").bind("init", "n", "start", 2)
        body = []
        if self.choices.chance(15):
            body.append(f"require({scope.guard()})")
        for variable in self._some():
            if variable.kind == "channel":
                body.append(self._send(scope, variable, scope.keys(variable), scope.value(variable.sort, 1)))
            else:
                body += self._assignment(scope, variable)
        return [*lines, *(f"    {line}" for line in body or ["pass"])]

    def text(self, name: str, mover: Variable, broken: bool) -> list[str]:
        """One action: guards, then writes with reads of both states between them. It changes at least the mover."""
        free = self.choices.chance(self.freedom)
        over = mover.domains[0] if mover.domains and self.choices.chance(60) else None
        scope, lines = self.base.bind("action", "s, n", name, 1 if free else 2, over)
        body = [f'require({self.alive}, "alive")'] if self.alive else []
        for number in range(0 if free else self.choices.number(0, 2)):
            body.append(f'require({scope.guard()}, "guard {number}")')
        if broken:
            body += [f"if {scope.question()}:", f"    {self._mistake()}"]
        if free or self.choices.chance(70):
            body += self._motion(scope, mover)
        for variable in self._some():
            if variable is not mover or not body:
                body += self._write(scope, variable)
                scope = scope.through("n") if self.choices.chance(20) else scope
        if self.choices.chance(10):
            body.append(f'require({scope.through("n").guard()}, "guard on n")')
        return [*lines, *(f"    {line}" for line in body or ["pass"])]

    def _mistake(self) -> str:
        plain = [f"n.{v.name} = [1]" for v in self.base.variables if v.kind == "var"]
        return self.choices.one(["raise ValueError('broken')", "1 // 0", *plain])

    def _some(self) -> list[Variable]:
        """Some of the variables, each at most once."""
        return [variable for variable in self.base.variables if self.choices.chance(30)]

    def _motion(self, scope: Scope, variable: Variable) -> list[str]:
        """A write that changes something in most states."""
        target, read = f"n.{variable.name}", f"s.{variable.name}"
        if variable.kind == "channel":
            keys, message = scope.keys(variable), scope.value(variable.sort, 1)
            queue = scope.through("n").queue(variable, keys)
            return [f"if len({queue}) < 2:", f"    {self._send(scope, variable, keys, message)}"]
        key = scope.key(variable.domains[0]) if variable.kind != "var" else ""
        if variable.kind == "subset":
            return [f"if {key} in {read}:", f"    {target}.discard({key})", "else:", f"    {target}.add({key})"]
        if not variable.sort.changes:
            return self._assignment(scope, variable)
        place = f"[{key}]" if key else ""
        return [f"{target}{place} = {scope.changed(read + place, variable.sort)}"]

    def _write(self, scope: Scope, variable: Variable) -> list[str]:
        lines = self._assignment(scope, variable)
        if self.choices.chance(20):
            other = self._assignment(scope, variable) if self.choices.chance(50) else ["pass"]
            lines = [
                f"if {scope.question()}:",
                *(f"    {line}" for line in lines),
                "else:",
                *(f"    {line}" for line in other),
            ]
        return lines

    def _assignment(self, scope: Scope, variable: Variable) -> list[str]:
        target = f"n.{variable.name}"
        if variable.kind == "var":
            return [f"{target} = {scope.value(variable.sort)}"]
        if variable.kind == "per":
            return self._per(scope, variable, target)
        if variable.kind == "subset":
            return self._subset(scope, variable, target)
        return self._channel(scope, variable, target)

    def _per(self, scope: Scope, variable: Variable, target: str) -> list[str]:
        domain, value = variable.domains[0], scope.value(variable.sort)
        whole = f"{{k: {value} for k in {domain.expression}}}"
        forms = [
            [f"{target}[{scope.key(domain)}] = {value}"],
            [f"{target}[{scope.key(domain)}] = {value}"],
            [f"{target} = {whole}"],
            [f"for k in {domain.expression}:", f"    {target}[k] = {value}"],
        ]
        return self.choices.one(forms)

    def _subset(self, scope: Scope, variable: Variable, target: str) -> list[str]:
        domain, read = variable.domains[0], f"{scope.handle}.{variable.name}"
        key, other = scope.key(domain), scope.key(domain)
        forms = [
            [f"{target}.add({key})"],
            [f"{target}.discard({key})"],
            [f"{target}.add({key})", f"{target}.discard({other})"],
            [f"if {key} in {read}:", f"    {target}.discard({key})", "else:", f"    {target}.add({key})"],
            [f"{target} = [k for k in {domain.expression} if {scope.question()}]"],
            [f"{target} = {read} - {{{key}}}"],
            [f"{target} = {read} | {{{key}}}"],
        ]
        return self.choices.one(forms)

    def _send(self, scope: Scope, variable: Variable, keys: str, message: str) -> str:
        return f"n.{variable.name}.send({keys}{', ' if keys else ''}{message})"

    def _channel(self, scope: Scope, variable: Variable, target: str) -> list[str]:
        keys, message = scope.keys(variable), scope.value(variable.sort, 1)
        comma = ", " if keys else ""
        queue = scope.through("n").queue(variable, keys)
        send = self._send(scope, variable, keys, message)
        if variable.order == "fifo":
            asked, receive = queue, f"{target}.receive({keys})"
        else:
            asked, receive = f"{message} in {queue}", f"{target}.receive({keys}{comma}{message})"
        forms = [
            [f"if len({queue}) < 2:", f"    {send}"],
            [f"if len({queue}) < 2:", f"    {send}"],
            [f"require(len({queue}) < 2)", send],
            [receive],
            [f"if {asked}:", f"    {receive}"],
            [f"if {asked}:", f"    {receive}", f"    {send}"],
            [receive.replace(".receive(", ".drop(")],
        ]
        return self.choices.one(forms)


class Predicates:
    """Writes invariants, constraints, goals and terminal states."""

    def __init__(self, scope: Scope) -> None:
        self.base = scope
        self.choices = scope.choices

    def invariant(self, name: str, broken: bool) -> list[str]:
        """Mostly true, so that searches go deep before one fails."""
        if self.choices.chance(25):
            return self.over_steps("invariant", name, params=1)
        scope, lines = self.base.bind("invariant", "s", name, 2)
        return [*lines, *self._body(scope, scope, weak=True, broken=broken, most=self.choices.one((1, 3, 5)))]

    def goal(self, name: str) -> list[str]:
        scope, lines = self.base.bind("goal", "s", name, 1)
        return [*lines, *self._body(scope, scope, weak=False)]

    def over_states(self, role: str, name: str, *, weak: bool, broken: bool = False) -> list[str]:
        scope, lines = self.base.bind(role, "s", name, 1 if role == "constraint" else 0)
        return [*lines, *self._body(scope, scope, weak, broken, most=2)]

    def over_steps(self, role: str, name: str, params: int = 0) -> list[str]:
        scope, lines = self.base.bind(role, "s, n", name, params)
        return [*lines, *self._body(scope, scope.through("n"), weak=True, most=3 if role == "invariant" else 1)]

    def _body(self, first: Scope, second: Scope, weak: bool, broken: bool = False, most: int = 4) -> list[str]:
        parts = [second.question()]
        for _ in range(self.choices.number(1, most) if weak else self.choices.number(0, 2)):
            parts.append(self.choices.one((first, second)).question())
        whole = " and ".join(parts)
        lines = [f"    if {first.question()}:", "        raise ValueError('broken')"] if broken else []
        return [*lines, f"    return not ({whole})" if weak else f"    return {whole}"]
