"""What a denial, a warning and an audit annotation say.

A denial reads, for a person who has never heard of us, as what happened, who did it, and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from rules import fieldpath
from rules.managed_fields import LastWriter, last_writer
from rules.path_syntax import FieldPathError
from rules.violation import Violation
from rules.write import UndecodableError, Write
from webhook.display import MAX_VALUE, Display, cut, escape, name
from webhook.verdict import Judged, RuleError

MAX_MESSAGE: Final = 1_024
"""Bytes of a denial's message. The API server passes on 4 MB, and every client logs it."""

MAX_WARNING: Final = 120
"""Characters of a warning. The API server cuts at 256 and keeps 20 of 32; kubectl prints each on a line."""

MAX_ANNOTATION: Final = 4 * 1_024
"""Bytes of the audit annotation: it is in every audit event of the write."""

MAX_CAUSES: Final = 16

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
        advice = _ADVICE[all(violation.cured_by_waiting for violation in violations)]
        writer = self.writer(violations[0], write)
        for limit in (MAX_VALUE, 32, 16, 8):
            message = _joined([self._what(violation, limit) for violation in violations], 0, writer, advice)
            if _size(message) <= MAX_MESSAGE:
                return message
        for count in range(min(len(violations), 32), 0, -1):
            shown = [self._what(violation, 8) for violation in violations[:count]]
            message = _joined(shown, len(violations) - count, writer, advice)
            if _size(message) <= MAX_MESSAGE:
                return message
        what = self._what(violations[0], 8)
        room = MAX_MESSAGE - _size(_joined([""], len(violations) - 1, "", advice))
        return _joined([_cut_bytes(what, room)], len(violations) - 1, "", advice)

    def failure(self, errors: Sequence[RuleError]) -> str:
        """Return the message of a refusal because a rule with failurePolicy Fail could not judge."""
        first = next(error for error in errors if error.refuses)
        more = f" ({len(errors) - 1} more rules failed)" if len(errors) > 1 else ""
        reason = cut(escape(first.message), 256)
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
                "field": name(violation.field),
            }
            for violation in violations[:MAX_CAUSES]
        ]
        advice = _ADVICE[all(violation.cured_by_waiting for violation in violations)]
        causes[-1]["message"] += f". {self.writer(violations[0], write)} {advice}"
        return causes

    def warning(self, rule: str, violations: Sequence[Violation]) -> str:
        """Return the warning of one rule, at most MAX_WARNING characters."""
        more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
        first = violations[0]
        words = f"statusguard: {name(rule)}/{first.invariant}: {name(first.field)} {self.problem(first, 16)}"
        return cut(words, MAX_WARNING - len(more)) + more

    def failure_warning(self, error: RuleError) -> str:
        """Return the warning that a rule could not judge the write, which passes nevertheless."""
        return cut(f"statusguard: {name(error.rule)} could not judge this write: {escape(error.message)}", MAX_WARNING)

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
            "field": name(violation.field),
            "old": self._plain(violation.field, violation.finding.old),
            "new": self._plain(violation.field, violation.finding.new),
            "action": judged.action,
        }

    def problem(self, violation: Violation, limit: int = MAX_VALUE) -> str:
        """Return what happened to the field, with values, and before it what the rule's author has to say."""
        finding, show = violation.finding, self._display.value
        words = finding.problem.format(
            old=show(finding.field, finding.old, limit), new=show(finding.field, finding.new, limit)
        )
        values = ", ".join(f"{name(field)} = {show(field, value, limit)}" for field, value in finding.values)
        guard = f" while {cut(escape(violation.guard), 256)}" if violation.guard else ""
        author = f" [{escape(violation.message)}]" if violation.message else ""
        shown = f" ({cut(values, 512)})" if values else ""
        return f"{cut(escape(words), 512)}{guard}{shown}{author}"

    def writer(self, violation: Violation, write: Write) -> str:
        """Return the sentence that says who writes, and who wrote the field last and when."""
        request = write.request
        manager = f' with field manager "{name(request.field_manager)}"' if request.field_manager else ""
        last = last_writer_of(violation.field, write)
        if not last.manager:
            before = "who wrote the field last is unknown"
        else:
            at = f" at {last.time}" if last.time else ""
            before = f'the field was last written by "{name(last.manager)}"{at}'
        return f'Written by "{name(request.username)}"{manager}; {before}.'

    def _what(self, violation: Violation, limit: int) -> str:
        field = name(violation.field)
        return (
            f"{field} {self.problem(violation, limit)} (rule {name(violation.rule)}, invariant {violation.invariant})"
        )

    def _plain(self, field: str, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if self._display.hides(field):
            return self._display.value(field, value)
        if isinstance(value, str):
            return cut(escape(value[: MAX_VALUE + 1]), MAX_VALUE)
        if isinstance(value, int) and abs(value) < 2**53:
            return value  # JSON readers hold numbers as doubles: what does not fit one is text
        return str(value)[:MAX_VALUE] if isinstance(value, Decimal) else self._display.value(field, value)


def last_writer_of(field: str, write: Write) -> LastWriter:
    """Return who wrote a concrete field last, as far as the old object's managedFields tell."""
    try:
        path = fieldpath.parse(field)
        return last_writer(write.old["metadata"], write.old["apiVersion"], path)
    except (FieldPathError, UndecodableError):
        return LastWriter("", "")


def _joined(what: Sequence[str], more: int, writer: str, advice: str) -> str:
    rest = f"; and {more} more" if more else ""
    return " ".join(part for part in ("; ".join(what) + rest + ".", writer, advice) if part)


def _size(words: str) -> int:
    return len(words.encode("utf-8", "replace"))


def _cut_bytes(words: str, room: int) -> str:
    return words.encode("utf-8", "replace")[: max(room - 3, 0)].decode("utf-8", "ignore") + "…"
