"""What evaluating an expression costs at most, from its tree and the sizes of what it reads.

The engine bounds the iterations of loops and nothing else: `[x].map(s, s.replace("", s))` squares a text, a few such steps
fill any memory, and no evaluation can be stopped. So a bound is computed beforehand, as the API server does: when an expression
is compiled for objects of a usual size, and for each object that is larger than what was found to be affordable.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rules.cel.functions import CALL, MATCHES, PRICES, SCALAR, Priced
from rules.cel.patterns import pattern_parts
from rules.cel.reads import Parts, Reads, chain
from rules.cel.size import CONVERSION, VALUE, Size
from rules.cel.tree import Call, ListOf, Literal, Loop, MapOf, Name, Node, Select
from rules.cel.variables import Sizes

BUDGET: Final = 250_000_000
"""The most that one evaluation may cost, in nanoseconds.

The API server waits for two seconds, and no other request is answered meanwhile. With ten nanoseconds for each byte that is
kept (`rules.cel.functions`) it is also 25 MB of memory. Measured, of 47 constructs with the largest object that each may judge:
at most 0.33 s and 44 MB, all that is converted included.
"""

MAX_ITERATIONS: Final = 10_000
"""The iterations of all loops together after which the engine gives up: its own bound."""

USUAL: Final = Size(weight=60_000, longest=32, item=6_000, text=512)
"""The least size of parts that every expression must be able to judge: 200 values, in lists of 32 items at most.

Measured: the status of a Deployment weighs 14,000, that of a Pod 28,000, the whole Pod 126,000.
"""

_DOUBLINGS: Final = 12
"""Sizes that are tried: up to two thousand times USUAL nothing needs to be computed for an object."""

_ITERATION: Final = 700
"""A step of a loop. Measured: 115 ns over a list, 580 over a map."""

_APPENDED: Final = 300
"""A member of a list to which a loop appends, at each step: the engine copies the list. Measured: 40 ns and 32 bytes."""

_ENTRY: Final = 500
"""An entry of a list or map that is written in the expression. Measured: 140 and 280 ns."""

_PATTERN_PART: Final = 10_000
"""A part of a pattern, repetitions written out, to compile: at each call. Measured: 250 ns for a letter, 9,000 for `.`."""

_UNICODE_PART: Final = 5_000_000
r"""The same where the pattern has a class such as `\pL`. Measured: 4.4 ms."""

_PATTERN_STEP: Final = 20
"""A part of a pattern for each byte of a text. Measured, where RE2 has to follow all its states: 8 to 19 ns."""


def affordable(tree: Node, reads: Reads) -> Size:
    """Return a size up to which all parts that an expression reads are affordable; less than USUAL if that is not."""

    def is_too_much(doubling: int) -> bool:
        return cost(tree, _all_of(reads, _doubled(doubling))) > BUDGET

    count = bisect_left(range(_DOUBLINGS), True, key=is_too_much)  # noqa: FBT003
    return _doubled(count - 1) if count else Size(0)


def _doubled(times: int) -> Size:
    factor = 2**times
    return Size(USUAL.weight * factor, USUAL.longest * factor, USUAL.item * factor, USUAL.text * factor)


def _all_of(reads: Reads, size: Size) -> dict[tuple[str, Parts], Size]:
    return {(variable, part): size for variable, parts in reads.variables.items() for part in parts}


def cost(tree: Node, sizes: Sizes) -> float:
    """Return what evaluating an expression costs at most, in nanoseconds, over parts of these sizes."""
    estimate = _Estimate(sizes)
    estimate.spend(CONVERSION * sum(size.weight for size in sizes.values()), 1)
    estimate.size(tree, {}, 1)
    return estimate.cost


@dataclass(slots=True)
class _Estimate:
    """Adds up what a tree costs. `scope` has the sizes of the variables of macros, `times` is how often a node is evaluated."""

    sizes: Sizes
    cost: float = 0

    def spend(self, price: float, times: float) -> None:
        """Add a price that is paid some times."""
        self.cost += price * times

    def size(self, node: Node, scope: Mapping[str, Size], times: float) -> Size:
        """Return how large the value of a node is, and add what it costs."""
        found = chain(node, scope)
        if found is not None:
            variable, parts = found
            self.spend(CALL, times * len(parts))
            return self._read(variable, parts)
        match node:
            case Name(name):
                return scope[name]
            case Select(operand, _):
                self.spend(CALL, times)
                return self.size(operand, scope, times)
            case Call():
                return self._call(node, scope, times)
            case ListOf(items) | MapOf(items):
                self.spend(_ENTRY, times * len(items))
                return _container([self.size(item, scope, times) for item in items])
            case Loop():
                return self._loop(node, scope, times)
            case Literal(text):
                length = len(text.encode() if isinstance(text, str) else text or b"")
                return Size(VALUE + length, text=length)

    def _read(self, variable: str, parts: Parts) -> Size:
        prefixes = (parts[:length] for length in range(len(parts) + 1))
        return next((size for part in prefixes if (size := self.sizes.get((variable, part)))), SCALAR)

    def _call(self, call: Call, scope: Mapping[str, Size], times: float) -> Size:
        sizes = [self.size(argument, scope, times) for argument in call.arguments]
        if call.function == MATCHES:
            price, size = _match(call.arguments[1], sizes[0])
        else:
            price, size = PRICES[call.function](call.arguments, sizes)
        self.spend(price, times)
        return size

    def _loop(self, loop: Loop, scope: Mapping[str, Size], times: float) -> Size:
        source = self.size(loop.source, scope, times)
        initial = self.size(loop.initial, scope, times)
        steps = min(source.members, MAX_ITERATIONS)
        inner = min(times * steps, MAX_ITERATIONS)
        item = Size(max(source.item, source.text + VALUE), source.longest, source.item, source.text)
        within = {**scope, loop.variable: item, loop.accumulator: initial}
        self.size(loop.condition, within, inner)
        grown = self.size(loop.step, within, inner)
        self.spend(_ITERATION, inner)
        if steps and isinstance(loop.initial, ListOf):
            self.spend(_APPENDED * steps, inner)
            initial = Size(VALUE + steps * grown.weight, max(steps, grown.longest), grown.item, grown.text)
        return self.size(loop.result, {**scope, loop.accumulator: initial}, times)


def _container(items: list[Size]) -> Size:
    """Return the size of a list or map of these."""
    return Size(
        VALUE + sum(item.weight for item in items),
        max([len(items), *(item.longest for item in items)]),
        max([0.0, *(max(item.weight, item.item) for item in items)]),
        max([0.0, *(item.text for item in items)]),
    )


def _match(pattern: Node, text: Size) -> Priced:
    assert isinstance(pattern, Literal)  # noqa: S101  `rules.cel.subset` has refused others
    assert isinstance(pattern.text, str)  # noqa: S101
    parts, is_unicode = pattern_parts(pattern.text)
    compiling = parts * (_UNICODE_PART if is_unicode else _PATTERN_PART)
    return CALL + compiling + _PATTERN_STEP * parts * text.text, SCALAR
