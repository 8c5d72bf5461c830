"""Prefilters at their limits: many rules, long lists, hostile objects. No expression fails, and no violation is missed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import pytest
import yaml

from rules.compile import CompiledRule, compile_rule
from rules.native.expression import Expression
from rules.native.limits import MAX_TURNS
from rules.native.prefilter import MAX_COST, MAX_SIZE, prefilter, suspect
from rules.ruleset import judge
from tests.library import LIBRARY
from tests.oracle import Write
from tests.rules.comparison import compiled
from tests.rules.native.writes import document

from .api import Api, Object
from .control_plane import ControlPlane
from .drawn import drawn
from .extreme import HOSTILE, Json, changed, deep, grown, paths_of, places
from .kept import KeptApi, kept
from .native import BY_NOBODY, BY_WEBHOOK, Thing, applied, define, evaluation_errors, hook, path, was_called

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

OF_LIBRARY: Final = 20
DRAWN: Final = 10
LARGEST: Final = 900_000
"""Bytes of an object that etcd takes, with room for a few long texts."""


@dataclass(frozen=True)
class Entry:
    """Rules that share an entry, and its expression."""

    name: str
    rules: tuple[CompiledRule, ...]
    suspect: Expression


class Objects:
    """Writes of objects that one entry judges."""

    def __init__(self, api: KeptApi, entry: Entry, name: str) -> None:
        self._api = api
        self._entry = entry
        self._thing = Thing("wholes", name, entry.name)
        self._stored = api.create(path("wholes", BY_NOBODY), self._thing.body(BY_NOBODY))
        self.written = self.violations = self.calls = 0

    def store(self, content: Json) -> bool:
        """Store an object; False if the API server does not take it."""
        answer = self._thing.put(self._api, BY_NOBODY, self._body(content), dry=False)
        if answer.code == 200:
            self._stored = answer.body
        return answer.code == 200

    def write(self, content: Json) -> None:
        """Write an object over the stored one; the webhook must be called if it breaks a rule, and nothing may fail."""
        body = self._body(content)
        called = was_called(self._thing.put(self._api, BY_WEBHOOK, body, dry=True))
        generation = self._stored["metadata"]["generation"] + 1
        judged = {**body, "metadata": {**body["metadata"], "generation": generation}}
        verdicts = judge(self._entry.rules, compiled(Write(self._stored, judged)))
        is_broken = any(verdict.violations for verdict in verdicts)
        self.written, self.calls, self.violations = self.written + 1, self.calls + called, self.violations + is_broken
        assert called or not is_broken, [violation for verdict in verdicts for violation in verdict.violations]

    def _body(self, content: Json) -> Object:
        kept = {name: member for name, member in self._stored.items() if name not in ("spec", "status")}
        return kept | {name: member for name, member in content.items() if name in ("spec", "status")}


@pytest.fixture(scope="module")
def entries(admin: Api) -> Iterator[list[Entry]]:
    """Thirty rules on one kind: the library's largest, and others that were drawn."""
    define(admin)
    documents = [each for file in LIBRARY.rglob("*.yaml") for each in yaml.safe_load_all(file.read_text())]
    ready_made = [compile_rule(each) for each in documents if each["kind"] == "ClusterStatusRule"]
    others = [compile_rule(document(each.rule)) for each in drawn("three at once", 60)]
    chosen = _largest(ready_made)[:OF_LIBRARY] + _largest(others)[:DRAWN]
    assert len(chosen) == OF_LIBRARY + DRAWN
    found = list(_composed(chosen))
    with applied(admin, [], [hook(each.name, "wholes", each.suspect.text) for each in found]):
        yield found


def _largest(rules: Sequence[CompiledRule]) -> list[CompiledRule]:
    sizes = [(each, prefilter(each.source.spec).suspect) for each in rules]
    return [rule for rule, found in sorted(sizes, key=_size, reverse=True) if found is not None]


def _size(sized: tuple[CompiledRule, Expression | None]) -> int:
    return len(sized[1].text) if sized[1] else 0


def _composed(rules: Sequence[CompiledRule]) -> Iterator[Entry]:
    """Yield entries, each of as many rules as fit."""
    numbers, left = count(), list(rules)
    while left:
        taken = [left.pop(0)]
        for rule in list(left):
            together = suspect(each.source.spec for each in [*taken, rule])
            if len(together.text) <= MAX_SIZE and together.cost <= MAX_COST:
                taken.append(rule)
                left.remove(rule)
        yield Entry(f"entry-{next(numbers)}", tuple(taken), suspect(each.source.spec for each in taken))


