"""What is said natively means what the evaluator judges: generated rules and writes, judged by a real API server.

Exact: a policy refuses what the evaluator refuses, but for what is listed as lost. Suspect: behind a prefilter the webhook is
called at each write that breaks a rule, and no expression fails.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from decimal import Decimal
from typing import Any, Final

import pytest

from rules.compile import CompiledRule, compile_rule
from rules.native.expression import Expression
from rules.native.prefilter import prefilter
from rules.native.vap import Policy, policy
from rules.ruleset import judge
from tests.oracle import Write
from tests.rules.comparison import compiled
from tests.rules.native.excuses import excused
from tests.rules.native.writes import document

from .api import Answer, Api, Object, done
from .control_plane import ControlPlane
from .drawn import NAMES, Drawn, drawn
from .kept import kept
from .native import (
    BY_NOBODY,
    BY_POLICY,
    BY_WEBHOOK,
    Thing,
    applied,
    constraints,
    define,
    evaluation_errors,
    hook,
    is_whole,
    path,
    was_called,
)

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

DRAWN: Final = 160
"""Rules of each kind that are looked at."""

RULES: Final = 42
"""How many of them are played at least, and how many with a prefilter, where there are so many; some fifty pairs each."""

NEWS: Final = 3
"""How many objects are written over each one that is stored: its own, and those of other pairs."""

PAIRS: Final = 2_000
"""What is played of each kind at least."""

VIOLATIONS: Final = 100
"""How many of them break a rule at least: otherwise nothing was tried. Of what a patch held only the audit log tells."""

WRITERS: Final = 8

_INVARIANT: Final = re.compile(r"invariant (i[0-9]+):")


@pytest.fixture(scope="module", autouse=True)
def defined(admin: Api) -> None:
    define(admin)


@pytest.mark.parametrize("kind", NAMES)
def test_the_api_server_judges_as_the_evaluator_does(kind: str, plane: ControlPlane, admin: Api) -> None:
    prefix = "".join(letter if letter.isalnum() else "-" for letter in kind.lower())
    plays = chosen([Play(f"{prefix}-{number}", each) for number, each in enumerate(drawn(kind, DRAWN))])
    before = evaluation_errors(admin)
    hooks = [hook(each.name, each.plural, each.suspect.text) for each in plays if each.suspect]
    with applied(admin, [each.policy for each in plays], hooks):
        run(plane, plays)
    counts = sum((each.counts for each in plays), Counter[str]())
    print(f"\n{kind}: {dict(sorted(counts.items()))}")  # noqa: T201  what was played, for `pytest -s`
    assert [each for play in plays for each in play.disagreements] == []
    assert evaluation_errors(admin) == before
    assert counts["pairs"] >= PAIRS
    assert counts["prefiltered"] >= PAIRS or kind == "singleManager"
    assert counts["violations"] >= VIOLATIONS or kind == "patch"


def chosen(plays: list[Play]) -> list[Play]:
    """Return the first rules, and of those after them such as have a prefilter until there are enough."""
    first, others = plays[:RULES], [each for each in plays[RULES:] if each.suspect]
    return first + others[: RULES - sum(each.suspect is not None for each in first)]


def run(plane: ControlPlane, plays: list[Play]) -> None:
    """Play all, several at a time."""

    def in_turn(api: Api, some: list[Play]) -> None:
        for each in some:
            each.run(api)

    with ExitStack() as stack:
        clients = [stack.enter_context(closing(kept(plane))) for _ in range(WRITERS)]
        threads = stack.enter_context(ThreadPoolExecutor(WRITERS))
        list(threads.map(in_turn, clients, [plays[number::WRITERS] for number in range(WRITERS)]))


class Play:
    """A rule as the API server has it, what is written, and what became of that."""

    def __init__(self, name: str, drawn: Drawn) -> None:
        self.name = name
        self.drawn = drawn
        self.plural = "wholes" if is_whole(drawn.reads) else "things"
        self.rule: CompiledRule = compile_rule(document(drawn.rule))
        self.policy = self._policy()
        self.left_out = {loss.invariant for loss in self.policy.lost if loss.whole}
        self.suspect: Expression | None = prefilter(self.rule.source.spec).suspect
        self.disagreements: list[Object] = []
        self.counts = Counter[str]()
        self._stored: dict[int, Object] = {}

    def _policy(self) -> Policy:
        asked = document(self.drawn.rule)
        asked["metadata"]["name"] = self.name
        asked["spec"] |= {
            "matchConstraints": constraints(self.plural, self.name),
            "validationActions": ["Deny"],
            "failurePolicy": "Fail",
        }
        return policy(compile_rule(asked).source)

    def run(self, api: Api) -> None:
        """Write each old object, and several new ones over it."""
        pairs = self.drawn.pairs
        for at, (old, _) in enumerate(pairs):
            thing, stored = self._store(api, old)
            for turn in range(NEWS if stored else 0):
                self._write(api, thing, stored, pairs[(at + turn * turn) % len(pairs)][1])

    def _store(self, api: Api, old: Any) -> tuple[Thing, Object]:
        """Return an object as it is stored, of the generation that it shall have; empty if the API server does not take it."""
        generation = min(old["metadata"].get("generation", 1), 4) if self.plural == "things" else 1
        thing = Thing(self.plural, f"{self.name}-{generation}", self.name)
        if generation not in self._stored:
            created = api.create(path(self.plural, BY_NOBODY), thing.body(BY_NOBODY, spec={"size": 1}))
            for size in range(2, generation + 1):
                created = done(api.merge(thing.path(BY_NOBODY), {"spec": {"size": size}}))
            assert created["metadata"]["generation"] == generation
            self._stored[generation] = created
        answer = thing.put(api, BY_NOBODY, self._over(self._stored[generation], old), dry=False)
        if answer.code != 200:
            assert answer.code in (400, 422), answer
            self.counts["not taken"] += 1
            return thing, {}
        self._stored[generation] = answer.body
        return thing, self._stored[generation]

    def _over(self, stored: Object, side: Any) -> Object:
        """Return what a side of a pair says, as an object to write over the stored one."""
        if self.plural == "things":
            return {**_without(stored, "status"), **_part(side, "status")}
        annotations = side["metadata"].get("annotations", {})
        texts = {key: _text(value) for key, value in annotations.items() if value is not None}
        metadata = _without(stored["metadata"], "annotations") | ({"annotations": texts} if texts else {})
        return {
            **_without(stored, "status", "spec"),
            **_part(side, "status"),
            **_part(side, "spec"),
            "metadata": metadata,
        }

    def _write(self, api: Api, thing: Thing, stored: Object, side: Any) -> None:
        body = self._over(stored, side)
        judged = self._as_judged(stored, body)
        by_policy = thing.put(api, BY_POLICY, body, dry=True)
        if by_policy.code == 400 or "is invalid" in str(by_policy.body.get("message", "")):
            self.counts["not taken"] += 1
            return
        expected = self._expected(stored, judged)
        self.counts["pairs"] += 1
        self.counts["violations"] += bool(expected)
        found = _refused(by_policy)
        if not self._agrees(found, expected):
            lost = [loss.what for loss in self.policy.lost if loss.invariant]
            is_lost = any(excused(loss, self.drawn.reads, stored, body) for loss in lost)
            self.counts["excused"] += is_lost
            if not is_lost:
                self._disagree("policy", sorted(found), sorted(expected), stored, judged)
        if not found:
            assert _said(by_policy.body) == _said(judged), "what the webhook sees is not what was judged"
        if self.suspect is None:
            return
        by_webhook = thing.put(api, BY_WEBHOOK, body, dry=True)
        self.counts["prefiltered"] += 1
        self.counts["calls"] += was_called(by_webhook)
        if expected and not was_called(by_webhook):
            self._disagree("prefilter", ["not called"], sorted(expected), stored, judged)

    def _agrees(self, found: set[str], expected: set[str]) -> bool:
        """Tell whether a policy refuses for one of the right reasons: only the first one is said."""
        if found and found <= self.left_out:
            return found <= expected
        return found <= expected and bool(found) == bool(expected - self.left_out)

    def _as_judged(self, stored: Object, body: Object) -> Object:
        """Return an object as the webhook is told of it: numbers written anew, and the generation that it is to have."""
        judged: Object = _written_anew(body)
        before, after = (
            json.dumps(_without(each, "metadata"), default=float, sort_keys=True) for each in (stored, body)
        )
        generation = stored["metadata"]["generation"] + (self.plural == "wholes" and before != after)
        return {**judged, "metadata": {**judged["metadata"], "generation": generation}}

    def _expected(self, old: Object, new: Object) -> set[str]:
        """Return the invariants that the evaluator sees broken, or that it cannot judge."""
        [verdict] = judge([self.rule], compiled(Write(old, new)))
        assert verdict.defect is None
        if verdict.error is not None:
            return {"error"}
        return {violation.invariant for violation in verdict.violations}

    def _disagree(self, what: str, found: list[str], expected: list[str], old: Object, new: Object) -> None:
        sides = {"old": _said(old), "new": _said(new)}
        self.disagreements.append({"by": what, "found": found, "expected": expected, "rule": self.drawn.rule, **sides})


def _without(value: Object, *names: str) -> Object:
    return {name: member for name, member in value.items() if name not in names}


def _part(side: Any, name: str) -> Object:
    return {name: side[name]} if name in side else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=float)


def _refused(answer: Answer) -> set[str]:
    """Return the invariants of which a policy says that they are broken; `error` stands for an expression that failed."""
    if answer.code == 200:
        return set()
    assert answer.code == 422, answer
    said = [cause["message"] for cause in answer.body["details"]["causes"]]
    names = [_INVARIANT.search(each) for each in said if "resulted in error" not in each]
    return {name.group(1) for name in names if name} | ({"error"} if len(names) < len(said) else set())


def _said(found: Object) -> Object:
    """Return what of an object the rules read."""
    metadata = {name: value for name, value in found["metadata"].items() if name in ("annotations", "generation")}
    return {"metadata": metadata, **_part(found, "spec"), **_part(found, "status")}


def _written_anew(value: Any) -> Any:
    """Return a value as it is written to a webhook: an integral double that is not too large has no point."""
    if isinstance(value, dict):
        return {key: _written_anew(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_written_anew(item) for item in value]
    if isinstance(value, Decimal) and value == value.to_integral_value() and abs(value) < 10**21:
        return int(value)
    return value
