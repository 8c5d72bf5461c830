"""A client of the API server: what a controller, or kubectl, sends."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlencode

Object = dict[str, Any]

JSON: Final = "application/json"
MERGE: Final = "application/merge-patch+json"
JSON_PATCH: Final = "application/json-patch+json"
STRATEGIC: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"

TIMEOUT: Final = 60.0


@dataclass(frozen=True)
class Answer:
    """What the API server says: the object, or a Status of why not."""

    code: int
    body: Any
    warnings: tuple[str, ...] = ()

    @property
    def refusal(self) -> tuple[int, str]:
        """Code and reason of a Status."""
        return self.body["code"], self.body["reason"]


class Api:
    """One user of one API server, with a connection for each thread."""

    def __init__(self, port: int, authority: bytes, token: str) -> None:
        self._port = port
        self._trust = ssl.create_default_context(cadata=authority.decode())
        self._token = token
        self._local = threading.local()
        self._connections: list[HTTPSConnection] = []

    def call(
        self, method: str, path: str, body: Any = None, content_type: str = JSON, query: Mapping[str, str] | None = None
    ) -> Answer:
        """Send one request. Raises OSError or HTTPException if there is no answer."""
        connection = self._connection()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content_type}
        try:
            connection.request(
                method,
                f"{path}?{urlencode(query)}" if query else path,
                None if body is None else json.dumps(body),
                headers,
            )
            response = connection.getresponse()
            text = response.read()
        except (OSError, HTTPException):
            connection.close()
            raise
        is_json = JSON in response.headers.get("Content-Type", "")
        warnings = tuple(response.headers.get_all("Warning") or ())
        return Answer(response.status, json.loads(text) if is_json else text.decode(), warnings)

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def _connection(self) -> HTTPSConnection:
        found: HTTPSConnection | None = getattr(self._local, "connection", None)
        if found is None:
            found = HTTPSConnection("127.0.0.1", self._port, context=self._trust, timeout=TIMEOUT)
            self._local.connection = found
            self._connections.append(found)
        return found

    def get(self, path: str) -> Object:
        return done(self.call("GET", path))

    def exists(self, path: str) -> bool:
        return self.call("GET", path).code == 200

    def create(self, collection: str, body: Object) -> Object:
        return done(self.call("POST", collection, body))

    def merge(self, path: str, patch: Object) -> Answer:
        return self.call("PATCH", path, patch, MERGE)

    def apply(self, path: str, body: Object, manager: str = "e2e") -> Answer:
        """Apply on the server's side."""
        return self.call("PATCH", path, body, APPLY, {"fieldManager": manager, "force": "true"})

    def delete(self, path: str) -> None:
        answer = self.call("DELETE", path)
        assert answer.code in (200, 202, 404), answer


def done(answer: Answer) -> Object:
    """Return the object in an answer that must be a good one."""
    assert answer.code in (200, 201, 202), answer
    found: Object = answer.body
    return found
