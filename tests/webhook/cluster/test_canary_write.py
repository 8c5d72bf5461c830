"""The canary's dry-run, over an API server that asks us, does not, or cannot be reached. In virtual time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

from rules.ruleset import judge
from tests.webhook.running import LogCapture
from webhook.cluster.canary_write import ENTRY, MANAGER, PATIENCE, PERIOD, RULES, CanaryWrite, match_conditions
from webhook.cluster.errors import ApiError, UnreachableError
from webhook.review import decode

from .virtual_time import run

RULE = {"metadata": {"name": "r", "generation": 3}}
REFUSED = ApiError(
    409, "Conflict", f'admission webhook "canary" denied the request: rule {MANAGER}, invariant generation'
)
PASSED = "a known bad write passed: the API server does not ask us, or its prefilter misses it"
Answer = Exception | None


class Server:
    """Answers each write with the next of some answers, the last one for ever."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.writes: list[tuple[str, Any, str, bool]] = []

    async def merge(self, path: str, body: Any, *, manager: str, dry_run: bool) -> Any:
        self.writes.append((path, body, manager, dry_run))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer is not None:
            raise answer
        return {}


async def after(server: Server, seconds: float, rules: Callable[[], Any] = lambda: RULE) -> float:
    canary = CanaryWrite(server, rules)  # type: ignore[arg-type]
    task = asyncio.create_task(canary.run())
    await asyncio.sleep(seconds)
    found = canary.refused
    task.cancel()
    await asyncio.wait([task])
    assert math.isnan(canary.refused), "who does not lead knows nothing"
    return found


def test_it_is_a_dry_run_that_is_ahead_of_the_generation() -> None:
    server = Server(REFUSED)
    assert run(after(server, 1)) == 1
    ((path, body, manager, dry_run),) = server.writes
    assert path == "/apis/statusguard.dev/v1alpha1/clusterstatusrules/r/status"
    assert body == {"status": {"observedGeneration": 1_003}}
    assert (manager, dry_run) == (MANAGER, True)


def test_it_is_sent_now_and_then() -> None:
    server = Server(REFUSED)
    run(after(server, 10 * PERIOD + 1))
    assert len(server.writes) == 11


def test_what_passes_is_said_once_it_passed_several_times(log: LogCapture) -> None:
    server = Server(None)
    assert run(after(server, PERIOD / 2)) == 0
    assert len(server.writes) == PATIENCE
    assert [event["level"] for event in log.named(PASSED)] == ["error"]


def test_a_configuration_that_is_not_in_force_yet_is_waited_for(log: LogCapture) -> None:
    assert run(after(Server(None, REFUSED), PERIOD / 2)) == 1
    assert log.named(PASSED) == []


@pytest.mark.parametrize(
    "answer",
    [
        UnreachableError("connection reset"),
        ApiError(403, "Forbidden", "may not"),
        ApiError(404, "NotFound", "no such rule"),
        ApiError(409, "Conflict", "somebody else denied the request"),
    ],
)
def test_what_says_nothing_is_not_taken_for_an_answer(answer: Exception) -> None:
    assert math.isnan(run(after(Server(answer), 1)))


def test_without_a_rule_nothing_is_written() -> None:
    server = Server(REFUSED)
    assert math.isnan(run(after(server, 1, lambda: None)))
    assert server.writes == []


def test_what_arrives_is_refused() -> None:
    review = decode(
        b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"UPDATE",'
        b'"resource":{"group":"statusguard.dev","version":"v1alpha1","resource":"clusterstatusrules"},'
        b'"subResource":"status","dryRun":true,'
        b'"oldObject":{"metadata":{"generation":3},"status":{"observedGeneration":3}},'
        b'"object":{"metadata":{"generation":3},"status":{"observedGeneration":1003}}}}'
    )
    (verdict,) = judge(RULES.concerned(review.request), review.write())
    assert [violation.rule for violation in verdict.violations] == [MANAGER]


def test_its_entry_is_for_its_own_writes_only() -> None:
    own, suspect = match_conditions()
    assert MANAGER in own["expression"]
    assert "request.dryRun" in own["expression"]
    assert "observedGeneration" in suspect["expression"]
    assert ENTRY == "canary"
