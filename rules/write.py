"""The write that is judged: the object before and after, who asked for it, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.values import MISSING, Missing


class UndecodableError(Exception):
    """A part of an object that a rule reads cannot be decoded; the message is one line and says which and why."""


class Roots(dict[str, Any]):
    """The members of an object, by name; what is absent reads as None.

    A source that has the object still encoded gives `decode`, which is called for each member when a rule first reads it
    and may raise UndecodableError. Nothing else of the object is ever decoded.
    """

    __slots__ = ("_decode",)

    def __init__(self, members: Mapping[str, Any] | None = None, decode: Callable[[str], Any] | None = None) -> None:
        super().__init__(members or {})
        self._decode = decode

    def __missing__(self, name: str) -> Any:
        value = self[name] = self._decode(name) if self._decode else None
        return value


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

    `namespace_labels` is None where nobody knows them. `field_manager` is empty where the writer named none.
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


@dataclass(frozen=True, slots=True)
class Write:
    """One write: every source makes these, one evaluator judges them.

    `old` is empty when the write creates the object. `patch` is the body of the request where the source has seen it (the
    audit log), else MISSING.
    """

    request: Request
    new: Roots
    old: Roots = field(default_factory=Roots)
    patch: Any | Missing = MISSING

    @property
    def creates(self) -> bool:
        """Whether there was no object before."""
        return self.request.operation == "CREATE"
