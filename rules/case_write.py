"""The write that a case of a suite describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.suite import Case, ResourceName
from rules.values import MISSING
from rules.write import Request, Resource, Roots, Write


def write_of(case: Case) -> Write:
    """Return the write that a case describes."""
    new = case.object if case.object is not None else merge_patch(case.old, case.patch)
    patch = case.patch if case.source == "audit" and case.patch is not None else MISSING
    request = _request(case, new)
    return Write(request, Roots(new), Roots(None if request.operation == "CREATE" else case.old), patch)


def _request(case: Case, new: Mapping[str, Any]) -> Request:
    asked = case.request
    creates = case.old is None if asked.operation is None else asked.operation == "CREATE"
    metadata = new.get("metadata")
    names = metadata if isinstance(metadata, Mapping) else {}
    kind = _text(new.get("kind"))
    group, _, version = _text(new.get("apiVersion")).rpartition("/")
    named = asked.resource or ResourceName(resource=plural(kind))
    default = "" if creates else "status"
    return Request(
        resource=Resource(
            group if named.group is None else named.group,
            version if named.version is None else named.version,
            named.resource,
            default if asked.subresource is None else asked.subresource,
        ),
        operation="CREATE" if creates else "UPDATE",
        kind=kind,
        namespace=_text(names.get("namespace")),
        name=_text(names.get("name")),
        username=asked.user.username,
        groups=tuple(asked.user.groups),
        field_manager=asked.field_manager,
        dry_run=asked.dry_run,
        namespace_labels=asked.namespace_labels,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def plural(kind: str) -> str:
    """Return the plural of a kind as Kubernetes guesses it (meta.UnsafeGuessKindToResource)."""
    singular = kind.lower()
    if singular.endswith(("s", "x", "ch", "sh")):
        return f"{singular}es"
    if singular.endswith("y") and singular[-2:-1] not in set("aeiou"):
        return f"{singular[:-1]}ies"
    return f"{singular}s"


def merge_patch(target: Any, patch: Any) -> Any:
    """Return what a JSON merge patch (RFC 7396) makes of a value."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
