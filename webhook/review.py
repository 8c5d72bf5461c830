"""AdmissionReview v1: bytes to a `Write`, a `Verdict` to bytes.

The objects are split into their roots (`metadata`, `spec`, `status`) and left encoded; a root is decoded when a rule first
reads it. A review that no rule matches costs the request's metadata and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from typing import Any, Final, Literal, TypeAlias

import msgspec

from rules.write import Request, Resource, Roots, UndecodableError, Write

API_VERSION: Final = "admission.k8s.io/v1"

Members: TypeAlias = Mapping[str, msgspec.Raw] | Literal[False] | None
"""An object's members, still encoded; None where the object is missing and False where it is no object."""

_OBJECTS: Final = frozenset({"object", "oldObject"})

Reason = Literal["empty", "not_json", "not_a_review"]


class NotAReviewError(Exception):
    """A body that is no AdmissionReview v1: `reason` is the metric's label, the message is one line."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason


class _GroupVersionKind(msgspec.Struct, frozen=True):
    group: str | None = None
    version: str | None = None
    kind: str | None = None


class _GroupVersionResource(msgspec.Struct, frozen=True):
    group: str | None = None
    version: str | None = None
    resource: str | None = None


class _UserInfo(msgspec.Struct, frozen=True):
    username: str | None = None
    groups: list[str] | None = None


class _Options(msgspec.Struct, frozen=True):
    field_manager: str | None = msgspec.field(default=None, name="fieldManager")


class _Metadata(msgspec.Struct, frozen=True, rename="camel"):
    uid: str | None = None
    kind: _GroupVersionKind | None = None
    resource: _GroupVersionResource | None = None
    sub_resource: str | None = None
    name: str | None = None
    namespace: str | None = None
    operation: str | None = None
    user_info: _UserInfo | None = None
    dry_run: bool | None = None
    options: _Options | None = None


class _SplitRequest(_Metadata, frozen=True, rename="camel"):
    object: dict[str, msgspec.Raw] | None = None
    old_object: dict[str, msgspec.Raw] | None = None


class _WholeRequest(_Metadata, frozen=True, rename="camel"):
    object: msgspec.Raw = msgspec.Raw(b"null")
    old_object: msgspec.Raw = msgspec.Raw(b"null")


class _SplitReview(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str | None = None
    kind: str | None = None
    request: _SplitRequest | None = None


class _WholeReview(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str | None = None
    kind: str | None = None
    request: _WholeRequest | None = None


class _DetailsReview(msgspec.Struct, frozen=True):
    request: dict[str, msgspec.Raw]


def _decimal(written: str) -> Decimal:
    try:
        return Decimal(written)
    except InvalidOperation:
        raise ValueError("number out of range") from None


_split_decoder: Final = msgspec.json.Decoder(_SplitReview)
_whole_decoder: Final = msgspec.json.Decoder(_WholeReview)
_details_decoder: Final = msgspec.json.Decoder(_DetailsReview)
_value_decoder: Final = msgspec.json.Decoder(float_hook=_decimal)


@dataclass(frozen=True, slots=True)
class Review:
    """An AdmissionReview's request, with the objects still encoded."""

    request: Request
    old: Members
    new: Members

    def write(self) -> Write:
        """Return the write to judge; what a rule reads of an object that is missing or no object is undecodable."""
        old = Roots() if self.request.operation == "CREATE" else _roots("oldObject", self.old)
        return Write(self.request, _roots("object", self.new), old)


def decode(body: bytes) -> Review:
    """Decode an AdmissionReview. Raises NotAReviewError."""
    if not body.strip():
        raise NotAReviewError("empty", "the body is empty")
    try:
        review = _decode_review(body)
    except msgspec.ValidationError as error:
        raise NotAReviewError("not_a_review", f"the body is no AdmissionReview: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotAReviewError("not_json", f"the body is not JSON: {error}") from None
    except RecursionError:
        raise NotAReviewError("not_json", "the body is nested too deeply") from None
    if review.api_version != API_VERSION or review.kind != "AdmissionReview":
        found = _found(review.kind, review.api_version)
        raise NotAReviewError("not_a_review", f"the body {found}, expected AdmissionReview of {API_VERSION}")
    if review.request is None:
        raise NotAReviewError("not_a_review", "the AdmissionReview has no request")
    if not review.request.uid:
        raise NotAReviewError("not_a_review", "the request has no uid")
    return _review(review.request, body)


def _decode_review(body: bytes) -> _SplitReview | _WholeReview:
    try:
        return _split_decoder.decode(body)
    except msgspec.ValidationError:
        # Perhaps only because an object is none, which is for the rules that read it to mind.
        return _whole_decoder.decode(body)


def _review(request: _SplitRequest | _WholeRequest, body: bytes) -> Review:
    resource = request.resource or _GroupVersionResource()
    user = request.user_info or _UserInfo()
    return Review(
        Request(
            resource=Resource(
                resource.group or "", resource.version or "", resource.resource or "", request.sub_resource or ""
            ),
            operation=request.operation or "",
            kind=(request.kind and request.kind.kind) or "",
            namespace=request.namespace or "",
            name=request.name or "",
            username=user.username or "",
            groups=tuple(user.groups or ()),
            field_manager=(request.options and request.options.field_manager) or "",
            dry_run=bool(request.dry_run),
            uid=request.uid or "",
            details=cache(partial(_details, body)),
        ),
        _side(request.old_object),
        _side(request.object),
    )


def _details(body: bytes) -> dict[str, Any]:
    """Return what a request says beside its objects, for CEL: all that the API server sent. Raises UndecodableError."""
    details: dict[str, Any] = {}
    for name, raw in _details_decoder.decode(body).request.items():
        if name in _OBJECTS:
            continue
        try:
            details[name] = msgspec.json.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UndecodableError(f"request.{name} cannot be decoded: {error}") from None
        except RecursionError:
            raise UndecodableError(f"request.{name} is nested too deeply") from None
    return details


def _side(value: dict[str, msgspec.Raw] | msgspec.Raw | None) -> Members:
    if not isinstance(value, msgspec.Raw):
        return value
    try:
        return msgspec.json.decode(value, type=dict[str, msgspec.Raw] | None)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False


def _roots(side: str, members: Members) -> Roots:
    def decode_root(name: str) -> Any:
        if members is None:
            raise UndecodableError(f"the request has no {side}")
        if members is False:
            raise UndecodableError(f"{side} is no object")
        raw = members.get(name)
        if raw is None:
            return None
        try:
            return _value_decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UndecodableError(f"{side}.{name} cannot be decoded: {error}") from None
        except RecursionError:
            raise UndecodableError(f"{side}.{name} is nested too deeply") from None

    return Roots(decode=decode_root, encoded=members or ())


def _found(kind: str | None, api_version: str | None) -> str:
    missing = [name for name, value in (("kind", kind), ("apiVersion", api_version)) if not value]
    return f"has no {' and no '.join(missing)}" if missing else f"is {_shown(kind)} of {_shown(api_version)}"


def _shown(value: str | None) -> str:
    return repr((value or "")[:64])
