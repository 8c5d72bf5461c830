"""The write that is judged: the object before and after, who asked for it, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.values import MISSING, Missing


class UndecodableError(Exception):
    """A part of an object that a rule reads cannot be decoded; the message is one line and says which and why."""


class Roots(dict[str, Any]):
    """The members of an object, by name; what is absent reads as None.

    A source that has the object still encoded gives `decode`, which is called for each member when a rule first reads it
    and may raise UndecodableError, and the `encoded` names. Nothing else of the object is ever decoded.
    """

    __slots__ = ("_decode", "_encoded")

    def __init__(
        self,
        members: Mapping[str, Any] | None = None,
        decode: Callable[[str], Any] | None = None,
        encoded: Iterable[str] = (),
    ) -> None:
        super().__init__(members or {})
        self._decode = decode
        self._encoded = tuple(encoded)

    def __missing__(self, name: str) -> Any:
        value = self[name] = self._decode(name) if self._decode else None
        return value

    def names(self) -> list[str]:
        """Return the names of all members that the object may have."""
        return list(dict.fromkeys((*self._encoded, *self)))


@dataclass(frozen=True, slots=True)
class Resource:
    """What is written to, as the rules' resourceRules name it; `subresource` is empty for the object itself."""

    group: str
    version: str
    resource: str
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """Who wants to write what.

    `namespace_labels` is None where nobody knows them. `field_manager` is empty where the writer named none. `details` returns
    what else an AdmissionRequest says, where there is one.
    """

    resource: Resource
    operation: str = "UPDATE"
    kind: str = ""
    namespace: str = ""
    name: str = ""
    username: str = ""
    groups: tuple[str, ...] = ()
    field_manager: str = ""
    dry_run: bool = False
    uid: str = ""
    namespace_labels: Mapping[str, str] | None = None
    details: Callable[[], Mapping[str, Any]] | None = field(default=None, compare=False, repr=False)

    @property
    def title(self) -> str:
        """What is done to what, in words: `UPDATE of widgets/status of example.test/v1`."""
        of = self.resource
        name = f"{of.resource}/{of.subresource}".rstrip("/")
        return f"{self.operation} of {name} of {of.group or 'the core group'}/{of.version}"

    @property
    def is_for_a_namespace(self) -> bool:
        """Whether the object is a Namespace."""
        return self.resource.group == "" and self.resource.resource == "namespaces"

    @property
    def object_namespace(self) -> str:
        """The namespace that the object is in, empty for a Namespace: its requests have its own name as `namespace`."""
        return "" if self.is_for_a_namespace else self.namespace

    def for_cel(self) -> dict[str, Any]:
        """Return the request as the CEL variable `request` has it: an AdmissionRequest without its objects."""
        of = self.resource
        kind = {"group": of.group, "version": of.version, "kind": self.kind}
        resource = {"group": of.group, "version": of.version, "resource": of.resource}
        known = {
            "kind": kind,
            "resource": resource,
            "subResource": of.subresource,
            "requestKind": kind,
            "requestResource": resource,
            "requestSubResource": of.subresource,
            "name": self.name,
            "namespace": self.namespace,
            "operation": self.operation,
            "userInfo": {"username": self.username, "groups": list(self.groups)},
            "dryRun": self.dry_run,
            "options": {"fieldManager": self.field_manager} if self.field_manager else {},
            "uid": self.uid,
        }
        details = self.details() if self.details else {}
        return {**known, **{name: value for name, value in details.items() if value is not None}}


@dataclass(frozen=True, slots=True)
class Write:
    """One write: every source makes these, one evaluator judges them.

    `old` is empty when the write creates the object. `patch` is the body of the request where the source has seen it (the
    audit log), else MISSING. `memo` is what was found out about the objects already, for checks that ask the same again.
    """

    request: Request
    new: Roots
    old: Roots = field(default_factory=Roots)
    patch: Any | Missing = MISSING
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def creates(self) -> bool:
        """Whether there was no object before."""
        return self.request.operation == "CREATE"
