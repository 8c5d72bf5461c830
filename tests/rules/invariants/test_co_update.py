from __future__ import annotations

import hashlib
from typing import Any

import pytest

from rules.invariants.co_update import CoUpdate
from tests.rules.judging import broken, rule, snippet, verdict, violations, write

FIELDS = "fields: [status.a, status.b]"
A, B = ["status.a"], ["status.b"]


def judged(evidence: str, old: str | None, new: str, **request: Any) -> list[str]:
    before = None if old is None else f"status: {old}"
    return broken(f"coUpdate: {{{FIELDS}, {evidence}}}", before, f"status: {new}", **request)


IDENTITY = "identity: ['status.a == status.b + status.c']"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("{a: 3, b: 2, c: 1}", "{a: 4, b: 3, c: 1}", [], id="every honest tuple satisfies it"),
        pytest.param("{a: 3, b: 2, c: 1}", "{a: 4, b: 2, c: 1}", A, id="a partial write"),
        pytest.param("{a: 3, b: 2, c: 1}", "{a: 3, b: 3, c: 1}", B, id="the first member that changed"),
        pytest.param("{a: 3, b: 2, c: 1}", "{a: 3, b: 2, c: 2}", A, id="no member changed: the first"),
        pytest.param("{a: 4, b: 2, c: 1}", "{a: 4, b: 2, c: 1, d: 1}", [], id="a fault from before"),
        pytest.param("{}", "{a: 4, b: 2}", [], id="missing: Skip"),
        pytest.param(None, "{a: 4, b: 2, c: 1}", A, id="created"),
    ],
)
def test_identity(old: str | None, new: str, expected: list[str]) -> None:
    assert judged(IDENTITY, old, new) == expected


def test_identity_with_missing_zero() -> None:
    assert judged(f"{IDENTITY}, missing: Zero", "{}", "{a: 4, b: 2}") == A


def summed(status: str, members: str, length: int = 64) -> str:
    """Return a status with the digest of a canonical JSON array."""
    return f"{{{status}, sum: '{hashlib.sha256(members.encode()).hexdigest()[:length]}'}}"


DIGEST = "digest: status.sum"
ONE_X = summed("a: 1, b: x", '[1,"x"]')


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("{}", ONE_X, [], id="fits"),
        pytest.param("{}", summed("a: 1.0, b: x", '[1,"x"]', 8), [], id="at least its first 8 digits"),
        pytest.param("{}", summed("a: 1, b: x", '[1,"x"]', 7), A, id="fewer digits"),
        pytest.param("{}", ONE_X[:-66] + ONE_X[-66:].upper(), A, id="upper case"),
        pytest.param("{}", ONE_X.replace("'}", "0'}"), A, id="more digits"),
        pytest.param("{}", summed("a: 1", "[1,null]"), [], id="null where absent"),
        pytest.param(
            "{}", summed("a: {z: null, y: [2.50], x: 1}, b: true", '[{"x":1,"y":[2.5]},true]'), [], id="canonical JSON"
        ),
        pytest.param("{}", "{a: 1, b: x, sum: ''}", A, id="an empty digest"),
        pytest.param(ONE_X, "{a: 1, b: x}", A, id="the digest disappears"),
        pytest.param(ONE_X, "{a: 1, b: x, sum: 3}", A, id="no digest any more"),
        pytest.param("{a: 1}", "{a: 2}", [], id="absent on both sides: no evidence"),
        pytest.param("{a: 1, b: x, sum: no}", "{a: 1, b: x, sum: no, c: 1}", [], id="a fault from before"),
        pytest.param(ONE_X, ONE_X.replace("b: x", "b: y"), B, id="a partial write"),
        pytest.param(None, ONE_X, [], id="created"),
        pytest.param(None, ONE_X.replace("a: 1", "a: 2"), A, id="created torn"),
        pytest.param(None, "{a: 2, b: x}", [], id="created without"),
    ],
)
def test_digest(old: str | None, new: str, expected: list[str]) -> None:
    assert judged(DIGEST, old, new) == expected


