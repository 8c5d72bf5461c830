"""What a rule says and another form of it does not: never dropped silently."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

TWINS: Final = "of several items with one key each is judged; here the first"
LONG_LISTS: Final = (
    "a list of more than some 200 items, or with long keys, exhausts the budget: the failurePolicy decides"
)
NULLS: Final = "a null inside an object or a list is a value of its own; here it is absent"
FRACTION_AS_TEXT: Final = "a large or small number with a fraction may be written otherwise as text (1e+06)"
FRACTION: Final = "a relation is not judged while one of its numbers has a fraction; a sum beyond 64 bits is an error"
ODD_TIME: Final = (
    "times before the year 1000 or with a small t or z are none; a day that its month does not have (02-30) is an error"
)
QUANTITY: Final = "quantities finer than a billionth are rounded up; a dot alone is 0"
IGNORED: Final = "values that are ignored are compared as they are written, times and quantities too"
SUM_OF_MAP: Final = "a sum over a map is judged whenever an entry changes, not only when a number does"
SUM_ORDER: Final = "a sum over keyed items is judged when their order changes, too"
ALWAYS: Final = "asked at every write: whether the whole object changed cannot be told"


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that is lost: of an invariant, or of the rule as such (`invariant` empty).

    `whole`: what it names is left out; otherwise it is judged, and differently in the case that it names.
    """

    invariant: str
    what: str
    whole: bool = False

    def __str__(self) -> str:
        where = f"invariant {self.invariant}" if self.invariant else "the rule"
        return f"{where}: {'left out: ' if self.whole else ''}{self.what}"


def grouped(losses: Iterable[Loss]) -> list[str]:
    """Return the losses as lines, one for all invariants that lose the same; what is left out comes first."""
    found: dict[tuple[str, bool], list[str]] = {}
    for loss in losses:
        found.setdefault((loss.what, loss.whole), []).append(loss.invariant)
    lines = [(not whole, _line(what, invariants, whole=whole)) for (what, whole), invariants in found.items()]
    return [line for _, line in sorted(lines, key=lambda each: each[0])]


def _line(what: str, invariants: list[str], *, whole: bool) -> str:
    named = [name for name in invariants if name]
    where = f"invariant{'s' if len(named) > 1 else ''} {', '.join(named)}" if named else "the rule"
    return f"{where}: {'left out: ' if whole else ''}{what}"
