"""Rules as a CRD's own validations, on a real API server: it takes them, and refuses what the evaluator does.

Each rule is set into a version of a kind; writes of that version are judged by it, those of the first version by nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from typing import Final

import pytest

from rules.compile import compile_rule
from rules.native.crd_validations import CrdValidations, crd_validations
from tests.command import statusguard
from tests.oracle import Write
from tests.rules.comparison import compiled, said_by_rules
from tests.rules.native.machines import CRD, RULE, data
from tests.rules.native.test_crd_against_evaluator import agrees, as_said, rule_for
from tests.rules.native.typed import GROUP, KINDS_OF_SCHEMAS, definition, fitted, schema
from tests.rules.strategies.kinds import KINDS

from .api import Answer, Api, Object, done
from .control_plane import ControlPlane
from .drawn import Drawn, drawn
from .install import apply
from .kept import kept
from .process import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

FREE: Final = "v1"
"""The version that no rule is set into."""

RULES: Final = 12
"""How many rules of each kind are drawn."""

NEWS: Final = 5
"""How many objects are written over each one that is stored."""

PAIRS: Final = 300
"""What is played of each kind at least, but for those of which a schema can say next to nothing."""

WRITERS: Final = 8
DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_INVARIANT: Final = re.compile(r"invariant (i[0-9]+):")
_MACHINES: Final = re.compile(r"rule machines, invariant ([a-z]+):")
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
        created = api.create(self.path(FREE), body | {"spec": old.get("spec", {"size": 1})})
        return done(api.call("PUT", self.path(FREE, name, "status"), _with_status(created, old)))

    def _write(self, api: Api, stored: Object, new: Object) -> None:
        body = _with_status(stored, new) | {"apiVersion": f"{GROUP}/{self.version}"}
        path = self.path(self.version, stored["metadata"]["name"], "status")
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

    def path(self, version: str, *names: str) -> str:
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
        eventually(partial(admin.exists, play.path(play.version)))
    return found


def _is_taken(admin: Api, bare: Object, version: str, play: Play) -> bool:
    """Tell whether the API server takes a rule: any that is not said to be refused perhaps, because of what it may cost."""
    if not play.native.costs:
        return True
    trial = definition("trials", {version: bare["spec"]["versions"][0]["schema"]["openAPIV3Schema"]})
    answer = admin.call("POST", DEFINITIONS, play.native.set_into(trial), query={"dryRun": "All"})
    if answer.code == 201:
        return True
    assert "exceeds budget" in answer.body["message"], answer
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


HONEST: Final[Object] = {
    "observedGeneration": 1,
    "phase": "Running",
    "address": "10.0.0.1",
    "replicas": 3,
    "readyReplicas": 2,
    "digest": "a",
    "holds": {"x": "1"},
    "pools": [{"name": "a", "replicas": 3}],
    "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
}
MOVED: Final = [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T00:00:00Z"}]
WRITES: Final[list[tuple[Object, str]]] = [
    ({}, ""),
    ({"observedGeneration": 2, "digest": "b", "readyReplicas": 3}, ""),
    ({"observedGeneration": None}, "generation"),
    ({"readyReplicas": 4, "digest": "b"}, "counters"),
    ({"readyReplicas": 1}, "group"),
    ({"pools": [{"name": "a", "replicas": 2}]}, "pools"),
    ({"address": "10.0.0.2"}, "address"),
    ({"holds": {}}, "holds"),
    ({"holds": None}, "holds"),
    ({"phase": "Pending"}, "phases"),
    ({"conditions": MOVED}, "conditions"),
    ({"conditions": []}, "ready"),
]
"""What is changed of an honest status, and the invariant that this breaks."""


@pytest.fixture(scope="module")
def machines(admin: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine, of a CRD as it is exported."""
    folder = tmp_path_factory.mktemp("machines")
    (folder / "crd.yaml").write_text(CRD)
    (folder / "rule.yaml").write_text(RULE)
    ran = statusguard("export", "crd-validations", folder / "rule.yaml", "--crd", folder / "crd.yaml")
    apply(admin, data(ran.out))
    collection = "/apis/example.test/v1/namespaces/default/machines"
    eventually(lambda: admin.exists(collection))
    body = {"apiVersion": "example.test/v1", "kind": "Machine", "metadata": {"name": "m"}, "spec": {"replicas": 3}}
    yield Machine(admin, f"{collection}/m", admin.create(collection, body))
    admin.delete(f"{DEFINITIONS}/machines.example.test")


class Machine:
    """The machine, and what is written of it."""

    def __init__(self, api: Api, path: str, stored: Object) -> None:
        self._api = api
        self._path = path
        self._stored = stored

    def put(self, status: Object | None, *, dry: bool = True) -> Answer:
        """Write a status, None for no status at all."""
        body = _with_status(self._stored, {} if status is None else {"status": status})
        answer = self._api.call("PUT", f"{self._path}/status", body, query={"dryRun": "All"} if dry else None)
        self._stored = answer.body if answer.code == 200 and not dry else self._stored
        return answer


def test_a_state_may_not_start_anywhere(machines: Machine) -> None:
    answer = machines.put(HONEST)
    assert answer.refusal == (422, "Invalid")
    assert answer.body["message"] == (
        'Machine.example.test "m" is invalid: status.phase: Invalid value: statusguard: rule machines, invariant phases: '
        "status.phase starts as Pending. status.phase moves only from Pending to Running, or from Running to Done or Failed. "
        "status.phase, once Done, stays as it is."
    )


def test_the_exported_crd_refuses_what_it_should(machines: Machine) -> None:
    for phase in ("Pending", "Running"):
        done(machines.put(HONEST | {"phase": phase}, dry=False))
    for changes, broken in WRITES:
        answer = machines.put({key: value for key, value in (HONEST | changes).items() if value is not None})
        assert answer.code == (422 if broken else 200), (changes, answer)
        assert set(_MACHINES.findall(str(answer.body))) == ({broken} if broken else set()), (changes, answer)
    assert "It was 10.0.0.1 and is 10.0.0.2." in machines.put(HONEST | {"address": "10.0.0.2"}).body["message"]
    gone = set(_MACHINES.findall(str(machines.put(None).body)))
    assert gone >= {"generation", "address", "holds", "phases"}
