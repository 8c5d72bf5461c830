"""A rule as a ValidatingAdmissionPolicy with its binding: native policy that needs no webhook."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from rules.api import InvariantBase, Rule, StatusRule
from rules.invariants.co_update import CoUpdate
from rules.matching import NAMESPACE_NAME_LABEL
from rules.native.exact import ExactForm
from rules.native.expression import FALSE, Expression, any_of
from rules.native.form import CannotSayError, Clause
from rules.native.line_breaks import broken
from rules.native.losses import Loss
from rules.native.message import Hides, message, message_expression, nothing_hidden
from rules.native.predicate import guarded
from rules.native.vap_conditions import conditions_of
from rules.native.variables import Variables

_REASONS: Final = frozenset({"Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"})
"""The reasons that a policy may give; its status code follows from them."""

API_VERSION: Final = "admissionregistration.k8s.io/v1"

MAX_NAME: Final = 253
"""Characters of an object's name."""

UNSEEN: Final = Loss("", "no metric of its own, no Event, no report; who wrote the field last is not said")
"""What every policy loses: a policy answers, and keeps no books."""


@dataclass(frozen=True, slots=True)
class Validation:
    """One thing that the policy asks: true if the write is fine."""

    invariant: str
    holds: Expression
    message: str
    message_expression: str | None


@dataclass(frozen=True, slots=True)
class Policy:
    """A rule in CEL, exact. `lost` says what the policy does not do that the rule does."""

    rule: Rule
    variables: dict[str, Expression]
    validations: tuple[Validation, ...]
    lost: tuple[Loss, ...]

    @property
    def name(self) -> str:
        """The name of the policy and its binding: of a StatusRule `namespace.name`; a longer one ends in its digest."""
        metadata = self.rule.metadata
        whole = f"{metadata.namespace}.{metadata.name}" if metadata.namespace else metadata.name
        if len(whole) <= MAX_NAME:
            return whole
        digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
        return f"{whole[: MAX_NAME - len(digest) - 1].rstrip('-.')}.{digest}"

    @property
    def is_whole(self) -> bool:
        """Whether nothing is lost but what every policy loses."""
        return set(self.lost) <= {UNSEEN}

    def documents(self) -> list[dict[str, Any]]:
        """Return the policy and its binding."""
        return [_policy(self), _binding(self)]


def policy(rule: Rule, hides: Hides = nothing_hidden) -> Policy:
    """Return a rule as a policy; `hides` tells of which fields no value may be shown."""
    variables = Variables("variables.")
    validations: list[Validation] = []
    lost = list(_lost_of_rule(rule))
    for invariant in rule.spec.invariants:
        form = ExactForm(variables, may_create=_may_create(rule))
        for clause in invariant.spec.in_cel(form):
            try:
                holds = _holds(invariant, clause, form)
            except CannotSayError as error:
                lost.append(Loss(invariant.name, error.what, whole=True))
                continue
            said = message(rule, invariant, clause, hides)
            shown = message_expression(said, invariant, clause, form, hides)
            validations.append(Validation(invariant.name, holds, said, shown))
        lost += [Loss(invariant.name, what) for what in form.lost]
        if isinstance(invariant.spec, CoUpdate) and invariant.spec.judges_patches():
            lost.append(Loss(invariant.name, "patch: only the audit log tells what a patch held", whole=True))
    used = _used(variables.values, validations)
    return Policy(rule, used, tuple(validations), tuple(dict.fromkeys(lost)))


def _may_create(rule: Rule) -> bool:
    return any("CREATE" in named.operations for named in rule.spec.match_constraints.resource_rules)


def _holds(invariant: InvariantBase, clause: Clause, form: ExactForm) -> Expression:
    def judged(refuted: Expression, unchanged: Expression) -> Expression:
        form.guard_same = unchanged
        created = FALSE if clause.on_create else form.creates
        return any_of(created, refuted, clause.holds())

    return guarded(form, invariant.when, judged)


def _used(variables: dict[str, Expression], validations: list[Validation]) -> dict[str, Expression]:
    """Return the variables that are used, in an order in which each is known before it is used."""
    texts = [text for each in validations for text in (each.holds.text, each.message_expression or "")]
    used: dict[str, Expression] = {}
    for name, value in reversed(variables.items()):
        if any(re.search(rf"\bvariables\.{name}\b", text) for text in texts):
            used[name] = value
            texts.append(value.text)
    return dict(reversed(used.items()))


def _lost_of_rule(rule: Rule) -> Iterator[Loss]:
    spec = rule.spec
    if spec.action == "Deny":
        code, reason = spec.denial.pair() if spec.denial else (409, "Conflict")
        if reason not in _REASONS:
            yield Loss("", f"a denial is 422 Invalid, never {code} {reason}")
    if not spec.enforce_while_deleting and spec.action != "Audit":
        yield Loss("", "while the object is being deleted nothing is reported either")
    if isinstance(rule, StatusRule):
        yield Loss("", "a policy is an object of the cluster: a namespace's owner cannot keep it")
    yield UNSEEN


def _policy(policy: Policy) -> dict[str, Any]:
    spec = policy.rule.spec
    written: dict[str, Any] = {"failurePolicy": spec.failure_policy, "matchConstraints": _constraints(policy.rule)}
    if conditions := conditions_of(policy.rule.spec):
        written["matchConditions"] = conditions
    if policy.variables:
        written["variables"] = [
            {"name": name, "expression": broken(each.text)} for name, each in policy.variables.items()
        ]
    written["validations"] = [_validation(policy.rule, each) for each in policy.validations]
    metadata = {"name": policy.name}
    return {"apiVersion": API_VERSION, "kind": "ValidatingAdmissionPolicy", "metadata": metadata, "spec": written}


def _constraints(rule: Rule) -> dict[str, Any]:
    written: dict[str, Any] = rule.spec.match_constraints.model_dump(mode="json", by_alias=True, exclude_none=True)
    resources = [*written["resourceRules"], *written["excludeResourceRules"]]
    for each in resources:
        if not each["resourceNames"]:
            del each["resourceNames"]
        if each["scope"] == "*":
            del each["scope"]
    for selector in ("namespaceSelector", "objectSelector"):
        written[selector] = {key: value for key, value in written[selector].items() if value}
    return {key: value for key, value in written.items() if value}


def _validation(rule: Rule, validation: Validation) -> dict[str, Any]:
    written: dict[str, Any] = {"expression": broken(validation.holds.text), "message": validation.message}
    if validation.message_expression is not None:
        written["messageExpression"] = broken(validation.message_expression)
    denial = rule.spec.denial
    if denial is not None and denial.pair()[1] in _REASONS:
        written["reason"] = denial.pair()[1]
    return written


def _binding(policy: Policy) -> dict[str, Any]:
    rule, name = policy.rule, policy.name
    spec: dict[str, Any] = {"policyName": name, "validationActions": list(rule.spec.validation_actions)}
    if isinstance(rule, StatusRule):
        own = {"matchLabels": {NAMESPACE_NAME_LABEL: rule.metadata.namespace}}
        spec["matchResources"] = {"namespaceSelector": own}
    return {
        "apiVersion": API_VERSION,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": spec,
    }
