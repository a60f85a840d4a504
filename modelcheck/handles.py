"""The handles ``s`` and ``n`` that a spec's functions see, and the views behind keyed variables.

A handle translates ``s.log["s1"]`` to "read slot 4" and passes it on to a *source*. Sources differ (a whole Pyrsistent
state, a recorded row, a draft of the next state); handles and views are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeVar

from .declare import Disabled
from .errors import suggest
from .values import ordered, show

if TYPE_CHECKING:
    from .layout import Layout, VariableLayout

__all__ = ["ChannelView", "Draft", "PerView", "Source", "SubsetView", "handle_class", "is_handle", "plain_value"]

K = TypeVar("K")
V = TypeVar("V")


class Source(Protocol):
    """Where a handle reads from and, if it is a draft, writes to."""

    def read(self, slot: int) -> Any: ...
    def write(self, slot: int, value: object) -> None: ...
    def rewrite(self, slot: int, value: object) -> None: ...
    def note(self, kind: str, channel: str, key: tuple[object, ...], message: object) -> None: ...


class UnknownKey(KeyError):
    """A key that a variable does not have; reads as its message, not as a quoted key."""

    def __str__(self) -> str:
        return str(self.args[0])


class WriteError(TypeError):
    """An assignment that cannot be: to ``s``, in a property, or to one slot twice."""


class ReadOnly:
    """Base of sources that cannot be written: the current state, and both states of a property."""

    def write(self, slot: int, value: object) -> NoReturn:
        raise WriteError("only n, the next state of an action, can be assigned; s is the current state")

    rewrite = write

    def note(self, kind: str, channel: str, key: tuple[object, ...], message: object) -> NoReturn:
        raise WriteError(f"{kind} belongs on n, the next state of an action")


class Draft:
    """The next state while an action is writing it: what is not written reads as the current state."""

    __slots__ = ("_base", "_names", "events", "writes")

    def __init__(self, base: Callable[[int], Any], names: list[str]) -> None:
        self._base = base
        self._names = names
        self.writes: dict[int, object] = {}
        self.events: list[tuple[str, str, tuple[object, ...], object]] = []

    def read(self, slot: int) -> Any:
        writes = self.writes
        return writes[slot] if slot in writes else self._base(slot)

    def write(self, slot: int, value: object) -> None:
        if slot in self.writes:
            raise WriteError(
                f"{self._names[slot]} is assigned twice in one step (first {show(self.writes[slot])}, then"
                f" {show(value)}): a step has one next state; compute the final value first"
            )
        self.writes[slot] = value

    def rewrite(self, slot: int, value: object) -> None:
        self.writes[slot] = value

    def note(self, kind: str, channel: str, key: tuple[object, ...], message: object) -> None:
        self.events.append((kind, channel, key, message))


class _View:
    """A keyed variable as seen through a handle."""

    __slots__ = ("_layout", "_source")

    def __init__(self, layout: VariableLayout, source: Source) -> None:
        self._layout = layout
        self._source = source

    def _slot(self, key: object) -> int:
        try:
            return self._layout.slots[key]
        except (KeyError, TypeError):
            keys = list(self._layout.slots)
            known = ", ".join(map(show, keys[:8])) + (", ..." if len(keys) > 8 else "")
            hint = suggest(key, [k for k in keys if isinstance(k, str)]) if isinstance(key, str) else ""
            what = "element" if self._layout.kind == "subset" else "key"
            raise UnknownKey(f"{self._layout.name} has no {what} {show(key)}{hint}; it has {known}") from None

    def __repr__(self) -> str:
        return show(plain_value(self))


class PerView(_View, Mapping[K, V], Generic[K, V]):
    """``s.log``: a mapping from key to value; on ``n`` its items can be assigned."""

    __slots__ = ()

    def __getitem__(self, key: K) -> V:
        slot = self._layout.slots.get(key)
        value: V = self._source.read(self._slot(key) if slot is None else slot)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        self._source.write(self._slot(key), value)

    def __contains__(self, key: object) -> bool:
        return key in self._layout.slots  # its keys never change: nothing is read

    def __iter__(self) -> Iterator[K]:
        return iter(self._layout.slots)

    def __len__(self) -> int:
        return len(self._layout.slots)


class SubsetView(_View, Set[K], Generic[K]):
    """``s.votes``: a set; asking for one element reads one bit. On ``n``: ``add`` and ``discard``."""

    __slots__ = ()

    @classmethod
    def _from_iterable(cls, items: Iterable[K]) -> frozenset[K]:  # type: ignore[override]
        return frozenset(items)

    def __contains__(self, item: object) -> bool:
        return bool(self._source.read(self._slot(item)))

    def __iter__(self) -> Iterator[K]:
        read = self._source.read
        return iter([item for item, slot in self._layout.slots.items() if read(slot)])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, item: K) -> None:
        """Put the element in."""
        self._source.rewrite(self._slot(item), True)

    def discard(self, item: K) -> None:
        """Take the element out."""
        self._source.rewrite(self._slot(item), False)


class ChannelView(_View, Mapping[K, Any], Generic[K, V]):
    """``s.net``: what is under way on each channel; on ``n``: ``send`` and ``receive``."""

    __slots__ = ()

    def __getitem__(self, key: K) -> Any:
        return self._source.read(self._slot(key))

    def __contains__(self, key: object) -> bool:
        return key in self._layout.slots

    def __iter__(self) -> Iterator[K]:
        return iter(self._layout.slots)

    def __len__(self) -> int:
        return len(self._layout.slots)

    def messages(self, *key: object) -> Any:
        """What is under way on one channel, whatever the number of keys."""
        return self._source.read(self._slot(self._key(key)))

    def send(self, *key_and_message: Any) -> None:
        """``send(from, to, message)``: the keys of the channel, then the message."""
        *key, message = key_and_message
        slot = self._slot(self._key(tuple(key)))
        queue = self._source.read(slot)
        order = self._layout.order
        sent = queue.append(message) if order == "fifo" else queue.add(message)
        self._source.rewrite(slot, sent)
        self._source.note("send", self._layout.name, tuple(key), message)

    def receive(self, *key_and_message: Any) -> Any:
        """``receive(from, to)`` takes the oldest message of a fifo; a bag or set is told which message to take.

        The action is not enabled where there is no such message.
        """
        return self._take("receive", key_and_message)

    def drop(self, *key_and_message: Any) -> Any:
        """Like ``receive``, but the message is lost: nobody gets it."""
        return self._take("drop", key_and_message)

    def _take(self, kind: str, key_and_message: tuple[Any, ...]) -> Any:
        fifo = self._layout.order == "fifo"
        key = key_and_message if fifo else key_and_message[:-1]
        slot = self._slot(self._key(key if fifo or key_and_message else ("no message",)))
        queue = self._source.read(slot)
        if not queue or (not fifo and key_and_message[-1] not in queue):
            raise Disabled(f"{self._layout.name}[{', '.join(map(show, key))}] has a message")
        message = queue[0] if fifo else key_and_message[-1]
        self._source.rewrite(slot, queue.delete(0) if fifo else queue.remove(message))
        self._source.note(kind, self._layout.name, key, message)
        return message

    def _key(self, key: tuple[object, ...]) -> object:
        arity = self._layout.arity
        if len(key) != arity:
            raise TypeError(
                f"{self._layout.name} has {arity} key(s), {len(key)} given: send(*keys, message);"
                " receive(*keys) of a fifo, receive(*keys, message) of a bag or set"
            )
        return key[0] if arity == 1 else key if arity else None


_VIEWS: dict[str, type[_View]] = {"per": PerView, "subset": SubsetView, "channel": ChannelView}


def is_handle(value: object) -> bool:
    """Whether it is a handle or a view, which stand for a state and are not values themselves."""
    return isinstance(value, _Handle | _View)


def plain_value(value: object) -> object:
    """A view as an ordinary value, anything else as it is: for messages and explanations."""
    if isinstance(value, SubsetView):
        return frozenset(value)
    if isinstance(value, (PerView, ChannelView)):
        from pyrsistent import pmap

        return pmap(dict(value.items()))
    return value


class _Handle:
    """Base of the handles: everything but the variables is an explained mistake."""

    __slots__ = ("_source",)
    _known: tuple[str, ...] = ()
    _constants: frozenset[str] = frozenset()
    __hash__ = None  # type: ignore[assignment]  # a handle is not a value: memoised operators refuse it

    def __init__(self, source: Source) -> None:
        self._source = source

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(self._problem(name))

    @classmethod
    def _problem(cls, name: str) -> str:
        if name in cls._constants:
            return f"{name!r} is a constant: write self.{name}"
        return f"there is no variable {name!r}{suggest(name, cls._known)}; the variables are {', '.join(cls._known)}"


def handle_class(layout: Layout, constants: Iterable[str]) -> type[_Handle]:
    """The handle class of one spec: a property for each variable."""
    members: dict[str, Any] = {"__slots__": (), "_known": tuple(layout.variables)}
    members["_constants"] = frozenset(constants)
    for name, variable in layout.variables.items():
        members[name] = _property_of(variable)
    return type(f"{layout.title} state", (_Handle,), members)


def _property_of(variable: VariableLayout) -> property:
    if not variable.viewed:
        slot = variable.slots[None]
        return property(
            lambda handle: handle._source.read(slot), lambda handle, value: handle._source.write(slot, value)
        )
    view = _VIEWS[variable.kind]

    def assign(handle: _Handle, value: Any) -> None:
        _assign_all(variable, handle._source, value)

    return property(lambda handle: view(variable, handle._source), assign)


def _assign_all(variable: VariableLayout, source: Source, value: Any) -> None:
    """``n.log = {...}`` and ``n.votes = {...}``: every slot of a keyed variable at once."""
    if variable.kind == "channel":
        raise WriteError(f"{variable.name} is a channel: use n.{variable.name}.send(...) and .receive(...)")
    if variable.kind == "per" and (not isinstance(value, Mapping) or set(value) != set(variable.slots)):
        raise WriteError(f"n.{variable.name} = ... needs a mapping with exactly its {len(variable.slots)} keys")
    if variable.kind == "subset":
        chosen = set(value)
        unknown = ordered(frozenset(chosen - set(variable.slots)))
        if unknown:
            raise UnknownKey(f"{variable.name} has no element {show(unknown[0])}")
        value = {item: item in chosen for item in variable.slots}
    for key, slot in variable.slots.items():
        source.write(slot, value[key])
