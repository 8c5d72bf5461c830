"""Rules taken home as native policy: without any webhook the API server refuses what their suites say is broken."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
import yaml

from rules.compile import compile_rule
from rules.documents import parse
from rules.native.vap import policy
from tests.command import statusguard
from tests.golden import DATA
from tests.library import LIBRARY

from .api import APPLY, MERGE, Api, done
from .control_plane import ADMIN, ControlPlane
from .install import PATHS, apply
from .process import eventually
from .programs import program
from .rules import rule
from .suites import NAMESPACE, Played, cases, definitions
from .widgets import Widgets

pytestmark = pytest.mark.e2e

FILES: Final = ("cluster-api", "pulumi")
"""The three systems: the Machines that are updated in place are Cluster API's."""

CASES: Final = tuple(cases(*FILES))
BROKEN: Final = [each for each in CASES if each.broken and not each.is_going]
SOON: Final = 15.0
"""Seconds within which a policy is effective, on a machine that may be busy; measured is one."""

FINE: Final = [each for each in CASES if not each.broken or each.is_going]


def exported() -> list[dict[str, Any]]:
    """Return what the command prints: policies and bindings that refuse."""
    paths = [LIBRARY / f"{name}.yaml" for name in FILES]
    ran = statusguard("export", "vap", *paths, "--action", "Deny")
    assert ran.code == 0, ran.err
    return list(yaml.safe_load_all(ran.out))


@pytest.fixture(scope="module")
def policies(admin: Api) -> Iterator[Api]:
    """An API server that has the kinds, an object for each case, and then the policies; they are gone afterwards."""
    apply(admin, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    for definition in definitions(list(CASES)):
        apply(admin, definition)
    eventually(lambda: all(admin.exists(each.path().rpartition("/")[0]) for each in CASES))
    in_parallel(lambda each: each.prepare(admin), list(CASES))
    documents = exported()
    for document in documents:
        apply(admin, document)
    yield admin
    for document in documents:
        admin.delete(f"{PATHS[document['kind']]}/{document['metadata']['name']}")


def in_parallel(do: Callable[[Played], object], played: list[Played]) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(do, played))


def refuses(api: Api, each: Played) -> bool:
    """Tell whether a write is refused by a rule that it breaks, with a message that says so."""
    answer = each.write(api)
    if answer.code == 200:
        return False
    assert answer.refusal == (422, "Invalid")
    named = [f"statusguard: rule {rule}, invariant {invariant}: " for rule, invariant in each.broken]
    assert any(name in answer.body["message"] for name in named), answer.body["message"]
    return True


def test_nothing_is_lost_but_details() -> None:
    lost = statusguard("export", "vap", *(LIBRARY / f"{name}.yaml" for name in FILES)).err
    assert "left out" not in lost


@pytest.mark.slow
def test_what_the_suites_say_is_broken_is_refused_and_nothing_else(policies: Api) -> None:
    assert len(FINE) > 80
    # Of every policy something is refused, so that it is known to be effective when the other writes pass.
    assert {rule for each in BROKEN for rule, _ in each.broken} == {each["metadata"]["name"] for each in exported()}
    unexpected: list[tuple[str, str, str]] = []

    def is_refused(each: Played) -> None:
        try:
            # The API server takes up policies one by one.
            eventually(lambda: refuses(policies, each), SOON)
        except AssertionError as error:
            unexpected.append((each.suite, each.case.name, f"{error}"))

    def passes(each: Played) -> None:
        answer = each.write(policies)
        if answer.code != 200:
            unexpected.append((each.suite, each.case.name, answer.body["message"]))

    in_parallel(is_refused, BROKEN)
    in_parallel(passes, FINE)
    assert not unexpected, "\n".join(map(str, unexpected))


@pytest.mark.slow
def test_kubectl_shows_the_message(policies: Api, plane: ControlPlane) -> None:
    stale = next(each for each in BROKEN if ("pulumi-stack", "observed-generation") in each.broken)
    eventually(lambda: refuses(policies, stale))
    patch = yaml.safe_dump({"status": stale.new["status"]})
    words: list[str | Path] = [program("kubectl"), "--kubeconfig", plane.kubeconfig(ADMIN), "-n", NAMESPACE, "patch"]
    words += [f"{stale.resource.resource}.{stale.resource.group}", stale.name, "--subresource=status", "--type=merge"]
    ran = subprocess.run([*words, "--patch", patch], check=False, capture_output=True, text=True)
    assert ran.returncode == 1
    said = "denied request: statusguard: rule pulumi-stack, invariant observed-generation: status.observedGeneration never goes"
    assert said in ran.stderr
    assert "Here status.observedGeneration was 2 and is 1." in ran.stderr