STAMP = "stamp: status.at"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("{a: 1, at: x}", "{a: 2, at: y}", [], id="changes with a member"),
        pytest.param("{a: 1, b: 1, at: x}", "{a: 1, b: 2, at: x}", B, id="does not change"),
        pytest.param("{a: 1, at: x}", "{a: 1, at: y}", [], id="may change alone"),
        pytest.param("{a: 1}", "{a: 2}", A, id="absent and still absent"),
        pytest.param("{a: 1, at: x}", "{a: 2}", [], id="disappears, which is a change"),
        pytest.param(None, "{a: 2}", [], id="created"),
    ],
)
def test_stamp(old: str | None, new: str, expected: list[str]) -> None:
    assert judged(STAMP, old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("{a: 1, b: 1}", "{a: 2, b: 2}", [], id="all change"),
        pytest.param("{a: 1, b: 1}", "{a: 1, b: 2}", B, id="one changes"),
        pytest.param("{a: 1}", "{a: 2}", A, id="an absent member does not change"),
        pytest.param("{a: 1, b: 1}", "{}", [], id="all disappear"),
        pytest.param("{a: 1, b: 1, c: 1}", "{a: 1, b: 1, c: 2}", [], id="none changes"),
        pytest.param(None, "{a: 1}", [], id="created"),
    ],
)
def test_change_together(old: str | None, new: str, expected: list[str]) -> None:
    assert judged("changeTogether: true", old, new) == expected


def managed(*entries: str) -> str:
    """Return an object; each entry is a manager with the fields of the status that it owns, or `{}` for all of it."""
    fields = ", ".join(
        f"{{apiVersion: {version}, manager: {name}, fieldsV1: {{f:status: {owned}}}}}"
        for name, version, owned in (entry.split(" ", 2) for entry in entries)
    )
    return f"{{apiVersion: g/v1, metadata: {{managedFields: [{fields}]}}, status: {{a: 1, b: 1}}}}"


BEFORE = "{apiVersion: g/v1, status: {a: 1}}"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(managed("x g/v1 {f:a: {}, f:b: {}}"), [], id="one manager"),
        pytest.param(managed("x g/v1 {f:a: {}}", "y g/v1 {f:b: {}}"), B, id="two managers"),
        pytest.param(managed("x g/v1 {f:a: {}}", "x g/v1 {f:b: {}}"), [], id="its entries are taken together"),
        pytest.param(
            managed("x g/v1 {f:a: {}, f:b: {}}", "y g/v1 {f:b: {}}"), [], id="a second owner of one does no harm"
        ),
        pytest.param(managed("x g/v1 {}", "y g/v1 {f:b: {}}"), [], id="an owner of a parent owns what is below"),
        pytest.param(
            managed("x g/v1 {f:a: {}}", "y g/v2 {f:b: {}}"), B, id="entries of another apiVersion do not count"
        ),
        pytest.param(managed("x g/v2 {f:a: {}}", "y g/v2 {f:b: {}}"), [], id="no entries: not judged"),
        pytest.param(managed("x g/v1 {f:c: {}}"), [], id="no entry owns a member: not judged"),
        pytest.param(managed("x g/v1 {f:a: {}}").replace(", b: 1", ""), [], id="only members that are present"),
    ],
)
def test_single_manager(new: str, expected: list[str]) -> None:
    assert broken(f"coUpdate: {{{FIELDS}, singleManager: true}}", BEFORE, new) == expected
    assert broken(f"coUpdate: {{{FIELDS}, singleManager: true}}", None, new) == []


def test_single_manager_is_judged_again_when_a_member_changes_hands() -> None:
    invariant = f"coUpdate: {{{FIELDS}, singleManager: true}}"
    one, two = managed("x g/v1 {f:a: {}, f:b: {}}"), managed("x g/v1 {f:a: {}}", "y g/v1 {f:b: {}}")
    assert broken(invariant, one, two) == A
    assert broken(invariant, two, two.replace("status: {", "status: {c: 1, ")) == []


OLD, NEW = "{a: 1, b: 1}", "{a: 2, b: 1}"


@pytest.mark.parametrize(
    ("patch", "full_or_locked", "full"),
    [
        pytest.param("{status: {a: 2, b: 1}}", [], [], id="holds all"),
        pytest.param("{status: {a: 2}}", A, A, id="holds one"),
        pytest.param("{metadata: {resourceVersion: '7'}, status: {a: 2}}", [], A, id="holds one, locked"),
        pytest.param("{metadata: {}}", [], [], id="holds none"),
        pytest.param("[{op: replace, path: /status/a, value: 2}]", A, A, id="JSON patch"),
        pytest.param(
            "[{op: test, path: /metadata/resourceVersion, value: '7'}, {op: replace, path: /status/a, value: 2}]",
            [],
            A,
            id="JSON patch, locked",
        ),
        pytest.param("{status: null}", [], [], id="the whole status"),
    ],
)
def test_patch(patch: str, full_or_locked: list[str], full: list[str]) -> None:
    for mode, expected in (("FullOrLocked", full_or_locked), ("Full", full)):
        assert judged(f"patch: {mode}", OLD, NEW, patch=snippet(patch)) == expected


