from __future__ import annotations

import base64
from typing import Any

import pytest

from rules.compile import CompiledRule
from rules.native.prefilter import MAX_SIZE, suspect
from webhook.cluster.configurations import Endpoint, configurations
from webhook.cluster.entries import Policy, plan

from .manifests import compiled, resources

ENDPOINT = Endpoint(b"authorities", "guards", "guard", 8443)


def configured(*rules: CompiledRule, endpoint: Endpoint = ENDPOINT) -> dict[str, dict[str, Any]]:
    found = configurations(plan(rules, Policy()).entries, endpoint)
    return {each["metadata"]["name"]: each for each in found}


def the_webhook(*rules: CompiledRule, endpoint: Endpoint = ENDPOINT) -> dict[str, Any]:
    """Return the only webhook for rules."""
    found = configured(*rules, endpoint=endpoint)
    del found["statusguard-rules"]
    ((webhook,),) = [each["webhooks"] for each in found.values()]
    assert isinstance(webhook, dict)
    return webhook


def conditions(webhook: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["expression"] for each in webhook["matchConditions"]}


def test_there_is_one_configuration_for_each_api_group() -> None:
    found = configured(
        compiled("a"),
        compiled("b", resources("services/status", group="")),
        compiled("c", resources("x/status", group="apps")),
        compiled("d", resources("y/status", "z/status", group="apps")),
    )
    assert {name: len(each["webhooks"]) for name, each in found.items()} == {
        "statusguard-rules": 2,
        "statusguard-apps": 3,
        "statusguard-core": 1,
        "statusguard-example.test": 1,
    }
    assert {each["metadata"]["labels"]["app.kubernetes.io/managed-by"] for each in found.values()} == {"statusguard"}


def test_an_entry_asks_for_what_its_rules_are_about_and_no_more() -> None:
    webhook = the_webhook(compiled("a", resources(versions=("v1",), scope="Namespaced")))
    assert webhook["rules"] == [
        {
            "apiGroups": ["example.test"],
            "apiVersions": ["v1"],
            "resources": ["widgets/status"],
            "operations": ["UPDATE"],
            "scope": "Namespaced",
        }
    ]
    assert (webhook["failurePolicy"], webhook["matchPolicy"]) == ("Ignore", "Exact")
    assert (webhook["sideEffects"], webhook["timeoutSeconds"]) == ("NoneOnDryRun", 2)
    assert webhook["namespaceSelector"] == webhook["objectSelector"] == {}


def test_an_entry_has_a_path_of_its_own_and_the_authorities_with_it() -> None:
    webhook = the_webhook(compiled("a"))
    entry = webhook["name"].removesuffix(".statusguard.dev")
    assert webhook["clientConfig"] == {
        "caBundle": base64.b64encode(b"authorities").decode(),
        "service": {"namespace": "guards", "name": "guard", "path": f"/validate/{entry}", "port": 8443},
    }


def test_without_a_service_there_is_a_url() -> None:
    webhook = the_webhook(compiled("a"), endpoint=Endpoint(b"", url="https://here:1/"))
    assert webhook["clientConfig"]["url"].startswith("https://here:1/validate/widgets-status.v1.")
    assert "service" not in webhook["clientConfig"]