Exports: TypeAlias = Callable[..., None]


@pytest.fixture
def exports(admin: Api, widgets: Widgets) -> Iterator[Exports]:
    """Export a rule about the widgets of a test, with one frozen field, and apply it."""
    applied: list[str] = []

    def export(**spec: Any) -> None:
        frozen = {"name": "still", "frozen": {"fields": ["status.a"]}}
        for document in policy(compile_rule(rule(widgets.namespace, widgets.group, frozen, **spec)).source).documents():
            applied.append(f"{PATHS[document['kind']]}/{document['metadata']['name']}")
            apply(admin, document)

    yield export
    for path in applied:
        admin.delete(path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (1, 2, " Here status.a was 1 and is 2."),
        ("1", True, " Here status.a was 1 and is true."),
        (1.5, None, " Here status.a was 1.5 and is absent."),
        ({"b": 1}, {"b": 2}, ""),
        ([1], [], ""),
        ("one\ntwo", "one", ""),
        ("x" * 6_000, "y", ""),
    ],
)
def test_the_message_says_the_values_where_they_can_be_said(
    widgets: Widgets, exports: Exports, old: Any, new: Any, said: str
) -> None:
    widgets.new("w", {"a": old})
    exports()
    eventually(lambda: widgets.merge("w", {"a": new}, dryRun="All").code == 422)
    message = widgets.merge("w", {"a": new}, dryRun="All").body["message"]
    sentence = f"statusguard: rule {widgets.namespace}, invariant still: status.a does not change."
    assert message.endswith(f"denied request: {sentence}{said}")


def test_a_reason_that_a_policy_may_give(widgets: Widgets, exports: Exports) -> None:
    widgets.new("w", {"a": 1})
    exports(denial={"code": 403, "reason": "Forbidden"})
    eventually(lambda: widgets.merge("w", {"a": 2}, dryRun="All").code == 403)
    assert widgets.merge("w", {"a": 2}).refusal == (403, "Forbidden")


def test_a_warning(widgets: Widgets, exports: Exports) -> None:
    widgets.new("w", {"a": 1})
    exports(validationActions=["Warn"])
    eventually(lambda: widgets.merge("w", {"a": 2}, dryRun="All").warnings)
    [warning] = widgets.merge("w", {"a": 2}).warnings
    assert "invariant still: status.a does not change. Here status.a was 1 and is 2." in warning


def test_whom_the_rule_exempts_the_policy_does_not_judge(widgets: Widgets, exports: Exports, admin: Api) -> None:
    widgets.new("w", {"a": 1})
    exports(exemptions={"users": [ADMIN]})
    eventually(lambda: widgets.merge("w", {"a": 2}, dryRun="All").code == 422)
    assert admin.call("PATCH", widgets.path("w", "status"), {"status": {"a": 2}}, MERGE).code == 200


def test_as_many_conditions_as_a_rule_may_have_are_asked_with_ours(
    widgets: Widgets, exports: Exports, admin: Api
) -> None:
    names = [f"w{number}" for number in range(64)]
    for name in (*names[:2], "w"):
        widgets.new(name, {"a": 1})
    own = [{"name": name, "expression": f"object.metadata.name != '{name}'"} for name in names]
    exports(matchConditions=own, exemptions={"users": [ADMIN]})
    eventually(lambda: widgets.merge("w", {"a": 2}, dryRun="All").code == 422)
    assert [widgets.merge(name, {"a": 2}).code for name in names[:2]] == [200, 200]
    assert admin.call("PATCH", widgets.path("w", "status"), {"status": {"a": 2}}, MERGE).code == 200


def is_taken(api: Api, document: dict[str, Any]) -> None:
    for each in policy(compile_rule(document).source).documents():
        target = f"{PATHS[each['kind']]}/{each['metadata']['name']}"
        done(api.call("PATCH", target, each, APPLY, {"fieldManager": "e2e", "force": "true", "dryRun": "All"}))


def test_a_wide_rule_is_taken_whole(admin: Api) -> None:
    path = DATA / "every-kind.yaml"
    is_taken(admin, parse(path.read_bytes(), path.name)[0].data)


def test_a_rule_with_the_longest_name_and_a_condition_named_like_ours_is_taken(admin: Api) -> None:
    taken = [{"name": "statusguard.dev/not-being-deleted", "expression": "true"}]
    is_taken(admin, rule("n" * 253, "g", namespace="s" * 63, matchConditions=taken))