def test_patch_is_judged_only_if_a_member_changed() -> None:
    assert judged("patch: Full", OLD, "{a: 1, b: 1, c: 1}", patch={"status": {"a": 1}}) == []


def test_patch_is_judged_only_where_the_body_is_seen() -> None:
    assert judged("patch: Full", OLD, NEW) == []


def test_a_member_whose_item_is_gone_did_not_change() -> None:
    fields = "fields: ['status.c[k=x].n', 'status.c[k=y].n'], stamp: status.at, changeTogether: true"
    old = "status: {at: 1, c: [{k: x, n: 1}, {k: y, n: 1}]}"
    assert broken(f"coUpdate: {{{fields}}}", old, "status: {at: 1, c: [{k: x, n: 1}]}") == []
    assert broken(f"coUpdate: {{{fields}}}", old, "status: {at: 1}") == []
    assert broken(f"coUpdate: {{{fields}}}", old, "status: {at: 1, c: [{k: x, n: 2}]}") == ["status.c[k=x].n"]


def test_one_violation_names_all_failed_evidence() -> None:
    evidence = f"{IDENTITY}, {DIGEST}, {STAMP}, changeTogether: true, patch: Full"
    (violation,) = violations(
        "status: {a: 3, b: 2, c: 1, sum: x, at: x}",
        "status: {a: 4, b: 2, c: 1, sum: x, at: x}",
        f"coUpdate: {{{FIELDS}, {evidence}}}",
        patch={"status": {"a": 4}},
    )
    finding = violation.finding
    assert (finding.field, finding.old, finding.new) == ("status.a", 3, 4)
    assert finding.problem == (
        "was not written with its group: it breaks status.a == status.b + status.c; it does not fit the digest in "
        "status.sum; it changed, but status.at did not; it changed, but status.b did not; "
        "it came in a patch that left out status.b"
    )
    assert finding.values == (("status.a", 4), ("status.b", 2), ("status.c", 1))
    assert violation.cured_by_waiting


def test_what_several_owners_and_an_unlocked_patch_are_called() -> None:
    new = managed("x g/v1 {f:a: {}}", "y g/v1 {f:b: {}}")
    (violation,) = violations(BEFORE, new, f"coUpdate: {{{FIELDS}, singleManager: true}}", patch={"status": {"b": 1}})
    assert violation.finding.problem == (
        "was not written with its group: it has several owners: status.a by x, status.b by y; "
        "it came in a patch that left out status.a and carried no resourceVersion"
    )


def test_a_member_that_nobody_owns_is_said() -> None:
    (violation,) = violations(BEFORE, managed("x g/v1 {f:b: {}}"), f"coUpdate: {{{FIELDS}, singleManager: true}}")
    assert "status.a by nobody, status.b by x" in violation.finding.problem


def test_a_group_too_deep_for_its_digest_is_not_judged() -> None:
    to_judge = write("{}", "status: {sum: '00000000'}")
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    to_judge.new["status"]["a"] = deep
    found = verdict(rule(f"coUpdate: {{{FIELDS}, {DIGEST}}}"), to_judge)
    assert (found.error, found.unreadable) == ("the object is nested too deeply to be judged", True)


@pytest.mark.parametrize(
    ("evidence", "codes"),
    [
        ("", ["no-admission-evidence"]),
        ("patch: Full", ["no-admission-evidence"]),
        (IDENTITY, []),
        (DIGEST, []),
        (STAMP, []),
        ("changeTogether: true", ["change-together"]),
        ("singleManager: true", ["single-manager"]),
    ],
)
def test_what_the_evidence_cannot_see_is_warned_of(evidence: str, codes: list[str]) -> None:
    found = list(CoUpdate.model_validate(snippet(f"{{{FIELDS}, {evidence}}}")).warnings())
    assert [problem.code for problem in found] == codes
    assert all(problem.severity == "warning" for problem in found)
