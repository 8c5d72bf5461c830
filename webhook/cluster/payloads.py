"""The API server's answers, decoded: lists, watch events, and its word for what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from http.client import responses
from typing import Any, TypeAlias, TypeVar

import msgspec

from webhook.cluster.errors import ApiError, UnreadableError

Object: TypeAlias = dict[str, Any]
"""An object of the API as it is in JSON."""

Key: TypeAlias = tuple[str, str]
"""Namespace, empty for what has none, and name."""

_Decoded = TypeVar("_Decoded")


@dataclass(frozen=True, slots=True)
class Listing:
    """All objects of a list, and the resourceVersion from which a watch continues."""

    items: tuple[Object, ...]
    resource_version: str


class WatchEvent(msgspec.Struct, frozen=True):
    """What a watch says: `type` is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.

    Of a bookmark's object only the resourceVersion counts; that of an error is a Status.
    """

    type: str
    object: Object


class ListMeta(msgspec.Struct, frozen=True):
    """`following` is the token that asks for the next page, empty on the last one."""

    resource_version: str = msgspec.field(name="resourceVersion")
    following: str = msgspec.field(name="continue", default="")


class Page(msgspec.Struct, frozen=True):
    """One page of a list. Go writes a list of nothing as null."""

    kind: str
    api_version: str = msgspec.field(name="apiVersion")
    metadata: ListMeta
    items: tuple[Object, ...] | None

    def objects(self) -> tuple[Object, ...]:
        """Return the objects, each with the `apiVersion` and `kind` that the API server leaves out for built-in kinds."""
        names = {"apiVersion": self.api_version, "kind": self.kind.removesuffix("List")}
        return tuple({**names, **item} for item in self.items or ())


class _Name(msgspec.Struct, frozen=True):
    name: str
    namespace: str = ""


class _Version(msgspec.Struct, frozen=True):
    resource_version: str = msgspec.field(name="resourceVersion")


class _Named(msgspec.Struct, frozen=True):
    metadata: _Name


class _Versioned(msgspec.Struct, frozen=True):
    metadata: _Version


class _Details(msgspec.Struct, frozen=True):
    retry_after: int | None = msgspec.field(name="retryAfterSeconds", default=None)


class _Status(msgspec.Struct, frozen=True):
    code: int
    reason: str = ""
    message: str = ""
    details: _Details | None = None


def decode(body: bytes, kind: type[_Decoded]) -> _Decoded:
    """Return what a body holds. Raises UnreadableError."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnreadableError(f"{error}, in {body[:100]!r}") from error


def key_of(found: Object) -> Key:
    """Return an object's namespace and name. Raises UnreadableError."""
    metadata = _converted(found, _Named).metadata
    return metadata.namespace, metadata.name


def version_of(found: Object) -> str:
    """Return an object's resourceVersion. Raises UnreadableError."""
    return _converted(found, _Versioned).metadata.resource_version


def refusal(code: int, body: bytes, retry_after: str | None) -> ApiError:
    """Return the error for an HTTP answer. `retry_after` is the header; not every refusal is written by Kubernetes itself."""
    seconds = int(retry_after) if retry_after and retry_after.isascii() and retry_after.isdigit() else None
    phrase = responses.get(code, "unknown")
    try:
        status = msgspec.json.decode(body, type=_Status)
    except (msgspec.DecodeError, RecursionError):
        return ApiError(code, phrase, body.decode(errors="replace").strip(), seconds)
    return ApiError(code, status.reason or phrase, status.message, seconds)


def reported(event: WatchEvent) -> ApiError:
    """Return the error that a watch event reports. Raises UnreadableError."""
    status = _converted(event.object, _Status)
    return ApiError(status.code, status.reason, status.message, status.details.retry_after if status.details else None)


def _converted(found: Object, kind: type[_Decoded]) -> _Decoded:
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        raise UnreadableError(f"{error}, in {str(found)[:100]}") from error
