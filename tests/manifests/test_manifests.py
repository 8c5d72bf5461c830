"""What every overlay keeps, whatever it changes."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from rules.crd import crds
from webhook.certificates import MEMORY_FOLDER
from webhook.cluster.configurations import LABELS, Endpoint, name_of
from webhook.cluster.leader import LEASE_NAME
from webhook.observe.metrics import Metrics
from webhook.ops import Ops
from webhook.server import ServerConfig
from webhook.settings import SETTINGS

from .build import (
    OVERLAYS,
    VERSION,
    Object,
    container,
    environment,
    names,
    needs_kubectl,
    of_kind,
    overlay,
    permissions,
    pod,
    the,
)

pytestmark = needs_kubectl

NAMESPACE = "statusguard"
ACCOUNT = {"kind": "ServiceAccount", "name": "statusguard", "namespace": NAMESPACE}
CLUSTER_SCOPED = {
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "Namespace",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
}


@pytest.fixture(params=OVERLAYS)
def objects(request: pytest.FixtureRequest) -> tuple[Object, ...]:
    return overlay(request.param)


def test_the_overlays_are_those_that_the_documentation_names() -> None:
    assert OVERLAYS == ["cert-manager", "default", "high-availability", "observe-only"]


def test_everything_is_in_our_namespace(objects: tuple[Object, ...]) -> None:
    assert names(objects, "Namespace") == {NAMESPACE}
    for each in objects:
        expected = None if each["kind"] in CLUSTER_SCOPED else NAMESPACE
        assert each["metadata"].get("namespace") == expected, each["kind"]


def test_nothing_looks_like_a_configuration_that_the_program_may_delete(objects: tuple[Object, ...]) -> None:
    assert [each["kind"] for each in objects if LABELS.items() <= each["metadata"].get("labels", {}).items()] == []


def test_the_crds_are_there(objects: tuple[Object, ...]) -> None:
    assert names(objects, "CustomResourceDefinition") == {crd["metadata"]["name"] for crd in crds()}


def test_the_namespace_takes_restricted_pods_only(objects: tuple[Object, ...]) -> None:
    assert the(objects, "Namespace")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"


def test_pods_have_no_rights_on_their_node(objects: tuple[Object, ...]) -> None:
    security = pod(objects)["securityContext"]
    assert security["runAsNonRoot"]
    assert security["runAsUser"] == security["runAsGroup"] == 65532
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container(objects)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod(objects).keys()
    assert all({"emptyDir", "secret"} & volume.keys() for volume in pod(objects)["volumes"])


def test_keys_pass_through_memory_only(objects: tuple[Object, ...]) -> None:
    mounts = {mount["mountPath"]: mount["name"] for mount in container(objects)["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod(objects)["volumes"]}
    assert volumes[mounts[str(MEMORY_FOLDER)]]["emptyDir"]["medium"] == "Memory"


def test_every_image_is_ours_of_this_version(objects: tuple[Object, ...]) -> None:
    assert container(objects)["image"] == f"statusguard:{VERSION}"
    assert "initContainers" not in pod(objects)


def test_only_the_deployment_gets_a_token(objects: tuple[Object, ...]) -> None:
    assert the(objects, "ServiceAccount")["automountServiceAccountToken"] is False
    assert pod(objects)["automountServiceAccountToken"] is True
    assert pod(objects)["serviceAccountName"] == the(objects, "ServiceAccount")["metadata"]["name"]


def test_no_permission_is_a_wildcard_or_grants_others(objects: tuple[Object, ...]) -> None:
    for rule in permissions(objects):
        assert "*" not in (*rule["apiGroups"], *rule["resources"], *rule["verbs"])
        assert not {"escalate", "bind", "impersonate", "deletecollection"} & set(rule["verbs"])
        assert "nonResourceURLs" not in rule


def test_secrets_and_leases_are_ours_by_name(objects: tuple[Object, ...]) -> None:
    secret = environment(objects)["STATUSGUARD_SECRET"]
    for resource, name in (("secrets", secret), ("leases", LEASE_NAME)):
        granted = [rule for rule in the(objects, "Role")["rules"] if resource in rule["resources"]]
        assert [rule["resourceNames"] for rule in granted if rule["verbs"] != ["create"]] == [[name]]
    everywhere = [resource for rule in the(objects, "ClusterRole")["rules"] for resource in rule["resources"]]
    assert not {"secrets", "leases", "configmaps", "pods"} & set(everywhere)


def test_roles_are_bound_to_our_account_only(objects: tuple[Object, ...]) -> None:
    for kind in ("Role", "ClusterRole"):
        binding = the(objects, f"{kind}Binding")
        assert binding["subjects"] == [ACCOUNT]
        assert binding["roleRef"]["kind"] == kind
        assert binding["roleRef"]["name"] == the(objects, kind)["metadata"]["name"]


@pytest.mark.parametrize("group", ["", "apps", "*", "cluster.x-k8s.io"])
def test_the_policy_lets_us_write_our_configurations(objects: tuple[Object, ...], group: str) -> None:
    spec = the(objects, "ValidatingAdmissionPolicy")["spec"]
    account = f"system:serviceaccount:{ACCOUNT['namespace']}:{ACCOUNT['name']}"
    assert spec["matchConditions"][0]["expression"] == f"request.userInfo.username == '{account}'"
    prefix = "statusguard-"
    assert spec["validations"][0]["expression"] == f"request.name.startsWith('{prefix}')"
    assert name_of(group).startswith(prefix)
    bound = the(objects, "ValidatingAdmissionPolicyBinding")["spec"]
    assert bound == {
        "policyName": the(objects, "ValidatingAdmissionPolicy")["metadata"]["name"],
        "validationActions": ["Deny"],
    }


def test_every_variable_is_a_setting_with_a_value_that_it_takes(objects: tuple[Object, ...]) -> None:
    known = {setting.variable: setting for setting in SETTINGS}
    assert {each["name"] for each in container(objects)["env"]} <= known.keys()
    written = environment(objects)
    assert all(known[name].from_environment(written) is not None for name in written)


def test_names_in_the_settings_are_those_of_the_objects(objects: tuple[Object, ...]) -> None:
    written = environment(objects)
    assert written["STATUSGUARD_SERVICE"] in names(objects, "Service")
    assert written["STATUSGUARD_CLUSTER_ROLE"] in names(objects, "ClusterRole")
    namespace = next(each for each in container(objects)["env"] if each["name"] == "STATUSGUARD_NAMESPACE")
    assert namespace["valueFrom"] == {"fieldRef": {"fieldPath": "metadata.namespace"}}


def service(objects: tuple[Object, ...], name: str) -> Object:
    (found,) = (each for each in of_kind(objects, "Service") if each["metadata"]["name"] == name)
    return found


def test_ports_lead_to_the_ports_of_the_program(objects: tuple[Object, ...]) -> None:
    config = ServerConfig()
    ports = {port["name"]: port["containerPort"] for port in container(objects)["ports"]}
    assert ports == {"webhook": config.port, "ops": config.ops_port}
    (webhook_port,) = service(objects, environment(objects)["STATUSGUARD_SERVICE"])["spec"]["ports"]
    assert webhook_port["port"] == Endpoint(b"").port
    assert webhook_port["targetPort"] == "webhook"
    (metrics_port,) = service(objects, "statusguard-metrics")["spec"]["ports"]
    assert metrics_port["targetPort"] == "ops"


def test_selectors_find_the_pods(objects: tuple[Object, ...]) -> None:
    labels = the(objects, "Deployment")["spec"]["template"]["metadata"]["labels"]
    selectors: list[Any] = [
        the(objects, "Deployment")["spec"]["selector"]["matchLabels"],
        the(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        the(objects, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        *(each["spec"]["selector"] for each in of_kind(objects, "Service")),
        *(each["labelSelector"]["matchLabels"] for each in pod(objects)["topologySpreadConstraints"]),
    ]
    assert all(selector and selector.items() <= labels.items() for selector in selectors)


def test_the_network_policy_lets_in_what_the_pods_listen_for(objects: tuple[Object, ...]) -> None:
    spec = the(objects, "NetworkPolicy")["spec"]
    assert set(spec["policyTypes"]) == {"Ingress", "Egress"}
    from_anywhere, from_monitoring = spec["ingress"]
    assert "from" not in from_anywhere
    assert [port["port"] for port in from_anywhere["ports"]] == ["webhook"]
    assert from_monitoring["from"]
    assert [port["port"] for port in from_monitoring["ports"]] == ["ops"]


PROBES = {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}


def test_probes_ask_for_health_on_the_ops_port(objects: tuple[Object, ...]) -> None:
    found = {name: container(objects)[name]["httpGet"] for name in PROBES}
    assert found == {name: {"path": path, "port": "ops"} for name, path in PROBES.items()}


@pytest.mark.parametrize("path", sorted(set(PROBES.values())))
async def test_what_probes_ask_for_is_answered(path: str) -> None:
    response = await Ops(Metrics(), lambda: None)(make_mocked_request("GET", path))
    assert response.status == HTTPStatus.OK


def test_the_grace_period_is_longer_than_the_drain(objects: tuple[Object, ...]) -> None:
    config = ServerConfig()
    assert pod(objects)["terminationGracePeriodSeconds"] >= config.drain_delay + config.drain_patience + 5


def test_nothing_of_a_service_gets_into_the_settings(objects: tuple[Object, ...]) -> None:
    assert pod(objects)["enableServiceLinks"] is False


def test_a_rollout_takes_no_pod_away_before_another_is_ready(objects: tuple[Object, ...]) -> None:
    assert the(objects, "Deployment")["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}


def test_resources_are_asked_for_and_only_memory_is_limited(objects: tuple[Object, ...]) -> None:
    resources = container(objects)["resources"]
    assert resources["requests"].keys() == {"cpu", "memory"}
    assert resources["limits"].keys() == {"memory"}
