from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from rules.predicates import CompiledPredicate, Predicate
from rules.reading import Tally
from rules.write import Roots

from .judging import broken, snippet

OBJECT = {
    "a": {},
    "l": ["x"],
    "t": True,
    "n": 3,
    "f": Decimal("3.0"),
    "d": Decimal("2.50"),
    "s": "x",
    "e": "",
    "z": None,
}


def predicate(text: str) -> CompiledPredicate:
    return CompiledPredicate(Predicate.model_validate(snippet(text)))


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("{field: status.s, operator: In, values: [x, y]}", True),
        ("{field: status.s, operator: In, values: [X]}", False),
        ("{field: status.t, operator: In, values: ['true']}", True),
        ("{field: status.n, operator: In, values: ['3']}", True),
        ("{field: status.f, operator: In, values: ['3']}", True),
        ("{field: status.f, operator: In, values: ['3.0']}", False),
        ("{field: status.d, operator: In, values: ['2.5']}", True),
        ("{field: status.e, operator: In, values: ['']}", True),
        ("{field: status.e, operator: In, values: [x]}", False),
        # Absent: In is false unless "" is listed, NotIn true, Matches false.
        ("{field: status.z, operator: In, values: [x]}", False),
        ("{field: status.z, operator: In, values: ['']}", True),
        ("{field: status.z, operator: In, values: ['null']}", False),
        ("{field: status.z, operator: NotIn, values: [x]}", True),
        ("{field: status.z, operator: NotIn, values: ['']}", True),
        ("{field: status.z, operator: Matches, values: ['.*']}", False),
        ("{field: status.gone.deeper, operator: NotIn, values: [x]}", True),
        ("{field: status.s, operator: NotIn, values: [x, y]}", False),
        ("{field: status.s, operator: NotIn, values: [y]}", True),
        # Objects and lists never match.
        ("{field: status.l, operator: In, values: [x, '']}", False),
        ("{field: status.a, operator: In, values: ['{}', '']}", False),
        ("{field: status.l, operator: NotIn, values: [x]}", True),
        ("{field: status.a, operator: Matches, values: ['.*']}", False),
        # null and absent are the same; [], {} and "" are not absent.
        ("{field: status.z, operator: Exists}", False),
        ("{field: status.gone, operator: Exists}", False),
        ("{field: status.a, operator: Exists}", True),
        ("{field: status.l, operator: Exists}", True),
        ("{field: status.e, operator: Exists}", True),
        ("{field: status.z, operator: DoesNotExist}", True),
        ("{field: status.e, operator: DoesNotExist}", False),
        # The whole value is matched.
        ("{field: status.s, operator: Matches, values: ['[xy]']}", True),
        ("{field: status.s, operator: Matches, values: ['y', 'x|z']}", True),
        ("{field: status.n, operator: Matches, values: ['\\d+']}", True),
        ("{field: status.t, operator: Matches, values: ['tru']}", False),
        ("{field: status.t, operator: Matches, values: ['.ru.']}", True),
        ("{field: status.e, operator: Matches, values: ['']}", True),
    ],
)
def test_predicates(text: str, *, holds: bool) -> None:
    compiled = predicate(text)
    assert compiled.accepts(compiled.read(Roots({"status": OBJECT}), Tally())) is holds


def test_of_says_which_side_is_asked() -> None:
    assert not predicate("{field: status.a, operator: Exists}").of_old
    assert not predicate("{field: status.a, operator: Exists, of: new}").of_old
    assert predicate("{field: status.a, operator: Exists, of: old}").of_old


@pytest.mark.parametrize(
    ("when", "old", "new", "expected"),
    [
        pytest.param("{field: status.s, operator: In, values: [A]}", "B", "A", ["status.a"], id="new by default"),
        pytest.param("{field: status.s, operator: In, values: [A]}", "A", "B", [], id="new by default, not old"),
        pytest.param("{field: status.s, operator: In, values: [A], of: old}", "A", "B", ["status.a"], id="old"),
        pytest.param("{field: status.s, operator: In, values: [A], of: old}", "B", "A", [], id="old, not new"),
    ],
)
def test_when_is_asked_of_one_side(when: str, old: str, new: str, expected: list[str]) -> None:
    invariant = f"{{when: [{when}], frozen: {{fields: [status.a]}}}}"
    assert broken(invariant, f"status: {{s: {old}, a: 1}}", f"status: {{s: {new}, a: 2}}") == expected


def test_all_of_when_must_hold() -> None:
    invariant = """
    when: [{field: status.s, operator: Exists}, {field: status.t, operator: Exists}]
    frozen: {fields: [status.a]}
    """
    assert broken(invariant, "status: {s: 1, t: 1, a: 1}", "status: {s: 1, t: 1, a: 2}") == ["status.a"]
    assert broken(invariant, "status: {s: 1, a: 1}", "status: {s: 1, a: 2}") == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{field: status.s, operator: In, values: [a, '']}", 'status.s is "a" or unset'),
        ("{field: status.s, operator: NotIn, values: [a, b]}", 'status.s is none of "a", "b"'),
        ("{field: status.s, operator: Matches, values: ['a+']}", 'status.s matches "a+"'),
        ("{field: status.s, operator: Exists}", "status.s is set"),
        ("{field: status.s, operator: DoesNotExist, of: old}", "status.s is not set before the write"),
    ],
)
def test_sentences(text: str, sentence: str) -> None:
    assert Predicate.model_validate(snippet(text)).sentence() == sentence


@pytest.mark.parametrize("value", [1, True, None, "x", [], {}])
def test_a_value_of_another_type_breaks_nothing(value: Any) -> None:
    compiled = predicate("{field: 'status.s[k=v].t', operator: DoesNotExist}")
    assert compiled.accepts(compiled.read(Roots({"status": {"s": value}}), Tally()))
