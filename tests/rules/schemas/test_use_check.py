from __future__ import annotations

import pytest

from rules.fieldpath import parse
from rules.roles import Role
from rules.schemas.use_check import check
from rules.schemas.uses import Use

from .described import widget


@pytest.mark.parametrize(
    ("role", "path", "severity"),
    [
        (Role.ANYTHING, "status.conditions", None),
        (Role.NUMBER, "status.replicas", None),
        (Role.NUMBER, "status.hash", "error"),
        (Role.NUMBER, "status.startTime", "error"),
        (Role.NUMBER, "status.capacity", "warning"),
        (Role.NUMBER, "status.holds", "error"),
        (Role.NUMBER, "status.extra.any", None),
        (Role.ORDERED, "status.replicas", None),
        (Role.ORDERED, "status.startTime", None),
        (Role.ORDERED, "status.capacity", None),
        (Role.ORDERED, "status.hash", None),  # text without a format may be a quantity or a time
        (Role.ORDERED, "status.id", "error"),
        (Role.ORDERED, "status.ready", "error"),
        (Role.ORDERED, "status.conditions", "error"),
        (Role.SCALAR, "status.phase", None),
        (Role.SCALAR, "status.ready", None),
        (Role.SCALAR, "status.capacity", None),
        (Role.SCALAR, "status.conditions", "error"),
        (Role.SCALAR, "status.holds", "error"),
        (Role.TEXT, "status.hash", None),
        (Role.TEXT, "status.replicas", "error"),
        (Role.CONDITIONS, "status.conditions", None),
        (Role.CONDITIONS, "status.history", "error"),
        (Role.CONDITIONS, "status.messages", "error"),
        (Role.CONDITIONS, "status.holds", "error"),
    ],
)
def test_what_a_role_can_be_fulfilled_by(role: Role, path: str, severity: str | None) -> None:
    found = list(check(Use(("x",), parse(path), role), widget()))
    assert [(each.code, each.severity) for each in found] == ([("wrong-type", severity)] if severity else [])


def test_a_finding_is_where_the_step_is_in_the_string() -> None:
    (inside,) = check(Use(("x",), parse("status.replica"), offset=4), widget())
    assert (inside.location, inside.offset) == (("x",), 11)
    (elsewhere,) = check(Use(("x",), parse("status.replica"), offset=None), widget())
    assert elsewhere.offset is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("status.phase", "Running", None),
        ("status.phase", "running", 'status.phase is never "running", did you mean "Running"?'),
        ("status.phase", "Gone", 'status.phase is never "Gone", expected one of Failed, Pending, Running'),
        ("status.ready", "true", None),
        ("status.ready", "True", 'status.ready is never "True", did you mean "true"?'),
        ("status.hash", "anything", None),
        (
            "status.conditions[type=Ready].status",
            "Yes",
            'status.conditions[type=Ready].status is never "Yes", expected',
        ),
    ],
)
def test_values_that_the_field_never_has(path: str, value: str, message: str | None) -> None:
    found = list(check(Use(("x",), parse(path), Role.SCALAR, values=((("x", "values", 0), value),)), widget()))
    assert [each.location for each in found] == ([("x", "values", 0)] if message else [])
    for each in found:
        assert (each.code, each.severity) == ("unknown-value", "warning")
        assert (each.what + each.rest).startswith(str(message))
