"""What rules demand, in plain sentences: `tests/data/sentences.txt` holds invariants, below each what is said of it."""

from __future__ import annotations

from rules.invariants import KINDS
from tests.golden import DATA, compare

from .judging import rule

NAME = "sentences.txt"
MARGIN = "    "


def test_what_every_kind_demands() -> None:
    written = [line for line in (DATA / NAME).read_text().splitlines() if not line.startswith(MARGIN)]
    # The sentence of an expression in CEL is the expression.
    assert {line.partition(":")[0] for line in written} == KINDS.keys() - {"cel"}
    found = []
    for line in written:
        (invariant,) = rule(line).source.spec.invariants
        found += [line, *(f"{MARGIN}{sentence}" for sentence in invariant.spec.sentences())]
    compare(NAME, "\n".join(found) + "\n")