def test_a_namespaced_rule_is_bound_to_its_namespace() -> None:
    webhook = the_webhook(compiled("a", namespace="team"))
    assert webhook["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "team"}}


def test_our_own_namespace_is_left_out() -> None:
    own = "request.?namespace.orValue('') != 'guards'"
    assert conditions(the_webhook(compiled("a", prefilter="Off"))) == {"not-statusguards-own": own}
    filtered = conditions(the_webhook(compiled("a")))
    assert list(filtered) == ["may-break-a-rule"], "one expression costs less than two"
    assert filtered["may-break-a-rule"].startswith("!"), "an honest write ends there"
    assert filtered["may-break-a-rule"].endswith(f" && {own}")


def test_what_is_too_large_for_one_expression_is_two() -> None:
    own = "request.?namespace.orValue('') != 'guards'"

    def large(width: int) -> CompiledRule:
        fields = [f"status.{'x' * width}{number}" for number in range(9)]
        return compiled("a", invariants=[{"name": "m", "monotonic": {"fields": fields, "direction": "NonDecreasing"}}])

    sizes = {width: len(text) for width in range(150, 170) if (text := suspect([large(width).source.spec]).text)}
    width = next(width for width, size in sizes.items() if MAX_SIZE - len(own) < size <= MAX_SIZE)
    assert conditions(the_webhook(large(width))) == {
        "not-statusguards-own": own,
        "may-break-a-rule": suspect([large(width).source.spec]).text,
    }


@pytest.mark.parametrize(
    ("policy", "enforce", "passes"), [("Fail", False, True), ("Fail", True, False), ("Ignore", False, False)]
)
def test_what_is_being_deleted_passes_an_entry_that_fails_closed(policy: str, enforce: bool, passes: bool) -> None:  # noqa: FBT001
    rule: dict[str, Any] = {"failurePolicy": policy, "enforceWhileDeleting": enforce}
    webhook = the_webhook(compiled("a", prefilter="Off", **rule))
    assert webhook["failurePolicy"] == policy
    assert ("not-being-deleted" in conditions(webhook)) is passes
    whole = conditions(the_webhook(compiled("a", **rule)))["may-break-a-rule"]
    assert whole.endswith(" && (object == null || !has(object.metadata.deletionTimestamp))") is passes


def test_a_wildcard_leaves_out_what_is_never_guarded_and_what_has_an_entry_of_its_own() -> None:
    found = configured(compiled("a", resources("*/status", group="*", versions=("*",))))
    (webhook,) = found["statusguard-any"]["webhooks"]
    expression = conditions(webhook)["may-break-a-rule"]
    for left_out in (
        "(request.resource.group == 'apiextensions.k8s.io')",
        "(request.resource.group == '' && request.resource.resource in ['events'])",
        "['namespaces'] && has(request.subResource) && request.subResource in ['finalize', 'status'])",
        "(request.resource.group == '' && request.resource.resource in ['nodes', 'persistentvolumes', 'pods'])",
    ):
        assert left_out in expression
    (pods,) = [each for each in found["statusguard-core"]["webhooks"] if each["name"].startswith("pods-status.")]
    assert "request.resource" not in conditions(pods)["may-break-a-rule"]


def test_what_a_wildcard_of_one_group_leaves_out_is_left_out_too() -> None:
    webhook = the_webhook(compiled("a", resources("*/status", group="coordination.k8s.io"), prefilter="Off"))
    assert conditions(webhook)["not-excluded"] == (
        "!((request.resource.group == 'coordination.k8s.io' && "
        "request.resource.resource in ['leasecandidates', 'leases']))"
    )


def test_our_rules_are_checked_when_they_are_applied_and_in_nobodys_way() -> None:
    webhook, _ = configured()["statusguard-rules"]["webhooks"]
    assert webhook["clientConfig"]["service"]["path"] == "/validate/rules"
    assert webhook["rules"][0]["resources"] == ["clusterstatusrules", "statusrules"]
    assert webhook["rules"][0]["operations"] == ["CREATE", "UPDATE"]
    assert (webhook["failurePolicy"], webhook["sideEffects"]) == ("Ignore", "None")


def test_the_canary_comes_back_to_us_and_nothing_else_by_its_entry() -> None:
    _, webhook = configured()["statusguard-rules"]["webhooks"]
    assert webhook["clientConfig"]["service"]["path"] == "/validate/canary"
    assert webhook["rules"][0]["resources"] == ["clusterstatusrules/status"]
    assert webhook["failurePolicy"] == "Ignore"
    assert list(conditions(webhook)) == ["only-the-canary", "may-break-a-rule"]


def test_all_belong_to_our_cluster_role() -> None:
    owner = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": "statusguard", "uid": "u"}
    owned = configured(compiled("a"), endpoint=Endpoint(b"", owner=owner))
    assert [each["metadata"]["ownerReferences"] for each in owned.values()] == [[owner], [owner]]
    assert all("ownerReferences" not in each["metadata"] for each in configured(compiled("a")).values())
