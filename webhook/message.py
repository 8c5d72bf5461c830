"""What a denial, a warning and an audit annotation say.

A denial reads, for a person who has never heard of us, as what happened, who did it, and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from rules import fieldpath
from rules.check import Finding
from rules.fieldpath import FieldPath
from rules.managed_fields import LastWriter, last_writer
from rules.path_syntax import FieldPathError
from rules.values import equal
from rules.violation import Violation
from rules.write import UndecodableError, Write
from webhook.display import MAX_VALUE, Display, cut, cut_bytes, name, short
from webhook.verdict import Judged, RuleError

MAX_MESSAGE: Final = 1_024
"""Bytes of a denial's message. The API server passes on 4 MB, and every client logs it."""

MAX_WARNING: Final = 120
"""Characters of a warning. The API server cuts at 256 and keeps 20 of 32; kubectl prints each on a line."""

MAX_ANNOTATION: Final = 4 * 1_024
"""Bytes of the audit annotation: it is in every audit event of the write."""

MAX_CAUSES: Final = 16

_MAX_SHOWN: Final = 32
"""Violations of which a denial tries to tell; no more fit into its message."""

_ADVICE: Final = {
    True: "The writer most likely worked from a stale copy: read the object again, recompute the status and write that; "
    "this is no field-manager conflict, do not force it.",
    False: "Read the object again and recompute what you write before you try again; "
    "this is no field-manager conflict, do not force it.",
}


