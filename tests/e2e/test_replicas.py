"""Several replicas behind a Service: nothing is lost when they come and go, and there is always one that leads."""

from __future__ import annotations

import base64
import signal
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.webhook.running import write_pair
from tests.widgets import review
from webhook.certificates import SelfSigned, self_signed

from .api import Api, done
from .control_plane import ControlPlane
from .load import load
from .process import eventually
from .replica import Replica, replica, response
from .rules import Rules, bundle, path_to, rule, webhooks
from .service import Service, service
from .widgets import Widgets

pytestmark = pytest.mark.e2e

START = {"observedGeneration": 1, "replicas": 3, "ready": 2}
ABOVE = {**START, "ready": 4}

HASTY = Path(__file__).with_name("hasty.py")

LEASE = "/apis/coordination.k8s.io/v1/namespaces/statusguard/leases/statusguard"
SECRET = "/api/v1/namespaces/statusguard/secrets/statusguard-tls"
LEASE_SECONDS = 15.0
RETRY_SECONDS = 2.4
LAG = 5.0
"""Seconds by which a busy machine may be late."""

Start = Callable[..., Replica]


@pytest.fixture
def behind() -> Iterator[Service]:
    with service() as made:
        yield made


@pytest.fixture
def start(plane: ControlPlane, behind: Service, logs: Callable[[], Path]) -> Iterator[Start]:
    """Start replicas behind the Service."""
    with ExitStack() as stack:

        def one(*settings: str, program: tuple[str | Path, ...] = ()) -> Replica:
            started = stack.enter_context(replica(plane, logs(), *settings, service_port=behind.port, program=program))
            behind.add(started)
            return started

        yield one


def holder(admin: Api) -> str:
    return str(admin.get(LEASE)["spec"].get("holderIdentity", ""))


def guarded(widgets: Widgets, rules: Rules) -> None:
    """Guard widgets so that a write fails if it cannot be judged."""
    widgets.new("w", START)
    rules.serve(rule(widgets.namespace, widgets.group, failurePolicy="Fail"))
    eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").code == 422)


def test_without_a_service_it_is_reached_by_url(
    plane: ControlPlane, widgets: Widgets, rules: Rules, logs: Callable[[], Path]
) -> None:
    with replica(plane, logs(), by_url=True) as reached:
        guarded(widgets, rules)
        (entry,) = webhooks(rules.api, widgets.group)
        assert entry["clientConfig"]["url"].startswith(f"https://127.0.0.1:{reached.port}/validate/widgets-status.v1.")


def test_a_rolling_restart_loses_no_write(start: Start, widgets: Widgets, rules: Rules) -> None:
    drain = ("--drain-delay", "1")
    running = [start(*drain), start(*drain)]
    guarded(widgets, rules)
    with load(widgets) as written:
        written.wait_for(50)
        for old in running:
            start(*drain)
            assert old.process.end() == 0
            written.wait_for(50)
    assert written.failed == []


def test_a_certificate_is_rotated_under_load_without_a_failed_write(
    start: Start, admin: Api, widgets: Widgets, rules: Rules
) -> None:
    hasty = (sys.executable, "-P", HASTY)
    replicas = [start(program=hasty), start(program=hasty)]
    guarded(widgets, rules)
    (before,) = webhooks(admin, widgets.group)
    with closing(replicas[0].connection(bundle(before))) as old_connection, load(widgets) as written:
        # Who deletes the Secret gets another certificate.
        admin.delete(SECRET)
        seen = {bundle(before)}

        def is_done() -> bool:
            """Tell whether nothing of the old certificate is left; whatever is served is trusted at any moment."""
            (now,) = webhooks(admin, widgets.group)
            seen.add(bundle(now))
            for each in replicas:
                each.connection(bundle(now)).close()
            return len(seen) == 3

        eventually(is_done)
        written.wait_for(20)
        for each in replicas:
            with pytest.raises(ssl.SSLCertVerificationError):
                each.connection(bundle(before))
        resource = {"group": widgets.group, "version": "v1", "resource": "widgets"}
        assert not response(old_connection, path_to(before), review(2, 1, resource=resource))["allowed"]
    assert written.failed == []
    assert len(admin.get(SECRET)["data"]) == 3


def test_an_issuers_certificate_is_exchanged_under_load_without_a_failed_write(
    start: Start, admin: Api, widgets: Widgets, rules: Rules, tmp_path: Path
) -> None:
    def issue(made: SelfSigned) -> None:
        """Write the Secret, as an issuer does; the kubelet needs longer for the files."""
        data = {"ca.crt": base64.b64encode(made.authority).decode()}
        metadata = {"name": "statusguard-tls"}
        done(admin.apply(SECRET, {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}))

    def authorities() -> str:
        (now,) = webhooks(admin, widgets.group)
        return bundle(now)

    admin.delete(SECRET)
    first, second = (self_signed(["statusguard.statusguard.svc"]) for _ in range(2))
    certificate, key = map(str, write_pair(tmp_path, first))
    issue(first)
    replica = start("--certificates", "cert-manager", "--tls-cert", certificate, "--tls-key", key)
    guarded(widgets, rules)
    assert authorities() == first.authority.decode()
    with load(widgets) as written:
        issue(second)
        eventually(lambda: second.authority.decode() in authorities())
        assert first.authority.decode() in authorities()
        written.wait_for(20)
        write_pair(tmp_path, second)
        eventually(lambda: replica.events("certificate taken up"))
        replica.connection(second.authority.decode()).close()
        written.wait_for(20)
    assert written.failed == []
    admin.delete(SECRET)


def test_when_the_leader_is_killed_another_takes_over(start: Start, admin: Api, widgets: Widgets, rules: Rules) -> None:
    first = start()
    eventually(lambda: first.events("elected as leader"))
    second = start()
    guarded(widgets, rules)
    lost = holder(admin)
    first.process.end(signal.SIGKILL)
    # The other one judges at once; only what the leader writes has to wait.
    assert eventually(lambda: widgets.merge("w", ABOVE, dryRun="All").code == 422) < LAG
    assert eventually(lambda: holder(admin) not in ("", lost)) < LEASE_SECONDS + RETRY_SECONDS + LAG
    # The Lease is written a moment before the new leader says so.
    eventually(lambda: second.events("elected as leader"))
    rules.serve(rule(f"{widgets.namespace}-later", widgets.group))


@pytest.mark.slow
def test_a_leader_that_was_suspended_gives_way(start: Start, admin: Api, widgets: Widgets, rules: Rules) -> None:
    first = start()
    eventually(lambda: first.events("elected as leader"))
    second = start()
    lost = holder(admin)
    first.process.send(signal.SIGSTOP)
    eventually(lambda: holder(admin) not in ("", lost))
    # For a moment both believe that they lead.
    first.process.send(signal.SIGCONT)
    rules.serve(rule(widgets.namespace, widgets.group))
    eventually(lambda: first.events("the Lease is lost"))
    eventually(lambda: second.events("elected as leader"))
    assert holder(admin) != lost
    rules.serve(rule(widgets.namespace, widgets.group, failurePolicy="Fail"))
    (entry,) = webhooks(admin, widgets.group)
    assert entry["failurePolicy"] == "Fail"
