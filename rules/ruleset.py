"""The rule set: which rules a request concerns, and what they say of a write. The one evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from rules.cel.program import CelRuntimeError
from rules.check import Finding
from rules.compile import CompiledInvariant, CompiledRule
from rules.match_conditions import all_hold
from rules.matching import ResourceRule, UnknownLabelsError, selects_namespace, selects_object
from rules.reading import Tally
from rules.values import equal
from rules.violation import RuleVerdict, Violation
from rules.write import Request, Resource, UndecodableError, Write

_MAX_REMEMBERED: Final = 4_096
"""Resources for which the rules are remembered: several times what the largest clusters serve."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A rule that covers a resource, with those of its resource rules that do."""

    rule: CompiledRule
    included: Sequence[ResourceRule]
    excluded: Sequence[ResourceRule]

    def concerns(self, request: Request) -> bool:
        """Tell whether the rule is about a request for the resource."""
        namespace = self.rule.namespace
        return (
            any(named.admits(request) for named in self.included)
            and not any(named.admits(request) for named in self.excluded)
            and (namespace is None or namespace == request.object_namespace)
        )


MAX_COMPARISONS: Final = 200_000
"""Values that one rule may compare in one write; more is an error, and the rule's failurePolicy decides.

The largest rule (64 invariants of 32 fields) over a list of 100 items that all changed. It keeps one write below half a second
of processor time (`tests/rules/test_bounds.py`), as the budget of a CEL expression does in the API server.
"""

MAX_VIOLATIONS: Final = 1_000
"""Violations of one rule that are looked for in one write: what becomes of it is decided by the first."""


class TooMuchError(Exception):
    """A rule has more to compare in a write than MAX_COMPARISONS."""


class RuleSet:
    """Compiled rules, looked up by resource. Immutable: a change of rules is a new set."""

    def __init__(self, rules: Iterable[CompiledRule]) -> None:
        self.rules = tuple(rules)
        self._by_resource: dict[Resource, tuple[_Candidate, ...]] = {}

    def concerned(self, request: Request) -> list[CompiledRule]:
        """Return the rules that a request concerns, as far as the request alone decides."""
        candidates = self._by_resource.get(request.resource)
        if candidates is None:
            candidates = self._remember(request.resource)
        return [candidate.rule for candidate in candidates if candidate.concerns(request)]

    def _remember(self, resource: Resource) -> tuple[_Candidate, ...]:
        found = (_Candidate(rule, *rule.source.spec.match_constraints.covering(resource)) for rule in self.rules)
        candidates = tuple(candidate for candidate in found if candidate.included)
        if len(self._by_resource) < _MAX_REMEMBERED:
            self._by_resource[resource] = candidates
        return candidates


def judge(rules: Sequence[CompiledRule], write: Write) -> list[RuleVerdict]:
    """Judge a write by the rules that its request concerns; never raises for what is in the objects."""
    verdicts = (_judge_rule(rule, write) for rule in rules)
    return [verdict for verdict in verdicts if verdict is not None]


def _judge_rule(rule: CompiledRule, write: Write) -> RuleVerdict | None:
    """Return what one rule says, or None if its selectors leave the write out."""
    spec = rule.source.spec
    tally = Tally()
    failures: list[str] = []
    try:
        if not selects_namespace(spec.match_constraints.namespace_selector, write):
            return None
        if not selects_object(spec.match_constraints.object_selector, write):
            return None
        if _is_exempt(rule, write.request):
            return RuleVerdict(rule, exempt=True)
        if not all_hold(rule.match_conditions, write):
            return None
        violations = tuple(islice(_violations(rule, write, tally, failures), MAX_VIOLATIONS))
    except UndecodableError as error:
        return RuleVerdict(rule, error=str(error), unreadable=True)
    except RecursionError:
        return RuleVerdict(rule, error="the object is nested too deeply to be judged", unreadable=True)
    except (UnknownLabelsError, CelRuntimeError, TooMuchError) as error:
        return RuleVerdict(rule, error=str(error))
    except Exception as defect:  # noqa: BLE001  whatever it is, the rule's failurePolicy decides and the others go on
        return RuleVerdict(rule, error=f"internal error: {type(defect).__name__}", defect=defect)
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    failed = f"{failures[0]}{more}" if failures else None
    return RuleVerdict(rule, violations, failed, tally.type_mismatches)


def _is_exempt(rule: CompiledRule, request: Request) -> bool:
    exemptions = rule.source.spec.exemptions
    return request.username in exemptions.users or any(group in exemptions.groups for group in request.groups)


def _violations(rule: CompiledRule, write: Write, tally: Tally, failures: list[str]) -> Iterator[Violation]:
    """Yield what a write breaks; an expression without a value adds to `failures`, and the other invariants are judged."""
    for invariant in rule.invariants:
        try:
            findings = _findings(invariant, write, tally)
        except CelRuntimeError as error:
            failures.append(f"invariant {invariant.name}: {error}")
            continue
        if findings and invariant.checks.merge:
            findings = [invariant.checks.merge(findings, write, tally)]
        for finding in findings:
            yield Violation(
                rule.title,
                invariant.name,
                invariant.kind,
                finding,
                rule.source.spec.action,
                invariant.guard,
                invariant.message,
                invariant.cured_by_waiting,
                invariant.guard_reads,
            )


def _findings(invariant: CompiledInvariant, write: Write, tally: Tally) -> list[Finding]:
    """Make the checks of an invariant whose reading, or whose guard's reading, the write changed."""
    guard_changed = False
    for predicate in invariant.when:
        old, new = predicate.read(write.old, tally), predicate.read(write.new, tally)
        if not predicate.accepts(old if predicate.of_old else new):
            return []
        guard_changed = guard_changed or not equal(old, new)
    findings: list[Finding] = []
    for check in invariant.checks.checks:
        if write.creates and not check.on_create:
            continue
        is_due = guard_changed or (check.also_changed is not None and check.also_changed(write, tally))
        read = check.read if is_due or check.read_changed is None else check.read_changed
        pairs = read(write, tally)
        tally.comparisons += len(pairs)
        if tally.comparisons > MAX_COMPARISONS:
            raise TooMuchError(f"the write has more than {MAX_COMPARISONS:,} values for this rule to compare")
        due = pairs if is_due else (pair for pair in pairs if not equal(pair.old, pair.new))
        found = (check.judge(pair, write, tally) for pair in due)
        findings += islice((finding for finding in found if finding is not None), MAX_VIOLATIONS - len(findings))
        if len(findings) == MAX_VIOLATIONS:
            break
    return findings
