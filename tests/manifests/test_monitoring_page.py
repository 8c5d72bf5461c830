"""What the monitoring page tells people to write and to run does what it says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import yaml

from .build import MANIFESTS, ROOT, kustomized, names, needs_kubectl, of_kind, the
from .monitoring import MONITORING, RULES

PAGE = MONITORING.read_text("utf-8")
KUSTOMIZATION, SCRAPE, _ = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@needs_kubectl
def test_the_kustomization_brings_everything(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text(KUSTOMIZATION)
    (tmp_path / "statusguard").symlink_to(ROOT)
    objects = kustomized(tmp_path)
    assert {"ServiceMonitor", "PrometheusRule"} <= {each["kind"] for each in objects}
    assert len(of_kind(objects, "ConfigMap")) == 3


@needs_kubectl
def test_the_job_is_called_as_the_alerts_call_it(tmp_path: Path) -> None:
    jobs = set(re.findall(r'job="([^"]+)"', RULES.read_text("utf-8")))
    assert jobs == {yaml.safe_load(SCRAPE)["scrape_configs"][0]["job_name"]}
    (tmp_path / "kustomization.yaml").write_text(KUSTOMIZATION)
    (tmp_path / "statusguard").symlink_to(ROOT)
    objects = kustomized(tmp_path)
    # The operator makes the name of the Service the job, unless the ServiceMonitor says otherwise.
    monitor = the(objects, "ServiceMonitor")["spec"]
    assert "jobLabel" not in monitor
    wanted = monitor["selector"]["matchLabels"].items()
    chosen = [each for each in of_kind(objects, "Service") if wanted <= each["metadata"]["labels"].items()]
    assert {each["metadata"]["name"] for each in chosen} == jobs < names(objects, "Service")


def test_the_runbooks_can_be_given_an_address(tmp_path: Path) -> None:
    (command,) = re.findall(r"^\$ (sed -i .+)$", PAGE, re.MULTILINE)
    assert str(RULES.relative_to(ROOT)) in command
    copy = tmp_path / RULES.relative_to(ROOT)
    copy.parent.mkdir(parents=True)
    copy.write_text(RULES.read_text("utf-8"))
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, timeout=10)
    written = re.findall(r"runbook_url: (\S+)", copy.read_text("utf-8"))
    prefix = "https://git.example/statusguard/blob/main/"
    assert all(url.startswith(prefix) and (ROOT / url.removeprefix(prefix)).is_file() for url in written)


def test_every_folder_and_file_that_it_names_is_there() -> None:
    named = set(re.findall(r"statusguard/(manifests/[\w./-]+)", PAGE)) | set(
        re.findall(r"`(manifests/[\w./-]+)`", PAGE)
    )
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert set(re.findall(r"^\| `(\w+\.json)` \|", PAGE, re.MULTILINE)) == {
        path.name for path in (MANIFESTS / "dashboards").glob("*.json")
    }
