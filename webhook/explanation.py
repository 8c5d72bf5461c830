"""What `explain` says of a rule, as text, as JSON and as a test suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from rules.api import API_VERSION, InvariantBase
from rules.compile import CompiledInvariant, CompiledRule
from rules.explanation import consequences, subject
from rules.suite import KIND
from rules.witness.cases import Example
from rules.witness.witnesses import Pair, Witnesses, witnesses
from rules.yaml_writer import write_yaml
from webhook.display import escape
from webhook.verdict import CONFLICT, CodeAndReason, decide, default_code

_WIDTH: Final = 110

_WHY: Final = {
    True: "the writer's copy was stale, and to read again and recompute cures it",
    False: "the same write would be refused again",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """A rule with its document and the examples of its invariants."""

    rule: CompiledRule
    document: Mapping[str, Any]
    found: tuple[Witnesses, ...]

    @property
    def heading(self) -> str:
        """The rule's name and kind."""
        return f"{self.rule.title} ({self.rule.source.kind})"

    @property
    def introduction(self) -> list[str]:
        """What the rule is about, and what it does."""
        return [*subject(self.rule.source), *consequences(self.rule.source.spec)]

    @property
    def invariants(self) -> list[ExplainedInvariant]:
        """The invariants, in the rule's order."""
        sources = self.rule.source.spec.invariants
        parts = zip(sources, self.rule.invariants, self.found, strict=True)
        return [ExplainedInvariant(self.rule, *part) for part in parts]

    def as_text(self) -> Iterator[str]:
        """Yield the lines that a person reads; the cases can be pasted into a suite."""
        yield self.heading
        yield ""
        for sentence in self.introduction:
            yield from _wrapped(sentence)
        for invariant in self.invariants:
            yield ""
            yield invariant.heading
            for sentence in invariant.sentences:
                yield from _wrapped(sentence, "  ")
            for example in invariant.examples:
                yield ""
                yield from (f"  {line}" for line in _item(case_of(example)))

    def as_suite(self) -> Iterator[str]:
        """Yield the lines of a suite that holds the rule and all cases; of a rule without cases only comments."""
        yield from _comment(self.heading)
        for sentence in self.introduction:
            yield from _comment(sentence)
        if any(invariant.examples for invariant in self.invariants):
            head = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": self.rule.source.metadata.name}}
            yield from write_yaml(head).splitlines()
            yield "rules:"
            yield from _item(self.document)
            yield "cases:"
        for invariant in self.invariants:
            yield from _comment(invariant.heading)
            for sentence in invariant.sentences:
                yield from _comment(sentence)
            for example in invariant.examples:
                yield from _item(case_of(example))

    def as_json(self) -> dict[str, Any]:
        """Return all of it for programs."""
        return {
            "rule": self.rule.title,
            "kind": self.rule.source.kind,
            "introduction": self.introduction,
            "invariants": [invariant.as_json() for invariant in self.invariants],
        }


@dataclass(frozen=True, slots=True)
class ExplainedInvariant:
    """An invariant of a rule with its examples."""

    rule: CompiledRule
    source: InvariantBase
    compiled: CompiledInvariant
    found: Witnesses

    @property
    def heading(self) -> str:
        """The invariant's name and kind."""
        return f"{self.compiled.name} ({self.compiled.kind})"

    @property
    def demands(self) -> list[str]:
        """What the invariant demands."""
        return self.source.spec.sentences() or ["It demands nothing."]

    @property
    def denial(self) -> CodeAndReason | None:
        """The code and reason of a denial for this invariant alone; None if nothing is denied, or no example tells."""
        broken = self.found.admission.breaking
        spec = self.rule.source.spec
        if broken is None or spec.action != "Deny":
            return None
        violation = next(each for each in broken.verdict.violations if each.invariant == self.compiled.name)
        return spec.denial.pair() if spec.denial else default_code(violation, broken.write)

    @property
    def pairs(self) -> list[Pair]:
        """The examples of each source; at admission only if one breaks the invariant there, or nothing else tells."""
        only_audit = self.found.admission.breaking is None and self.found.audit.breaking is not None
        return [self.found.audit] if only_audit else [self.found.admission, self.found.audit]

    @property
    def examples(self) -> list[Example]:
        """The examples that are shown, those that pass first."""
        return [example for pair in self.pairs for example in (pair.passing, pair.breaking) if example is not None]

    @property
    def sentences(self) -> list[str]:
        """Everything that is said of the invariant beside its examples."""
        said = [f"While {self.compiled.guard}:"] if self.compiled.guard else []
        said += self.demands
        if self.compiled.message:
            said.append(f'The rule\'s author says: "{self.compiled.message}"')
        if self.denial and not self.rule.source.spec.denial:
            code, reason = self.denial
            said.append(f"A denial is {code} {reason}: {_WHY[self.denial == CONFLICT]}.")
        return [*said, *self._not_found()]

    def _not_found(self) -> Iterator[str]:
        if self.found.not_sought:
            yield self.found.not_sought
            return
        first = self.pairs[0]
        if first is self.found.audit:
            yield "At admission nothing tells that it is broken; the audit log does."
        if first.breaking is None:
            yield "No example of a write that breaks it was found."
        if first.passing is None:
            yield "No example of a write that passes was found."

    def as_json(self) -> dict[str, Any]:
        """Return all of it for programs; examples that were not found are null."""
        code, reason = self.denial or (None, None)
        admission, audit = self.found.admission, self.found.audit
        return {
            "name": self.compiled.name,
            "kind": self.compiled.kind,
            "while": self.compiled.guard,
            "demands": self.demands,
            "message": self.compiled.message,
            "denial": {"code": code, "reason": reason} if self.denial else None,
            "passes": admission.passing and case_of(admission.passing),
            "breaks": admission.breaking and case_of(admission.breaking),
            "passesInAuditLog": audit.passing and case_of(audit.passing),
            "breaksInAuditLog": audit.breaking and case_of(audit.breaking),
        }


def explain(rule: CompiledRule, document: Mapping[str, Any]) -> Explanation:
    """Return what there is to say of a rule, which was compiled from `document`."""
    return Explanation(rule, document, tuple(witnesses(rule)))


def case_of(example: Example) -> dict[str, Any]:
    """Return an example as a case of a suite, with what comes of it."""
    verdict = decide([example.verdict], example.write)
    broken = [
        {"rule": violation.rule, "invariant": violation.invariant, "field": violation.field}
        for violation in example.verdict.violations
    ]
    expected: dict[str, Any] = {"allowed": verdict.allowed}
    if verdict.code_and_reason:
        expected["code"], _ = verdict.code_and_reason
    if example.case.get("source") == "audit":
        expected = {}
    return {**example.case, "expect": {**expected, "violations": broken}}


def _item(value: Any) -> list[str]:
    """Return the lines of a list with one item."""
    return write_yaml([value]).splitlines()


def _wrapped(sentence: str, indent: str = "") -> list[str]:
    further = f"{indent}  "
    return wrap(
        escape(sentence),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _comment(sentence: str) -> list[str]:
    return [f"# {line}" for line in _wrapped(sentence)]
