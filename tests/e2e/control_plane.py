"""A control plane of one's own: etcd, kube-apiserver and, if asked for, kube-controller-manager, on loopback."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from webhook.certificates import self_signed

from .api import Api
from .process import Process, free_ports, running
from .programs import program

ADMIN = "admin"
STATUSGUARD = "system:serviceaccount:statusguard:statusguard"
CONTROLLER = "a-controller"
CONTROLLER_MANAGER = "system:kube-controller-manager"

_USERS = {
    ADMIN: ["system:masters"],
    STATUSGUARD: ["system:serviceaccounts", "system:serviceaccounts:statusguard"],
    CONTROLLER: ["system:masters"],
    CONTROLLER_MANAGER: ["system:masters"],
}


class ControlPlane:
    """A running API server. Users are known by tokens: `token-` and the name."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._etcd_port, peer_port, self.port = free_ports(3)
        made = self_signed(["kubernetes.default.svc"])
        self._authority = made.authority
        for name, content in {
            "tls.crt": made.pair.certificate,
            "tls.key": made.pair.key,
            "tokens.csv": _tokens(),
            **_signing_key(),
        }.items():
            (folder / name).write_bytes(content)
        etcd = f"http://127.0.0.1:{self._etcd_port}"
        peer = f"http://127.0.0.1:{peer_port}"
        words: list[str | Path] = [program("etcd"), "--data-dir", folder / "etcd", "--unsafe-no-fsync"]
        words += ["--listen-client-urls", etcd, "--advertise-client-urls", etcd, "--log-level", "warn"]
        words += [
            "--listen-peer-urls",
            peer,
            "--initial-advertise-peer-urls",
            peer,
            "--initial-cluster",
            f"default={peer}",
        ]
        stack.enter_context(running(words, folder / "etcd.log")).until(lambda: _is_healthy(f"{etcd}/health"))
        self.admin = self.user(ADMIN)
        self._server = self._started()

    def user(self, name: str) -> Api:
        """Return a client of a user."""
        return Api(self.port, self._authority, f"token-{name}")

    def kubeconfig(self, name: str) -> Path:
        """Return the path of a kubeconfig of a user."""
        path = self._folder / f"{name.replace(':', '-')}.kubeconfig"
        authority = self._folder / "authority.crt"
        authority.write_bytes(self._authority)
        cluster = {"server": f"https://127.0.0.1:{self.port}", "certificate-authority": str(authority)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "e2e", "cluster": cluster}],
            "users": [{"name": name, "user": {"token": f"token-{name}"}}],
            "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": name}}],
            "current-context": "e2e",
        }
        path.write_text(json.dumps(config))
        return path

    @property
    def pid(self) -> int:
        """The process of the API server."""
        return self._server.popen.pid

    def kill(self) -> None:
        """End the API server at once."""
        self._server.end(signal.SIGKILL)

    def start(self) -> None:
        """Start the API server again, on what etcd remembers."""
        self._server = self._started()

    def suspend(self) -> None:
        """Let the API server be there and say nothing."""
        self._server.send(signal.SIGSTOP)

    def resume(self) -> None:
        self._server.send(signal.SIGCONT)

    @contextmanager
    def controllers(self, *settings: str) -> Iterator[None]:
        """Run kube-controller-manager."""
        (port,) = free_ports(1)
        kubeconfig = self.kubeconfig(CONTROLLER_MANAGER)
        words: list[str | Path] = [
            program("kube-controller-manager"),
            "--kubeconfig",
            kubeconfig,
            "--leader-elect=false",
        ]
        words += ["--bind-address", "127.0.0.1", "--secure-port", str(port), "--cert-dir", self._folder / "controllers"]
        words += ["--service-account-private-key-file", self._folder / "signing.key", *settings]
        with running(words, self._folder / "controllers.log") as process:
            accounts = "/api/v1/namespaces/default/serviceaccounts/default"
            process.until(lambda: self.admin.exists(accounts))
            yield

    def _started(self) -> Process:
        folder = self._folder
        words: list[str | Path] = [program("kube-apiserver"), "--etcd-servers", f"http://127.0.0.1:{self._etcd_port}"]
        words += ["--bind-address", "127.0.0.1", "--secure-port", str(self.port), "--advertise-address", "127.0.0.1"]
        words += ["--endpoint-reconciler-type", "none", "--service-cluster-ip-range", "10.0.0.0/24"]
        words += ["--tls-cert-file", folder / "tls.crt", "--tls-private-key-file", folder / "tls.key"]
        words += ["--token-auth-file", folder / "tokens.csv", "--authorization-mode", "RBAC"]
        words += ["--service-account-issuer", "https://kubernetes.default.svc"]
        words += ["--service-account-key-file", folder / "signing.pub"]
        words += ["--service-account-signing-key-file", folder / "signing.key"]
        process = self._stack.enter_context(running(words, folder / "kube-apiserver.log"))
        process.until(self._is_ready)
        return process

    def _is_ready(self) -> bool:
        try:
            return self.admin.call("GET", "/readyz").code == 200
        except (OSError, HTTPException):
            return False


def _tokens() -> bytes:
    return "".join(f'token-{name},{name},uid,"{",".join(groups)}"\n' for name, groups in _USERS.items()).encode()


def _signing_key() -> dict[str, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    return {
        "signing.key": key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()),
        "signing.pub": key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    }


def _is_healthy(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as answer:
            health: dict[str, str] = json.load(answer)
    except (URLError, OSError):
        return False
    return health["health"] == "true"
