from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rules.ruleset import judge
from webhook import canary
from webhook.canary import Canary
from webhook.review import decode


def test_a_server_that_judges_is_well() -> None:
    assert Canary().problem() is None


def raising(*_: object) -> Any:
    raise ZeroDivisionError("whatever it is")


@pytest.mark.parametrize(
    ("judging", "problem"),
    [
        (lambda *_: [], "the canary, a bad write, was allowed"),
        (raising, "the canary could not be judged: ZeroDivisionError"),
    ],
    ids=["everything is allowed", "nothing can be judged"],
)
def test_a_server_that_judges_no_more_is_not(
    monkeypatch: pytest.MonkeyPatch, judging: Callable[..., Any], problem: str
) -> None:
    well = Canary()
    monkeypatch.setattr(canary, "judge", judging)
    assert well.problem() == problem


def test_nor_is_one_that_refuses_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    well = Canary()
    bad = decode(well._bad)
    verdicts = judge(well._rules.concerned(bad.request), bad.write())
    monkeypatch.setattr(canary, "judge", lambda *_: verdicts)
    assert well.problem() == "the canary's good write was refused"