class Wording:
    """Words for verdicts."""

    def __init__(self, display: Display) -> None:
        self._display = display

    def denial(self, violations: Sequence[Violation], write: Write) -> str:
        """Return the message of a denial, at most MAX_MESSAGE bytes; values are shortened first, then violations left out."""
        advice = _advice(violations)
        first = violations[0]
        writer = self.writer(first, write, "the field" if len(violations) == 1 else self._display.field(first.field))
        shown: list[str] = []
        for limit in (MAX_VALUE, 32, 16, 8):
            shown = [self._what(violation, limit) for violation in violations[:_MAX_SHOWN]]
            message = _joined(shown, len(violations), writer, advice)
            if _size(message) <= MAX_MESSAGE:
                return message
        while len(shown) > 1:
            shown.pop()
            message = _joined(shown, len(violations), writer, advice)
            if _size(message) <= MAX_MESSAGE:
                return message
        writer = cut_bytes(writer, MAX_MESSAGE // 4)
        room = MAX_MESSAGE - _size(_joined([""], len(violations), writer, advice))
        return _joined([cut_bytes(shown[0], room)], len(violations), writer, advice)

    def failure(self, errors: Sequence[RuleError]) -> str:
        """Return the message of a refusal because a rule with failurePolicy Fail could not judge, at most MAX_MESSAGE bytes."""
        first = next(error for error in errors if error.refuses)
        more = f" ({len(errors) - 1} more rules failed)" if len(errors) > 1 else ""
        reason = cut_bytes(short(first.message, MAX_MESSAGE), MAX_MESSAGE // 2)
        return (
            f"statusguard could not judge this write by rule {name(first.rule)}: {reason}{more}. "
            "The rule's failurePolicy is Fail, so the write is refused."
        )

    def causes(self, violations: Sequence[Violation], write: Write) -> list[dict[str, str]]:
        """Return `details.causes` of a denial. kubectl prints only these for an Invalid, so the last one says what to do."""
        causes = [
            {
                "reason": "FieldValueInvalid",
                "message": f"{self.problem(violation)} (rule {name(violation.rule)}, invariant {violation.invariant})",
                "field": self._display.field(violation.field),
            }
            for violation in violations[:MAX_CAUSES]
        ]
        last = violations[len(causes) - 1]
        causes[-1]["message"] += f". {self.writer(last, write)} {_advice(violations)}"
        return causes

    def warning(self, rule: str, violations: Sequence[Violation]) -> str:
        """Return the warning of one rule, at most MAX_WARNING characters."""
        more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
        first = violations[0]
        words = f"statusguard: {name(rule)}/{first.invariant}: {self._statement(first, 16)}"
        return cut(words, MAX_WARNING - len(more)) + more

    def failure_warning(self, error: RuleError) -> str:
        """Return the warning that a rule could not judge the write, which passes nevertheless."""
        return short(f"statusguard: {name(error.rule)} could not judge this write: {error.message}", MAX_WARNING)

    def annotation(self, judged: Sequence[Judged]) -> str:
        """Return the audit annotation: a JSON array, at most MAX_ANNOTATION bytes; what does not fit is left out."""
        entries: list[str] = []
        size = len("[]")
        for each in judged:
            entry = json.dumps(self.entry(each), ensure_ascii=False, separators=(",", ":"))
            size += _size(entry) + len(",")
            if size > MAX_ANNOTATION:
                break
            entries.append(entry)
        return f"[{','.join(entries)}]"

    def entry(self, judged: Judged) -> dict[str, Any]:
        """Return a violation as the audit annotation and our log say it."""
        violation = judged.violation
        return {
            "rule": name(violation.rule),
            "invariant": violation.invariant,
            "field": self._display.field(violation.field),
            "old": self._display.plain(violation.field, violation.finding.old),
            "new": self._display.plain(violation.field, violation.finding.new),
            "action": judged.action,
        }

    def problem(self, violation: Violation, limit: int = MAX_VALUE) -> str:
        """Return what the rule's author has to say, then what happened to the field, with values."""
        return f"{self._author(violation, limit)}{self._happened(violation, limit)}"

    def _author(self, violation: Violation, limit: int) -> str:
        """Return what the rule's author says of this write, else of the invariant, cut so that what happened is said too."""
        finding = violation.finding
        remark = "" if any(map(self._display.hides, finding.remark_reads)) else finding.remark
        words = short(remark or violation.message, 4 * limit).rstrip(" .:")
        return f"{words}: " if words else ""

    def _happened(self, violation: Violation, limit: int) -> str:
        finding, show = violation.finding, self._display.value
        words = finding.problem.format(
            old=show(finding.field, finding.old, limit), new=show(finding.field, finding.new, limit)
        )
        guard = f" while {self._guard(violation)}" if violation.guard else ""
        values = ", ".join(self._value(field, value, finding, limit) for field, value in finding.values)
        shown = f" ({cut(values, 512)})" if values else ""
        return f"{short(words, 512)}{guard}{shown}"

    def _guard(self, violation: Violation) -> str:
        """Return what `when` asks; the values that it asks for say what a hidden field holds."""
        hidden = [field for field in violation.guard_reads if self._display.hides(field)]
        if hidden:
            return f"{self._display.field(hidden[0])} is <hidden>"
        return short(violation.guard, 256)

    def _value(self, field: str, value: Any, finding: Finding, limit: int) -> str:
        before = ""
        if field == finding.field and not equal(finding.old, finding.new):
            before = f" (was {self._display.value(field, finding.old, limit)})"
        return f"{self._display.field(field)} = {self._display.value(field, value, limit)}{before}"

    def writer(self, violation: Violation, write: Write, field: str = "the field") -> str:
        """Return the sentence that says who writes, and who wrote the field (called so) last and when."""
        request = write.request
        manager = f' with field manager "{name(request.field_manager)}"' if request.field_manager else ""
        last = last_writer_of(violation.field, write)
        if not last.manager:
            before = f"who wrote {field} last is unknown"
        else:
            at = f" at {last.time}" if last.time else ""
            before = f'{field} was last written by "{name(last.manager)}"{at}'
        return f'Written by "{name(request.username)}"{manager}; {before}.'

    def _what(self, violation: Violation, limit: int) -> str:
        return f"{self._statement(violation, limit)} (rule {name(violation.rule)}, invariant {violation.invariant})"

    def _statement(self, violation: Violation, limit: int) -> str:
        field = self._display.field(violation.field)
        return f"{self._author(violation, limit)}{field} {self._happened(violation, limit)}"


def last_writer_of(field: str, write: Write) -> LastWriter:
    """Return who wrote a concrete field last, as far as the old object's managedFields tell."""
    try:
        return last_writer(write.old["metadata"], write.old["apiVersion"], _owned(field))
    except UndecodableError:
        return LastWriter("", "")


def _owned(field: str) -> FieldPath:
    """Return the path by which the owner of a concrete field is found."""
    try:
        return fieldpath.parse(field)
    except FieldPathError:
        # An object is the key of an item: such a list has no keys for the API server, so one manager owns all of it.
        return fieldpath.parse(field.partition("[")[0])


def _advice(violations: Sequence[Violation]) -> str:
    return _ADVICE[all(violation.cured_by_waiting for violation in violations)]


def _joined(what: Sequence[str], total: int, writer: str, advice: str) -> str:
    more = total - len(what)
    rest = f"; and {more} more" if more else ""
    return f"{'; '.join(what)}{rest}. {writer} {advice}"


def _size(words: str) -> int:
    return len(words.encode())
