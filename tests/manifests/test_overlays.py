"""What each overlay is for."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from .build import (
    MANIFESTS,
    container,
    environment,
    kustomized,
    needs_kubectl,
    of_kind,
    overlay,
    pod,
    the,
)

pytestmark = needs_kubectl


def test_default_is_two_replicas_with_their_own_certificate() -> None:
    objects = overlay("default")
    assert the(objects, "Deployment")["spec"]["replicas"] == 2
    assert environment(objects)["STATUSGUARD_CERTIFICATES"] == "self-signed"
    assert "STATUSGUARD_ACTION" not in environment(objects)


def test_observe_only_is_default_without_refusals() -> None:
    objects = overlay("observe-only")
    assert environment(objects) == {**environment(overlay("default")), "STATUSGUARD_ACTION": "Audit"}
    others = [each for each in objects if each["kind"] != "Deployment"]
    assert others == [each for each in overlay("default") if each["kind"] != "Deployment"]


def test_cert_manager_issues_what_is_mounted_for_the_name_that_is_called() -> None:
    objects = overlay("cert-manager")
    written = environment(objects)
    assert written["STATUSGUARD_CERTIFICATES"] == "cert-manager"
    leaf = next(each for each in of_kind(objects, "Certificate") if not each["spec"].get("isCA"))
    assert f"{written['STATUSGUARD_SERVICE']}.{leaf['metadata']['namespace']}.svc" in leaf["spec"]["dnsNames"]
    (volume,) = (each for each in pod(objects)["volumes"] if "secret" in each)
    assert volume["secret"]["secretName"] == leaf["spec"]["secretName"] == written["STATUSGUARD_SECRET"]
    (mount,) = (each for each in container(objects)["volumeMounts"] if each["name"] == volume["name"])
    files = [PurePosixPath(written[f"STATUSGUARD_TLS_{name}"]) for name in ("CERT", "KEY")]
    assert files == [PurePosixPath(mount["mountPath"], name) for name in ("tls.crt", "tls.key")]


def test_the_authority_of_cert_manager_outlives_its_certificates() -> None:
    certificates = {each["metadata"]["name"]: each["spec"] for each in of_kind(overlay("cert-manager"), "Certificate")}
    authority = certificates["statusguard-authority"]
    assert authority["isCA"]
    assert authority["privateKey"]["rotationPolicy"] == "Never"
    issuers = {each["metadata"]["name"]: each["spec"] for each in of_kind(overlay("cert-manager"), "Issuer")}
    issuer = issuers[certificates["statusguard-tls"]["issuerRef"]["name"]]
    assert issuer == {"ca": {"secretName": authority["secretName"]}}


def test_with_cert_manager_the_secret_is_only_read() -> None:
    verbs = [rule["verbs"] for rule in the(overlay("cert-manager"), "Role")["rules"] if "secrets" in rule["resources"]]
    assert verbs == [["get", "list", "watch"]]


def test_high_availability_is_at_least_three_replicas_apart() -> None:
    objects = overlay("high-availability")
    assert "replicas" not in the(objects, "Deployment")["spec"], "the autoscaler's"
    scaler = the(objects, "HorizontalPodAutoscaler")["spec"]
    assert scaler["scaleTargetRef"]["name"] == the(objects, "Deployment")["metadata"]["name"]
    assert scaler["minReplicas"] >= 3
    (nodes,) = (
        each for each in pod(objects)["topologySpreadConstraints"] if each["topologyKey"] == "kubernetes.io/hostname"
    )
    assert nodes["whenUnsatisfiable"] == "DoNotSchedule"


def test_the_quota_has_room_for_a_rollout_of_all_replicas() -> None:
    objects = overlay("high-availability")
    most = the(objects, "HorizontalPodAutoscaler")["spec"]["maxReplicas"]
    quota = the(objects, "ResourceQuota")["spec"]
    assert int(quota["hard"]["pods"]) >= 2 * most
    assert quota["scopeSelector"]["matchExpressions"][0]["values"] == [pod(objects)["priorityClassName"]]


def test_the_service_monitor_finds_the_metrics_service(tmp_path: Path) -> None:
    def here(path: str) -> str:
        return os.path.relpath(MANIFESTS / path, tmp_path.resolve())

    (tmp_path / "kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        f"resources: [{here('overlays/default')}]\ncomponents: [{here('components/service-monitor')}]\n"
    )
    objects = kustomized(tmp_path)
    spec = the(objects, "ServiceMonitor")["spec"]
    wanted = spec["selector"]["matchLabels"].items()
    (service,) = (each for each in of_kind(objects, "Service") if wanted <= each["metadata"]["labels"].items())
    assert {each["port"] for each in spec["endpoints"]} <= {each["name"] for each in service["spec"]["ports"]}
