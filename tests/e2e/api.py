"""A client of the API server: what a controller, or kubectl, sends."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPSConnection
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
    """One user of one API server. Each request has a connection of its own."""

    def __init__(self, port: int, authority: bytes, token: str) -> None:
        self._port = port
        self._trust = ssl.create_default_context(cadata=authority.decode())
        self._token = token

    def call(
        self, method: str, path: str, body: Any = None, content_type: str = JSON, query: Mapping[str, str] | None = None
    ) -> Answer:
        """Send one request. Raises OSError or HTTPException if there is no answer."""
        target = f"{path}?{urlencode(query)}" if query else path
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content_type}
        with closing(HTTPSConnection("127.0.0.1", self._port, context=self._trust, timeout=TIMEOUT)) as connection:
            connection.request(method, target, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
        is_json = JSON in response.headers.get("Content-Type", "")
        warnings = tuple(response.headers.get_all("Warning") or ())
        return Answer(response.status, json.loads(text) if is_json else text.decode(), warnings)

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
