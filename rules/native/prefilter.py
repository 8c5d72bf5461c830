"""The prefilter: one expression for the rules of a webhook's entry, false only if the write breaks none of them.

The API server asks it before it calls (`matchConditions`), so that an honest write costs no network hop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, Literal, TypeAlias

from rules.api import InvariantBase, RuleSpec
from rules.compile import CompiledRule
from rules.native.expression import FALSE, Expression, all_of, any_of, negate
from rules.native.form import CannotSayError
from rules.native.loops import Loops
from rules.native.predicate import guarded
from rules.native.quick import QuickForm
from rules.native.suspect import SuspectForm
from rules.native.variables import Variables

MAX_SIZE: Final = 8_192
"""Characters of an expression. The API server compiles a configuration anew at each change: measured 0.06 s for ten rules,
0.5 s for thirty, 6 s for a hundred in one expression."""

BUDGET: Final = 2_500_000
"""What the conditions of one webhook may cost (`RuntimeCELCostBudgetMatchConditions`). More is no error that anybody sees:
under failurePolicy Ignore the webhook is skipped."""

MAX_COST: Final = BUDGET // 4
"""What the rules of one entry may cost by our estimate, with every list at its bound. The rest is for what it misses."""

# Measured on kube-apiserver v1.36.2, by what else fits before the write is refused (to about 10,000 units), lists of 256 items:
# one expression fails beyond 1,000,000, all conditions of a webhook together beyond 2,500,000. Estimated and charged, a path
# through such a list: conditions 226,655 and 9,000; frozen 196,258 and 38,000; observedGeneration 122,554 and 38,000; monotonic
# 100,258 and 28,000; sum() 21,400 and 9,000; two of the library's largest rules 455,017 and 94,000, 419,705 and 85,000. The
# estimate counts all that an expression says, the API server what is evaluated of it.

MAX_BUILT: Final = 4 * MAX_SIZE
"""Characters of the parts of an expression after which it is no longer built: it would be too large by whatever names."""

CONDITION: Final = "may-break-a-rule"
"""What the prefilter is called among the conditions of a webhook."""

Mode: TypeAlias = Literal["Full", "Partial", "Off"]


class _TooLargeError(CannotSayError):
    """An expression that is no longer built, because it is too large already."""


@dataclass(frozen=True, slots=True)
class Prefilter:
    """What the API server can decide of a rule without calling us.

    `suspect` is false only of a write that breaks nothing; None in mode Off. `reason` says why the mode is not Full.
    """

    mode: Mode
    reason: str = ""
    suspect: Expression | None = None


def prefilter(spec: RuleSpec, *, lists: bool = True) -> Prefilter:
    """Return the prefilter of a rule; `lists`: whether the API server can pair lists (Kubernetes 1.33)."""
    if spec.prefilter == "Off":
        return Prefilter("Off", "the rule says so")
    if any("CREATE" in named.operations for named in spec.match_constraints.resource_rules):
        return Prefilter("Off", "the rule judges creations, where there is nothing to compare with")
    partly: dict[str, None] = {}
    try:
        whole = _suspects([spec], partly, lists=lists)
    except CannotSayError as error:
        return Prefilter("Off", error.what)
    if len(whole.text) > MAX_SIZE:
        return Prefilter("Off", f"its expression has {len(whole.text):,} characters, more than {MAX_SIZE:,}")
    if whole.cost > MAX_COST:
        return Prefilter("Off", f"its expression may cost {whole.cost:,}, more than {MAX_COST:,}")
    if asked := _asked_by_us(spec):
        partly[f"{' and '.join(asked)}: asked by the webhook"] = None
    return Prefilter("Partial" if partly else "Full", "; ".join(partly), whole)


def prefilter_of(rule: CompiledRule, *, lists: bool = True) -> Prefilter:
    """Return the prefilter of a compiled rule, which is made once."""
    known = (Prefilter, lists)
    found: Prefilter | None = rule.memo.get(known)
    if found is None:
        found = rule.memo[known] = prefilter(rule.source.spec, lists=lists)
    return found


def suspect(specs: Iterable[RuleSpec], *, lists: bool = True) -> Expression:
    """Return the expression of an entry: true if the write may break one of its rules, none of which is in mode Off."""
    return _suspects(list(specs), {}, lists=lists)


def _suspects(specs: Sequence[RuleSpec], partly: dict[str, None], *, lists: bool) -> Expression:
    """Return an expression with readable names, and the quick form of those rules that have one before the others.

    With short names or without the quick form if it is too large so. What rules share an entry is decided by what each has by
    itself, so that all together are small enough one way or other.
    """

    @cache
    def thorough(chosen: tuple[int, ...], *, short: bool) -> Expression:
        variables = Variables(short=short)
        try:
            return _built(partial(SuspectForm, variables, lists=lists), [specs[at] for at in chosen], variables, partly)
        except _TooLargeError:
            if short:
                raise
            return thorough(chosen, short=True)

    @cache
    def quick(chosen: tuple[int, ...]) -> Expression:
        """Return what is fine at first sight; false if there is a rule of which nothing is."""
        variables = Loops()
        try:
            return _built(partial(QuickForm, variables, lists=lists), [specs[at] for at in chosen], variables, {})
        except CannotSayError:
            return FALSE

    def whole(first: tuple[int, ...], others: tuple[int, ...], *, short: bool) -> Expression:
        parts = [any_of(quick(first), thorough(first, short=short))] if first else []
        return negate(all_of(*parts, *([thorough(others, short=short)] if others else ())))

    def with_quick(first: tuple[int, ...], others: tuple[int, ...] = ()) -> Expression | None:
        if quick(first).text == "false":
            return None
        found = (whole(first, others, short=short) for short in (False, True))
        return next((each for each in found if len(each.text) <= MAX_SIZE and each.cost <= MAX_COST), None)

    everyone = tuple(range(len(specs)))
    hasty = tuple(at for at in everyone if with_quick((at,)) is not None)
    if hasty and (found := with_quick(hasty, tuple(at for at in everyone if at not in hasty))) is not None:
        return found
    readable = whole((), everyone, short=False)
    return readable if len(readable.text) <= MAX_SIZE else whole((), everyone, short=True)


def _built(
    make: Callable[[], SuspectForm], specs: Sequence[RuleSpec], variables: Variables, partly: dict[str, None]
) -> Expression:
    return variables.bound_around(all_of(*(_fine(make, spec, partly) for spec in specs)))


def _fine(make: Callable[[], SuspectForm], spec: RuleSpec, partly: dict[str, None]) -> Expression:
    parts: list[Expression] = []
    for invariant in spec.invariants:
        form = make()
        _check_size(parts)
        try:
            parts.append(_holds(invariant, form))
        except _TooLargeError:
            raise
        except CannotSayError as error:
            raise CannotSayError(f"invariant {invariant.name}: {error.what}") from None
        partly |= {f"invariant {invariant.name}: {what}": None for what in form.partly}
    return all_of(*parts)


def _holds(invariant: InvariantBase, form: SuspectForm) -> Expression:
    def judged(refuted: Expression, unchanged: Expression) -> Expression:
        form.guard_same, form.is_guarded = unchanged, refuted.text != "false"
        parts: list[Expression] = []
        for clause in invariant.spec.in_cel(form):
            parts.append(clause.holds())
            _check_size((*parts, *form.variables.values.values()))
        return any_of(refuted, all_of(*parts))

    return guarded(form, invariant.when, judged)


def _check_size(parts: Iterable[Expression]) -> None:
    if sum(len(part.text) for part in parts) > MAX_BUILT:
        raise _TooLargeError(f"its expression has far more than {MAX_SIZE:,} characters")


def _asked_by_us(spec: RuleSpec) -> list[str]:
    """Return what keeps a rule from judging, of which the prefilter does not know."""
    constraints, exemptions = spec.match_constraints, spec.exemptions
    found = {
        "matchConditions": spec.match_conditions,
        "exemptions": exemptions.users or exemptions.groups,
        "excludeResourceRules": constraints.exclude_resource_rules,
        "namespaceSelector": not constraints.namespace_selector.is_empty,
        "objectSelector": not constraints.object_selector.is_empty,
        "resourceNames": any(named.resource_names for named in constraints.resource_rules),
    }
    return [name for name, is_there in found.items() if is_there]
