"""A client that keeps its connection, for tests that write thousands of times. Each thread has one of its own."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from decimal import Decimal
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from .api import JSON, TIMEOUT, Answer, Api
from .control_plane import ADMIN, ControlPlane


class KeptApi(Api):
    """One user over one connection. Fractions are decimals, in bodies and in answers."""

    def __init__(self, port: int, authority: bytes, token: str) -> None:
        super().__init__(port, authority, token)
        trust = ssl.create_default_context(cadata=authority.decode())
        self._connection = HTTPSConnection("127.0.0.1", port, context=trust, timeout=TIMEOUT)
        self._authorization = f"Bearer {token}"

    def call(
        self, method: str, path: str, body: Any = None, content_type: str = JSON, query: Mapping[str, str] | None = None
    ) -> Answer:
        """See `Api.call`."""
        target = f"{path}?{urlencode(query)}" if query else path
        headers = {"Authorization": self._authorization, "Content-Type": content_type}
        text = None if body is None else json.dumps(body, default=float)
        self._connection.request(method, target, text, headers)
        response = self._connection.getresponse()
        content = response.read()
        is_json = JSON in response.headers.get("Content-Type", "")
        warnings = tuple(response.headers.get_all("Warning") or ())
        found = json.loads(content, parse_float=Decimal) if is_json else content.decode()
        return Answer(response.status, found, warnings)

    def close(self) -> None:
        self._connection.close()


def kept(plane: ControlPlane, name: str = ADMIN) -> KeptApi:
    """Return a client of a user. It must be closed."""
    config = json.loads(plane.kubeconfig(name).read_text())
    (cluster,), (user,) = config["clusters"], config["users"]
    port = urlsplit(cluster["cluster"]["server"]).port
    assert port is not None
    authority = Path(cluster["cluster"]["certificate-authority"]).read_bytes()
    return KeptApi(port, authority, user["user"]["token"])
