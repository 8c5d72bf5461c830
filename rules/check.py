"""The check: the unit in which a write is judged.

A check reads something (a paired field, the paths of a relation, one condition) and judges it. It is made only if what it
reads, or what its invariant's `when` reads, differs between old and new: so no writer is blocked for a fault that was there
before and that its write does not touch. That rule lives in `rules.ruleset` and nowhere else; a kind only says what its
checks read and how they judge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rules.fieldpath import FieldPath
from rules.pairing import Pair, Pairs, changed_pairs, pairs
from rules.reading import Tally
from rules.values import MISSING, Missing
from rules.write import Write


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found broken.

    `field` is the concrete path. `problem` says what happened to it, as the rest of a sentence that starts with the field;
    `{old}` and `{new}` in it stand for the values, which only `webhook.verdict` prints, cut and masked (other text in it goes
    through `literal`). `values` are further values that make the finding understood, each with its path. `remark` is a sentence
    made of the object's values, at the paths `remark_reads`.
    """

    field: str
    problem: str
    old: Any = None
    new: Any = None
    values: tuple[tuple[str, Any], ...] = ()
    remark: str = ""
    remark_reads: tuple[str, ...] = ()


Judge: TypeAlias = Callable[[Pair, Write, Tally], Finding | None]


@dataclass(frozen=True, slots=True)
class Check:
    """What is read, and how it is judged.

    `on_create`: whether it judges a write that creates the object. `also_changed`: where it reads something beside its pairs,
    whether the write changed that. `read_changed`: reads only what differs, where that is cheaper than `read`.
    """

    read: Pairs
    judge: Judge
    on_create: bool = False
    also_changed: Callable[[Write, Tally], bool] | None = None
    read_changed: Pairs | None = None


def paired_check(
    path: FieldPath,
    judge: Judge,
    *,
    on_create: bool = False,
    also_changed: Callable[[Write, Tally], bool] | None = None,
) -> Check:
    """Return the check of a field whose old and new values are paired along its path."""
    return Check(pairs(path), judge, on_create, also_changed, changed_pairs(path))


Merge: TypeAlias = Callable[[Sequence[Finding], Write, Tally], Finding]


@dataclass(frozen=True, slots=True)
class Checks:
    """What a kind compiles to: its checks and every path they read.

    `merge`, where given, makes one finding of all that the invariant's checks found.
    """

    checks: tuple[Check, ...]
    paths: tuple[FieldPath, ...]
    merge: Merge | None = None


def literal(words: str) -> str:
    """Return words as they must stand in `Finding.problem` to mean themselves."""
    return words.replace("{", "{{").replace("}", "}}")


def present(value: Any | Missing) -> Any:
    """Return a value of a pair with MISSING taken for absent (None)."""
    return None if value is MISSING else value


def is_gone(pair: Pair) -> bool:
    """Whether the item that held the field is no longer there: it took its fields with it, which is no violation."""
    return pair.new is MISSING
