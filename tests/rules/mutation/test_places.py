from __future__ import annotations

from typing import Any

import pytest

from rules.fieldpath import parse
from rules.mutation.places import places, put, value_at

OBJECT: dict[str, Any] = {
    "status": {
        "replicas": 3,
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "Synced", "status": "False"}],
        "holds": {"a": 1, "b": 2},
    }
}


def found(path: str) -> list[Any]:
    return [value_at(OBJECT, steps) for steps in places(OBJECT, parse(path).segments)]


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("status.replicas", [3]),
        ("status.absent.deeper", [None]),
        ("status.conditions[type=Synced].status", ["False"]),
        ("status.conditions[type=Gone].status", [None]),
        ("status.conditions[type].status", ["True", "False"]),
        ("status.conditions[*].type", ["Ready", "Synced"]),
        ("status.holds.*", [1, 2]),
        ("status.replicas[type].status", []),
    ],
)
def test_a_path_leads_to_every_value(path: str, values: list[Any]) -> None:
    assert found(path) == values


def changed(path: str, value: Any) -> Any:
    (first, *_) = places(OBJECT, parse(path).segments)
    return put(OBJECT, first, value)


def test_a_copy_has_another_value_there_and_nowhere_else() -> None:
    assert changed("status.replicas", 4) == {"status": OBJECT["status"] | {"replicas": 4}}
    assert OBJECT["status"]["replicas"] == 3


def test_none_takes_a_field_or_an_item_away() -> None:
    assert "replicas" not in changed("status.replicas", None)["status"]
    assert changed("status.conditions[type=Ready]", None)["status"]["conditions"] == [OBJECT["status"]["conditions"][1]]
    assert changed("status.conditions[type=Gone]", None) == OBJECT


def test_what_is_not_there_is_made() -> None:
    made = changed("status.conditions[type=Gone].status", "True")["status"]["conditions"][-1]
    assert made == {"type": "Gone", "status": "True"}
    assert changed("status.absent.deeper", 1)["status"]["absent"] == {"deeper": 1}
