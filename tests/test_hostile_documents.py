"""Rules, suites and files that are wrong in any way: `lint`, `test` and a running server say so, and never crash."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.documents import MAX_BYTES, parse
from webhook.observe.metrics import Metrics
from webhook.rule_service import RuleService

from .command import Ran, statusguard
from .library import LIBRARY
from .widgets import rule

LOCATED = re.compile(r"\S+:[1-9]\d*:[1-9]\d*: ((error|warning): )?\S.*|\d+ rules, \d+ errors, \d+ warnings")
RESULT = re.compile(r"(FAIL \S+:\d+:\d+: |     ).+|\d+ passed, \d+ failed")
NOTHING = re.compile(r"no (rule|suite \(kind: StatusRuleTest\)) found in .+")


def assert_says_where(ran: Ran) -> None:
    """Assert that a command ended with an answer, each line of which has its place."""
    assert ran.code in {0, 1, 2}
    for line in ran.out.splitlines():
        assert LOCATED.fullmatch(line) or RESULT.fullmatch(line), line
    for line in ran.err.splitlines():
        assert LOCATED.fullmatch(line) or NOTHING.fullmatch(line), line
    assert bool(ran.err) == (ran.code == 2)


def data_of(name: str) -> list[Any]:
    return [document.data for document in parse((LIBRARY / name).read_bytes(), name)]


RULES = [each for name in ("cluster-api.yaml", "generic.yaml", "pulumi.yaml") for each in data_of(name)]
SUITES = data_of("pulumi.test.yaml") + data_of("generic.test.yaml")

WORDS = sorted(
    {
        *re.findall(r"[A-Za-z]+(?=:)", "".join(map(str, RULES)).replace("'", "")),
        *("cel", "digest", "stamp", "singleManager", "changeTogether", "patch", "missing", "preserved", "expression"),
        *(
            "when",
            "matchConditions",
            "objectSelector",
            "namespaceSelector",
            "matchLabels",
            "exemptions",
            "denial",
            "any",
        ),
    }
)
TEXTS = (
    st.sampled_from(WORDS)
    | st.sampled_from(
        ["", "*", "status", "status.a", "status..a", "status.a[", "status.a[b]", "status.*", "[*]", "a == b"]
    )
    | st.sampled_from(
        ["Deny", "Skip", "In", "Matches", "(", "(a*)*" * 9, "\x00", "\n", "\u202e", "\U0001f600", "x" * 2000]
    )
    | st.text(max_size=6)
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([2**63, -1, 1.5, 10**400]) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of everything in a value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, member in members for below in places(member, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, documents: list[Any]) -> Any:
    """Return a document after some members were dropped, renamed, exchanged, doubled or added."""
    whole = [deepcopy(draw(st.sampled_from(documents)))]
    for _ in range(draw(st.integers(1, 3))):
        found = [path for path in places(whole) if path and path != (0,)]
        if not found:
            break
        *above, key = draw(st.sampled_from(found))
        parent: Any = whole
        for step in above:
            parent = parent[step]
        change = draw(st.sampled_from(["drop", "rename", "exchange", "double", "add"]))
        if change == "drop":
            del parent[key]
        elif change == "exchange":
            parent[key] = draw(VALUES)
        elif isinstance(parent, list):
            parent.insert(int(key), deepcopy(parent[int(key)]) if change == "double" else draw(VALUES))
        elif change == "add":
            parent[draw(TEXTS)] = draw(VALUES)
        else:
            value = deepcopy(parent[key]) if change == "double" else parent.pop(key)
            parent[draw(TEXTS)] = value
    return whole[0]


def as_json(document: Any) -> str:
    return json.dumps(document, default=lambda value: int(value) if isinstance(value, Decimal) else str(value))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for file in LIBRARY.glob("*.yaml"):
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


@given(document=mutated(RULES))
def test_lint_finds_the_place_of_what_is_wrong_with_a_rule(folder: Path, document: Any) -> None:
    file = folder / "rule.json"
    file.write_text(as_json(document))
    assert_says_where(statusguard("lint", file))


@given(document=mutated(SUITES), rules=st.none() | mutated(RULES))
def test_a_suite_is_run_or_said_to_be_unusable(folder: Path, document: Any, rules: Any) -> None:
    file = folder / "suite.json"
    if rules is not None and isinstance(document, dict):
        document = {**document, "rules": [rules]}
    file.write_text(as_json(document))
    assert_says_where(statusguard("test", file))


@given(document=mutated(RULES))
def test_a_server_keeps_the_last_good_rules(folder: Path, document: Any) -> None:
    served = folder / "served"
    served.mkdir(exist_ok=True)
    (served / "good.yaml").write_text(rule("good"))
    file = served / "changing.json"
    before = next(each for each in RULES if each["kind"] == "ClusterStatusRule")
    file.write_text(as_json(before))
    service = RuleService([served], None, Metrics())
    service.load()
    if isinstance(document, dict):
        document = {**document, "kind": before["kind"], "metadata": before["metadata"]}
    file.write_text(as_json(document))
    service.load()
    titles = {each.title for each in service.rules.rules}
    assert "good" in titles
    assert (before["metadata"]["name"] in titles) == isinstance(document, dict)


LIBRARY_TEXT = (LIBRARY / "generic.yaml").read_bytes()
NOISE = [
    b"\xff",
    b"\x00",
    b"\xc3\x28",
    b"\t",
    b"\n---\n",
    b"{",
    b"]",
    b"&a ",
    b"*a ",
    b"!!int ",
    b": ",
    b"\xe2\x80\xae",
    b"'",
    b'"',
    b"|",
    b"%",
]


@given(
    st.lists(
        st.tuples(st.integers(0, len(LIBRARY_TEXT)), st.integers(0, 40), st.sampled_from(NOISE) | st.binary()),
        max_size=4,
    )
)
def test_a_damaged_file(folder: Path, damages: list[tuple[int, int, bytes]]) -> None:
    content = bytearray(LIBRARY_TEXT)
    for start, length, noise in damages:
        content[start : start + length] = noise
    file = folder / "damaged.yaml"
    file.write_bytes(content)
    assert_says_where(statusguard("lint", file))
    assert_says_where(statusguard("test", file))


HOSTILE = {
    "bomb.yaml": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(
        b"%c: &%c [%b]\n" % (name, name, b",".join([b"*%c" % (name - 1)] * 9)) for name in range(ord("b"), ord("k"))
    ),
    "self.yaml": b"kind: ClusterStatusRule\nspec: &a {x: *a}\n",
    "selves.yaml": b"&a [*a, &b {c: *b}]\n",
    "deep.yaml": b"[" * 1000 + b"]" * 1000,
    "indented.yaml": b"".join(b" " * depth + b"a:\n" for depth in range(1000)),
    "deep.json": b'{"kind":' * 100_000,
    "dashes.yaml": b"- " * 5000,
    "documents.yaml": b"---\n" * 10_000,
    "directives.yaml": b"%TAG !a! !b\n" * 1000 + b"---\na: 1\n",
    "scalar.yaml": b"kind: ClusterStatusRule\nmetadata: {name: " + b"x" * 1_000_000 + b"}\n",
    "digits.yaml": b"kind: ClusterStatusRule\nspec: " + b"9" * 100_000,
    "digits.json": b'{"kind": "StatusRule", "spec": ' + b"9" * 100_000 + b"}",
    "exponent.json": b'{"kind": "StatusRule", "spec": 1e999999999}',
    "keys.json": b"{" + b",".join(b'"%d":1' % number for number in range(10_000)) + b"}",
    "twice.yaml": b"kind: StatusRule\nkind: StatusRule\n",
    "utf16.yaml": "kind: ClusterStatusRule\n".encode("utf-16"),
    "utf32.yaml": "kind: ClusterStatusRule\n".encode("utf-32"),
    "latin1.yaml": "kind: ClusterStatusRule\nname: ü\n".encode("latin-1"),
    "bom.json": "\ufeff".encode() + b"{}",
    "surrogate.json": rb'{"kind": "ClusterStatusRule", "\ud800": 1}',
    "surrogate.yaml": b'kind: ClusterStatusRule\n"\\uD800": 1\n',
    "nul.yaml": b"kind: ClusterStatusRule\x00\n",
    "escapes.yaml": b'kind: ClusterStatusRule\n"\\e[2J\\n\\u202e": 1\n',
    "tabs.yaml": b"kind: ClusterStatusRule\n\tspec: 1\n",
    "merge.yaml": b"kind: ClusterStatusRule\nspec: {<<: {a: 1}}\n",
    "tag.yaml": b"!!python/object/apply:os.system ['true']\n",
    "large.yaml": b"#" * (MAX_BYTES + 1),
    "empty.yaml": b"",
    "list.yaml": b"- kind: ClusterStatusRule\n",
    "kind.yaml": b"kind: [StatusRule]\n",
    "only-kind.yaml": b"kind: StatusRule\n",
    "only-kind.json": b'{"kind": "StatusRuleTest"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(HOSTILE[name])
    for command in ("lint", "test"):
        ran = statusguard(command, file)
        assert_says_where(ran)
        assert ran.code in {1, 2}
    service = RuleService([tmp_path], None, Metrics())
    (tmp_path / "good.yaml").write_text(rule("good"))
    assert service.load()
    assert [each.title for each in service.rules.rules] == ["good"]


def test_a_suite_of_hostile_documents_is_said_to_be_unusable(tmp_path: Path) -> None:
    for name, content in HOSTILE.items():
        (tmp_path / name).write_bytes(content)
    suite = tmp_path / "suite.yaml"
    for name in HOSTILE:
        suite.write_text(
            "apiVersion: statusguard.dev/v1alpha1\nkind: StatusRuleTest\nmetadata: {name: s}\n"
            f"rules: [{name}]\ncases: [{{name: c, object: {{}}, expect: {{}}}}]\n"
        )
        assert_says_where(statusguard("test", suite))


def test_all_hostile_files_together_leave_a_server_its_good_rule(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(rule("good"))
    for name, content in HOSTILE.items():
        (tmp_path / name).write_bytes(content)
    service = RuleService([tmp_path], None, Metrics())
    assert service.load()
    assert [each.title for each in service.rules.rules] == ["good"]
    assert not service.load()
