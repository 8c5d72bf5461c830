"""A rule document becomes a compiled rule: closures over parsed paths, ready to judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from rules.api import RULE_KINDS, Action, InvariantBase, Rule, StatusRule
from rules.cel.program import Program, compile_cel
from rules.check import Checks
from rules.diagnosis import problems, suggestion
from rules.invariants.cel import Cel
from rules.places import quoted
from rules.predicates import CompiledPredicate
from rules.problem import InvalidRuleError, Problem


@dataclass(frozen=True, slots=True)
class CompiledInvariant:
    """One invariant of a rule, ready to judge; `guard` says in words what `when` asks, of the fields `guard_reads`."""

    name: str
    kind: str
    message: str
    cured_by_waiting: bool
    when: tuple[CompiledPredicate, ...]
    guard: str
    checks: Checks
    guard_reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule, ready to judge; `title` is its name, `source` the document it was made from.

    `memo` is what was made of the rule's invariants beside: the same for copies with another action.
    """

    title: str
    source: Rule
    invariants: tuple[CompiledInvariant, ...]
    match_conditions: tuple[tuple[str, Program], ...] = ()
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def uses_cel(self) -> bool:
        """Whether any expression is evaluated."""
        return bool(self.match_conditions) or any(invariant.kind == Cel.name for invariant in self.invariants)

    @property
    def may_ask_for_labels(self) -> bool:
        """Whether the labels of the object's namespace may matter."""
        return self.uses_cel or not self.source.spec.match_constraints.namespace_selector.is_empty

    @property
    def namespace(self) -> str | None:
        """The only namespace that the rule is about, if it is a StatusRule."""
        return self.source.metadata.namespace if isinstance(self.source, StatusRule) else None

    def with_action(self, action: Action | None) -> CompiledRule:
        """Return the same rule with another action instead of its own, where one is given."""
        if action is None:
            return self
        spec = self.source.spec.model_copy(update={"validation_actions": [action]})
        return replace(self, source=self.source.model_copy(update={"spec": spec}))


def compile_rule(document: Any) -> CompiledRule:
    """Compile a rule document. Raises InvalidRuleError with all that is wrong with it."""
    rule = parse_rule(document)
    conditions = ((each.name, compile_cel(each.expression, "bool")) for each in rule.spec.match_conditions)
    return CompiledRule(rule.title, rule, tuple(map(_compile_invariant, rule.spec.invariants)), tuple(conditions))


def parse_rule(document: Any) -> Rule:
    """Return the typed form of a rule document. Raises InvalidRuleError."""
    if not isinstance(document, Mapping):
        raise InvalidRuleError(
            (Problem((), "a rule is an object with apiVersion, kind, metadata and spec", "not-a-rule"),)
        )
    kind = document.get("kind")
    model = RULE_KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        expected = " or ".join(RULE_KINDS)
        hint = suggestion(kind, list(RULE_KINDS)) if isinstance(kind, str) else ""
        found = f"is {quoted(kind)}" if isinstance(kind, str) else "is missing" if kind is None else "is no string"
        raise InvalidRuleError((Problem(("kind",), f"kind {found}, expected {expected}{hint}", "kind"),))
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise InvalidRuleError(problems(error, model)) from None


def _compile_invariant(invariant: InvariantBase) -> CompiledInvariant:
    spec = invariant.spec
    when = tuple(map(CompiledPredicate, invariant.when))
    return CompiledInvariant(
        invariant.name,
        spec.name,
        invariant.message,
        spec.cured_by_waiting,
        when,
        " and ".join(predicate.sentence() for predicate in invariant.when),
        spec.compile(),
        tuple(str(predicate.field) for predicate in invariant.when),
    )
