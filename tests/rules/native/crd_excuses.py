"""Which objects show what a schema is said to lose: nothing else may make it disagree with the evaluator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

from rules.instants import instant
from rules.native import losses
from rules.native.crd_losses import ANY_ORDER, DOUBLE, OVERFLOW, TIME_TEXT, TWINS

from . import excuses
from .typed import values


def excused(loss: str, reads: Sequence[str], old: Any, new: Any) -> bool:
    """Tell whether the objects show a loss."""
    if loss == TWINS:
        return excuses.excused(losses.TWINS, reads, old, new)
    shows = _SHOWN.get(loss)
    return excuses.excused(loss, reads, old, new) if shows is None else shows(old, new)


def _one_instant_twice(old: Any, new: Any) -> bool:
    """Whether an instant is written in two ways."""
    times = {each for side in (old, new) for each in values(side) if isinstance(each, str) and instant(each)}
    return len({instant(each) for each in times}) < len(times)


def _other_order(old: Any, new: Any) -> bool:
    """Whether a list holds the same in another order."""
    before = [each for each in values(old) if isinstance(each, list)]
    after = [each for each in values(new) if isinstance(each, list)]
    return any(one != other and sorted(map(repr, one)) == sorted(map(repr, other)) for one in before for other in after)


def _has_fraction(old: Any, new: Any) -> bool:
    return any(isinstance(each, float | Decimal) for side in (old, new) for each in values(side))


def _has_large_number(old: Any, new: Any) -> bool:
    return any(type(each) is int and abs(each) > 2**60 for side in (old, new) for each in values(side))


_SHOWN: Final[dict[str, Callable[[Any, Any], bool]]] = {
    TIME_TEXT: _one_instant_twice,
    ANY_ORDER: _other_order,
    DOUBLE: _has_fraction,
    OVERFLOW: _has_large_number,
}
