"""Rules as a CRD's own validations, on a real API server: it takes them, and refuses what the evaluator does.

Each rule is set into a version of a kind; writes of that version are judged by it, those of the first version by nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Final

import pytest

from rules.compile import compile_rule
from rules.native.crd_validations import CrdValidations, crd_validations
from tests.oracle import Write
from tests.rules.comparison import compiled, said_by_rules
from tests.rules.native.test_crd_against_evaluator import agrees, as_said, rule_for
from tests.rules.native.typed import GROUP, KINDS_OF_SCHEMAS, definition, fitted, schema
from tests.rules.strategies.kinds import KINDS

from .api import Api, Object, done
from .control_plane import ControlPlane
from .drawn import Drawn, drawn
from .install import apply
from .kept import kept
from .process import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

FREE: Final = "v1"
"""The version that no rule is set into."""

RULES: Final = 16
"""How many rules of each kind are drawn."""

NEWS: Final = 3
"""How many objects are written over each one that is stored."""

PAIRS: Final = 300
"""What is played of each kind at least, but for those of which a schema can say next to nothing."""

WRITERS: Final = 8
DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_INVARIANT: Final = re.compile(r"invariant (i[0-9]+):")
_CANNOT: Final = frozenset({"digest", "singleManager", "patch"})


class Play:
    """A rule in the words of a version of a kind, what is written, and what became of that."""

    def __init__(self, kind: str, plural: str, version: str, schema: Object, drawn: Drawn) -> None:
        self.kind = kind
        self.plural = plural
        self.version = version
        self.schema = schema
        self.drawn = drawn
        rule = compile_rule(rule_for(plural, version, drawn.rule)).source
        self.native: CrdValidations = crd_validations(rule, definition(plural, {version: schema}))
        self.counts = Counter[str]()
        self.disagreements: list[Object] = []

    def run(self, api: Api, quota: int) -> None:
        """Write old objects, and several new ones over each, until there are as many pairs as are wanted."""
        pairs = self.drawn.pairs
        for at, (old, _) in enumerate(pairs):
            if self.counts["pairs"] >= quota:
                return
            stored = self._stored(api, f"{self.version}-{at}", fitted(old, self.schema))
            for turn in range(NEWS):
                self._write(api, stored, fitted(pairs[(at + turn) % len(pairs)][1], self.schema))

    def _stored(self, api: Api, name: str, old: Object) -> Object:
        body = {
            "apiVersion": f"{GROUP}/{FREE}",
            "kind": self.plural.removesuffix("s").title(),
            "metadata": {"name": name},
        }
        created = api.create(self._path(FREE), body | {"spec": old.get("spec", {"size": 1})})
        return done(api.call("PUT", self._path(FREE, name, "status"), _with_status(created, old)))

    def _write(self, api: Api, stored: Object, new: Object) -> None:
        body = _with_status(stored, new) | {"apiVersion": f"{GROUP}/{self.version}"}
        path = self._path(self.version, stored["metadata"]["name"], "status")
        answer = api.call("PUT", path, body, query={"dryRun": "All"})
        assert answer.code in (200, 422), answer
        said = "" if answer.code == 200 else answer.body["message"]
        found = set(_INVARIANT.findall(said))
        assert bool(found) == (answer.code == 422), answer
        write = compiled(Write(stored, body))
        expected = {invariant for invariant, _ in said_by_rules(as_said(self.drawn.rule), write)}
        self.counts["pairs"] += 1
        self.counts["violations"] += bool(expected)
        self.counts["refused"] += bool(found)
        if found != expected:
            self.counts["lost"] += 1
        if not agrees(found, expected, self.native, self.drawn.reads, stored, body):
            rules = [each.as_json() for each in self.native.validations]
            self.disagreements.append({"said": said, "expected": expected, "old": stored, "new": body, "rules": rules})

    def _path(self, version: str, *names: str) -> str:
        return "/".join([f"/apis/{GROUP}/{version}/{self.plural}", *names])


def _with_status(stored: Object, side: Object) -> Object:
    body = {key: value for key, value in stored.items() if key != "status"}
    return body | ({"status": side["status"]} if "status" in side else {})


@pytest.fixture(scope="module")
def plays(admin: Api) -> list[Play]:
    """Rules of all kinds, set into as many versions as there are rules; one kind of object for each kind of schema."""
    of_kinds = {kind: drawn(kind, RULES) for kind in KINDS if kind not in _CANNOT}
    found: list[Play] = []
    for at, of in enumerate(KINDS_OF_SCHEMAS):
        plural, declared = f"{''.join(of)}s", schema(*of)
        schemas = {FREE: declared}
        bare = definition(plural, schemas)
        for kind, rules in of_kinds.items():
            for each in rules[at :: len(KINDS_OF_SCHEMAS)]:
                version = f"v1beta{len(schemas)}"
                play = Play(kind, plural, version, declared, each)
                if play.native.validations and _is_taken(admin, bare, version, play):
                    schemas[version] = declared
                    found.append(play)
        whole = definition(plural, schemas)
        for play in found:
            if play.plural == plural:
                whole = play.native.set_into(whole)
        apply(admin, whole)
    for play in found:
        eventually(lambda play=play: admin.exists(play._path(play.version)))
    return found


def _is_taken(admin: Api, bare: Object, version: str, play: Play) -> bool:
    """Tell whether the API server takes a rule; if not, only because of what it may cost, and then that was said before."""
    trial = definition("trials", {version: bare["spec"]["versions"][0]["schema"]["openAPIV3Schema"]})
    answer = admin.call("POST", DEFINITIONS, play.native.set_into(trial), query={"dryRun": "All"})
    if answer.code == 201:
        return True
    assert "exceeds budget" in answer.body["message"], answer
    assert play.native.costs, answer
    return False


def test_it_refuses_what_the_evaluator_does(plays: list[Play], plane: ControlPlane) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(kept(plane))) for _ in range(WRITERS)]
        threads = stack.enter_context(ThreadPoolExecutor(WRITERS))

        def in_turn(number: int) -> None:
            for play in plays[number::WRITERS]:
                play.run(clients[number], -(-PAIRS // of_kinds[play.kind]))

        of_kinds = Counter(play.kind for play in plays)
        list(threads.map(in_turn, range(WRITERS)))
    counts = {kind: sum((play.counts for play in plays if play.kind == kind), Counter[str]()) for kind in KINDS}
    for kind, counted in counts.items():
        print(f"{kind}: {dict(sorted(counted.items()))}")  # noqa: T201  what was played, for `pytest -s`
    assert [each for play in plays for each in play.disagreements] == []
    for kind, counted in counts.items():
        assert counted["pairs"] >= PAIRS or kind in _CANNOT
        assert counted["violations"] or kind in _CANNOT