@pytest.fixture
def api(plane: ControlPlane) -> Iterator[KeptApi]:
    with closing(kept(plane)) as api:
        yield api


@pytest.fixture(autouse=True)
def nothing_fails(entries: list[Entry], admin: Api) -> Iterator[None]:
    before = evaluation_errors(admin)
    yield
    assert evaluation_errors(admin) == before


@pytest.mark.parametrize("length", [200, MAX_TURNS])
@pytest.mark.parametrize("leaf", [2, "A"])
def test_long_lists(entries: list[Entry], api: KeptApi, length: int, leaf: Any) -> None:
    played = []
    for entry in entries:
        objects = Objects(api, entry, f"{entry.name}-{length}-{leaf}".lower())
        whole = _fitting(entry, length, leaf)
        assert objects.store(whole)
        objects.write(whole)
        for number, place in enumerate(_some(whole, 16)):
            objects.write(changed(whole, place, (..., 1, "B", None)[number % 4]))
        played.append(objects)
    assert_played(played)


def test_a_list_of_five_thousand_items(entries: list[Entry], api: KeptApi) -> None:
    played = []
    for entry in entries:
        objects = Objects(api, entry, f"{entry.name}-thousands")
        whole = _fitting(entry, 5_000, 2)
        assert objects.store(whole)
        for number, place in enumerate(_some(whole, 8)):
            objects.write(changed(whole, place, (..., 1)[number % 2]))
        played.append(objects)
    assert_played(played)


def test_long_texts(entries: list[Entry], api: KeptApi) -> None:
    """All lists are as long as they may be, and some texts have a hundred thousand characters."""
    for entry in entries:
        objects = Objects(api, entry, f"{entry.name}-texts")
        whole = _fitting(entry, MAX_TURNS, "x" * 50)
        everywhere = list(places(whole))
        leaves = [each for each in _some(whole, 40) if not any(other[:-1] == each for other in everywhere)]
        for place in leaves[:4]:
            whole = changed(whole, place, "x" * 100_000)
        assert objects.store(whole)
        objects.write(whole)
        for number, place in enumerate([*leaves[:4], *_some(whole, 6)]):
            objects.write(changed(whole, place, ("x" * 99_999 + "y", ...)[number % 2]))


def test_what_has_no_business_being_there(entries: list[Entry], api: KeptApi) -> None:
    hostile = [*HOSTILE, deep()]
    taken = 0
    played = []
    for entry in entries:
        objects = Objects(api, entry, f"{entry.name}-hostile")
        whole = grown(paths_of(each.source.spec for each in entry.rules), 2, 2)
        found = _some(whole, 2 * len(hostile))
        for turn in range(5):
            # What is large is not stored at every place.
            old = changed(whole, found[turn % len(found)], hostile[(turn * 5 + len(entry.rules)) % len(hostile)])
            taken += objects.store(old)
            for number, value in enumerate(hostile):
                objects.write(changed(whole, found[(number * 3 + turn) % len(found)], value))
        played.append(objects)
    assert taken >= 3 * len(entries)
    assert_played(played)


def assert_played(played: list[Objects]) -> None:
    """Assert that much was written and that it broke rules; say how much."""
    written, violations = sum(each.written for each in played), sum(each.violations for each in played)
    calls = sum(each.calls for each in played)
    print(f"\n{len(played)} entries, {written} writes, {violations} violations, {calls} calls")  # noqa: T201  for -s
    assert violations >= written // 20


def _fitting(entry: Entry, length: int, leaf: Any) -> Json:
    """Return an object with lists of a length, or as long as fits."""
    paths = paths_of(each.source.spec for each in entry.rules)
    while True:
        whole = grown(paths, length, leaf)
        size = len(json.dumps(whole))
        if size <= LARGEST:
            return whole
        assert length > 1
        length = max(1, min(length - 1, length * LARGEST // size))


def _some(whole: Json, most: int) -> list[tuple[str | int, ...]]:
    """Return places below the members of an object, spread over all of it."""
    found = [each for each in places(whole) if each[0] in ("spec", "status") and len(each) > 1]
    return found[:: max(1, len(found) // most)]
