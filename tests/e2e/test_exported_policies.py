"""Rules taken home as native policy: without any webhook the API server refuses what their suites say is broken."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest
import yaml

from tests.command import statusguard
from tests.library import LIBRARY

from .api import Api
from .control_plane import ADMIN, ControlPlane
from .install import PATHS, apply
from .process import eventually
from .programs import program
from .suites import NAMESPACE, Played, cases, definitions

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

FILES: Final = ("cluster-api", "pulumi")
"""The three systems: the Machines that are updated in place are Cluster API's."""

CASES: Final = tuple(cases(*FILES))
BROKEN: Final = [each for each in CASES if each.broken and not each.is_going]
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


def test_what_the_suites_say_is_broken_is_refused_and_nothing_else(policies: Api) -> None:
    assert len(BROKEN) > 40
    assert len(FINE) > 40
    # The API server takes up policies one by one.
    in_parallel(lambda each: eventually(lambda: refuses(policies, each)), BROKEN)
    unexpected = []

    def passes(each: Played) -> None:
        answer = each.write(policies)
        if answer.code != 200:
            unexpected.append((each.suite, each.case.name, answer.body["message"]))

    in_parallel(passes, FINE)
    assert unexpected == []


def test_kubectl_shows_the_message(policies: Api, plane: ControlPlane) -> None:
    torn = next(each for each in BROKEN if "pulumi-stack" in str(each.broken))
    eventually(lambda: refuses(policies, torn))
    patch = yaml.safe_dump({"status": torn.new["status"]})
    words = [program("kubectl"), "--kubeconfig", plane.kubeconfig(ADMIN), "-n", NAMESPACE, "patch"]
    words += [f"{torn.resource.resource}.{torn.resource.group}", torn.name, "--subresource=status", "--type=merge"]
    ran = subprocess.run([*words, "--patch", patch], check=False, capture_output=True, text=True)
    assert ran.returncode == 1
    assert "statusguard: rule pulumi-stack, invariant " in ran.stderr
    print(ran.stderr)
