"""The functions of CEL that expressions may use, and what each costs: the sizes of its arguments say how long it takes at most.

Prices are nanoseconds, measured with cel-expr-python 0.1.3 and rounded up. Memory that is kept until the evaluation ends is
priced with ten nanoseconds a byte, so that `rules.cel.cost.BUDGET` bounds it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from rules.cel.size import VALUE, Size
from rules.cel.tree import Literal, Node

CALL: Final = 1_000
"""Any call. Measured: 200 ns (`x != 1`) to 1,700 ns (`timestamp()`), and 900 ns for one that fails."""

_KEPT: Final = 10
"""A byte of text that is made."""

_MEMBER: Final = 300
"""A member of a list that is made. Measured: 40 ns and 32 bytes."""

_SEARCH: Final = 0.06
"""A character of what is searched for, for each of what it is searched in: finding is quadratic (50,000 in 100,000: 0.12 s)."""

_REPLACED: Final = 100
"""A character that `replace`, `split` and the like make."""

_ESCAPED: Final = 2
"""The characters that one becomes at most: `"` in `strings.quote`, any in the clause `%x` of `format`."""

_CLAUSE: Final = 1_400
"""The most characters that a clause of `format` makes of a number: `%.1000f` of the largest."""

Priced: TypeAlias = tuple[float, Size]
"""What a call costs, and how large its value is."""

Price: TypeAlias = Callable[[Sequence[Node], Sequence[Size]], Priced]

SCALAR: Final = Size(text=64)
"""A number, a boolean or a time; `text` is for what becomes of it as a string."""


def _texts(sizes: Sequence[Size]) -> float:
    return sum(size.text for size in sizes)


def _scalar(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    return CALL + _texts(sizes), SCALAR


def _compare(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    # Values of different lengths differ at once.
    return CALL + min(size.weight for size in sizes), SCALAR


def _traverse(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    return CALL + sum(size.weight for size in sizes), SCALAR


def _first(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    """Price what gives its first argument or a part of it."""
    return CALL + _texts(sizes[1:]), sizes[0] if sizes else SCALAR


def _either(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    return CALL, sizes[-2].or_else(sizes[-1])


def _add(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    left, right = sizes
    text, members = left.text + right.text, left.members + right.members
    longest = max(left.longest, right.longest, members)
    size = Size(left.weight + right.weight, longest, max(left.item, right.item), text)
    return CALL + _KEPT * text + _MEMBER * members, size


def _text(length: float) -> Size:
    return Size(VALUE + length, text=length)


def _rewrite(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    """Price what makes a text of a text or a scalar, no longer than it."""
    length = max(sizes[0].text, SCALAR.text)
    return CALL + _KEPT * length, _text(length)


def _quote(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    length = _ESCAPED * sizes[0].text + 2
    return CALL + _KEPT * length, _text(length)


def _search(sizes: Sequence[Size]) -> float:
    return CALL + _SEARCH * sizes[0].text * (sizes[1].text + 1)


def _find(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    return _search(sizes), SCALAR


def _split(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    text = sizes[0].text
    parts = text + 1
    size = Size(VALUE * parts + text, parts, VALUE + text, text)
    return _search(sizes) + (_REPLACED + _MEMBER) * parts, size


def _replace(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    text, _, new = (size.text for size in sizes[:3])
    old = nodes[1].text if isinstance(nodes[1], Literal) else None
    # Between all characters there is an empty text.
    length = text + (text / len(old) if old else text + 1) * new
    return _search(sizes) + _REPLACED * length, _text(length)


def _join(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    length = sizes[0].weight + sizes[0].members * _texts(sizes[1:])
    return CALL + _KEPT * length, _text(length)


def _format(nodes: Sequence[Node], sizes: Sequence[Size]) -> Priced:
    template = nodes[0].text if isinstance(nodes[0], Literal) else None
    clauses = template.count("%") if isinstance(template, str) else sizes[0].text
    length = sizes[0].text + _ESCAPED * sizes[1].weight + clauses * _CLAUSE
    return CALL + _KEPT * length, _text(length)


def _named(price: Price, names: str) -> dict[str, Price]:
    return dict.fromkeys(names.split(), price)


_GETTERS: Final = (
    "getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth "
    "getSeconds"
)

PRICES: Final[dict[str, Price]] = {
    **_named(_scalar, "_<_ _<=_ _>_ _>=_ _-_ _*_ _/_ _%_ -_ !_ _&&_ _||_ @not_strictly_false"),
    **_named(_scalar, "size startsWith endsWith bool double duration int timestamp type uint hasValue optional.none"),
    **_named(_scalar, _GETTERS),
    **_named(
        _scalar, "math.abs math.ceil math.floor math.isFinite math.isInf math.isNaN math.round math.sign math.sqrt"
    ),
    **_named(_scalar, "math.trunc math.bitAnd math.bitNot math.bitOr math.bitShiftLeft math.bitShiftRight math.bitXor"),
    **_named(_traverse, "@in math.@max math.@min"),
    **_named(_compare, "_==_ _!=_"),
    **_named(_first, "_[_] _[?_] _?._ dyn optional.of optional.ofNonZeroValue value first last"),
    **_named(_either, "_?_:_ or orValue"),
    **_named(_rewrite, "bytes charAt lowerAscii reverse string substring trim upperAscii"),
    **_named(_find, "contains indexOf lastIndexOf"),
    "_+_": _add,
    "strings.quote": _quote,
    "split": _split,
    "replace": _replace,
    "join": _join,
    "format": _format,
}

TIME_GETTERS: Final = frozenset(_GETTERS.split())

MATCHES: Final = "matches"
