from __future__ import annotations

import pytest

from webhook.cluster.exclusions import EXCLUSIONS, left_out, soft_parts, why_excluded


@pytest.mark.parametrize(
    ("group", "resource"),
    [
        ("coordination.k8s.io", "leases"),
        ("coordination.k8s.io", "leases/status"),
        ("coordination.k8s.io", "leasecandidates"),
        ("", "events"),
        ("events.k8s.io", "events"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
        ("admissionregistration.k8s.io", "validatingadmissionpolicies/status"),
        ("apiextensions.k8s.io", "customresourcedefinitions/status"),
        ("apiextensions.k8s.io", "*/status"),
        ("apiregistration.k8s.io", "apiservices/status"),
        ("certificates.k8s.io", "certificatesigningrequests/approval"),
        ("flowcontrol.apiserver.k8s.io", "flowschemas/status"),
        ("", "namespaces/status"),
        ("", "namespaces/finalize"),
        ("statusguard.dev", "clusterstatusrules/status"),
        ("statusguard.dev", "*"),
    ],
)
def test_what_a_cluster_needs_to_run_or_to_be_mended_is_never_guarded(group: str, resource: str) -> None:
    assert why_excluded(group, resource)


@pytest.mark.parametrize(
    ("group", "resource"),
    [
        ("apps", "deployments/status"),
        ("apps", "events"),
        ("", "namespaces"),
        ("", "pods/status"),
        ("example.test", "leases/status"),
        ("", "*/status"),
        ("", "namespaces/*"),
        ("coordination.k8s.io", "*"),
        ("*", "*/status"),
    ],
)
def test_others_may_be_guarded_at_least_in_part(group: str, resource: str) -> None:
    assert why_excluded(group, resource) is None


@pytest.mark.parametrize(
    ("group", "resource", "whose"),
    [
        ("apps", "*/status", []),
        ("apps", "deployments/*", []),
        ("coordination.k8s.io", "*/status", ["coordination.k8s.io"]),
        ("", "*/status", ["", ""]),
        ("", "*", [""]),
        ("", "namespaces/*", [""]),
        ("", "namespaces", []),
        ("*", "events", ["", "admissionregistration.k8s.io", "apiextensions.k8s.io"]),
    ],
)
def test_a_wildcard_leaves_out_the_parts_that_are_excluded(group: str, resource: str, whose: list[str]) -> None:
    found = sorted(each.group for each in left_out(group, resource))
    assert found[: len(whose)] == whose
    assert bool(found) is bool(whose)


def test_a_wildcard_for_all_leaves_out_all() -> None:
    assert left_out("*", "*/status") == EXCLUSIONS
    assert len(left_out("*", "*")) == len(EXCLUSIONS) - 1  # namespaces themselves may be guarded


@pytest.mark.parametrize("group", ["*", ""])
def test_the_kubelets_resources_are_told_apart_from_a_wildcard(group: str) -> None:
    assert soft_parts(group, "*/status") == ("nodes/status", "persistentvolumes/status", "pods/status")
    assert soft_parts(group, "*") == ("nodes", "persistentvolumes", "pods")
    assert soft_parts("apps", "*/status") == soft_parts(group, "services/status") == ()
