"""The incident: one violation as it is told to people, by log lines, Events, reports and the web page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from rules.api import Action
from rules.write import Request, Resource, UndecodableError, Write
from webhook.display import Display, name, short
from webhook.message import Wording, last_writer_of
from webhook.sensitive import HIDDEN
from webhook.verdict import Judged, Verdict

MAX_IDENTIFIER: Final = 320
"""Characters of what names an object or a rule: a namespace and a name in Kubernetes have 63 and 253, and are never cut."""

_UNMASKED: Final = Display()
"""Shows values of which it is known already that nothing hides them."""


@dataclass(frozen=True, slots=True)
class Incident:
    """What happened, to which object, by whom. All text is cut, masked and escaped already.

    `at` is UTC, `rule` the title, `field` the concrete path. `old` and `new` are compact JSON, `unset` where absent, `<hidden>`
    where the field is sensitive. `action` is as judged (Audit while the object is being deleted), and `denied` says whether the
    write was refused, perhaps for another violation. `problem` is one sentence. `namespace` is empty for a cluster-scoped
    object, `object_uid` and the last writer where they are not known.
    """

    at: datetime
    rule: str
    invariant: str
    field: str
    old: str
    new: str
    action: Action
    denied: bool
    problem: str
    resource: Resource
    kind: str
    namespace: str
    name: str
    object_uid: str
    writer: str
    manager: str
    last_writer: str
    last_written: str
    request_uid: str

    @property
    def object(self) -> str:
        """The object as people write it: `namespace/name`, or its name alone."""
        return f"{self.namespace}/{self.name}".removeprefix("/")


IncidentSink: TypeAlias = Callable[[Incident], None]
"""Takes an incident; it must not block."""


def incidents(verdict: Verdict, write: Write, wording: Wording) -> list[Incident]:
    """Return an incident for each violation, all of the same time: now."""
    at = datetime.now(UTC)
    return [_incident(judged, verdict, write, wording, at) for judged in verdict.judged]


def _incident(judged: Judged, verdict: Verdict, write: Write, wording: Wording, at: datetime) -> Incident:
    violation, request = judged.violation, write.request
    entry = wording.entry(judged)
    last = last_writer_of(violation.field, write)
    return Incident(
        at=at,
        rule=_identifier(violation.rule),
        invariant=_identifier(violation.invariant),
        field=entry["field"],
        old=_value(entry["old"], violation.field, violation.finding.old),
        new=_value(entry["new"], violation.field, violation.finding.new),
        action=judged.action,
        denied=not verdict.allowed,
        problem=wording.problem(violation),
        resource=_resource(request),
        kind=_identifier(request.kind),
        namespace=_identifier(request.object_namespace),
        name=_identifier(request.name),
        object_uid=_identifier(_uid(write)),
        writer=name(request.username),
        manager=name(request.field_manager),
        last_writer=name(last.manager),
        last_written=name(last.time),
        request_uid=_identifier(request.uid),
    )


def _identifier(words: str) -> str:
    return short(words, MAX_IDENTIFIER)


def _value(shown: Any, field: str, value: Any) -> str:
    return HIDDEN if shown == HIDDEN else _UNMASKED.value(field, value)


def _resource(request: Request) -> Resource:
    of = request.resource
    return Resource(*map(_identifier, (of.group, of.version, of.resource, of.subresource)))


def _uid(write: Write) -> str:
    """Return the uid of the object, empty where neither side tells."""
    for side in (write.old, write.new):
        try:
            metadata = side["metadata"]
        except UndecodableError:
            continue
        uid = metadata.get("uid") if type(metadata) is dict else None
        if type(uid) is str:
            return uid
    return ""
