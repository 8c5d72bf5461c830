"""What an invariant claims, part by part: which mutations it must notice, and why it need not notice the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeAlias

from rules.compile import CompiledRule
from rules.fieldpath import FieldPath
from rules.invariants.co_update import CoUpdate
from rules.invariants.conditions import Conditions
from rules.invariants.frozen import Frozen
from rules.invariants.kind import Kind
from rules.invariants.monotonic import Monotonic
from rules.invariants.observed_generation import ObservedGeneration
from rules.invariants.preserved import Preserved
from rules.invariants.relation import RelationInvariant
from rules.invariants.require import Require
from rules.invariants.transitions import Transitions
from rules.invariants.write_once import WriteOnce
from rules.mutation.mutants import Mutation
from rules.path_syntax import MapValues, Name
from rules.predicates import CompiledPredicate, Predicate
from rules.relations import MissingPolicy, Relation
from rules.samples import states_of


class Why(Enum):
    """Why an invariant need not notice a mutation: what it is called in tables, and what that means."""

    KIND = "other kind", "an invariant of this kind claims nothing of it"
    NO_LIST = "no list", "its fields are in no list and no map"
    GONE = "gone", "an item that is gone takes its fields along; only `preserved` claims that items stay"
    ITEMS = "items", "it names whole items: see *item dropped*"
    MAY_CLEAR = "may clear", "the rule lets the field be cleared: honest writers do"
    ABSENT = "skipped", "what is absent is not judged"
    AS_ZERO = "as zero", "what is absent counts as 0: see *decreased*"
    FINE = "fine", "absent is what is asked for, or as good"
    ITS_WAY = "its way", "the field may move in this direction"
    MEASURE = "measure", "the values have an order: see *decreased* and *increased*"
    STATE = "state", "what counts is which value it is, not its order: see *changed*"
    PRESENT = "presence", "asked is whether it is there, not what it is"
    MAY_REPEAT = "may repeat", "the rule lets a type be there more than once: some controllers keep a history"
    NO_GUARD = "no guard", "there is no `when` that a write could come under"
    OLD_GUARD = (
        "not status",
        "its `when` asks what a write of the status does not change: the spec, metadata, the old object",
    )
    BOTH_SIDES = "both sides", "it compares old and new: to come under its `when` breaks nothing by itself"


Verdicts: TypeAlias = dict[Mutation, Why | None]
"""For each mutation why it need not be noticed; None: it must be."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One part of an invariant that is judged by itself: a field, a relation, a demand.

    `rule` is the rule with nothing but this part. `any_will_do`: not said which mutations must be noticed, but one must.
    """

    title: str
    rule: CompiledRule
    spec: Kind
    when: tuple[Predicate, ...]
    verdicts: Verdicts
    any_will_do: bool = False

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """What is read of the status, or of the spec in a rule on the main resource."""
        return tuple(path for path in self.rule.invariants[0].checks.paths if path.root != "metadata")

    @property
    def counts(self) -> bool:
        """Whether what is read is a number wherever it is there."""
        return isinstance(self.spec, RelationInvariant | CoUpdate)

    def states(self, path: FieldPath) -> list[Any]:
        """Return the values that the claim names for a field."""
        return states_of(path, _names(self.spec))


def claims(rule: CompiledRule, index: int) -> Iterator[Claim]:
    """Yield the parts of an invariant of a rule."""
    source = rule.source.spec.invariants[index]
    when = tuple(source.when)
    for title, spec in _parts(source.spec):
        verdicts = _verdicts(spec)
        alone = replace(rule.invariants[index], checks=spec.compile())
        part = replace(rule, invariants=(alone,))
        if verdicts is None:
            yield Claim(title, part, spec, when, dict.fromkeys(Mutation, Why.KIND), any_will_do=True)
        else:
            yield Claim(title, part, spec, when, {**verdicts, Mutation.CLAIMED: _claimed(spec, when)})


def _parts(spec: Kind) -> Iterator[tuple[str, Kind]]:
    match spec:
        case ObservedGeneration() | Monotonic() | WriteOnce() | Preserved() | Frozen():
            yield from ((str(path), spec.model_copy(update={"fields": [path]})) for path in spec.fields)
        case RelationInvariant():
            yield from ((str(each), spec.model_copy(update={"holds": [each]})) for each in spec.holds)
        case CoUpdate() if spec.identity:
            yield from ((str(each), spec.model_copy(update={"identity": [each]})) for each in spec.identity)
        case Require():
            for each in spec.all or ():
                yield each.sentence(), spec.model_copy(update={"all": [each], "any": None})
            if spec.any:
                yield " or ".join(map(Predicate.sentence, spec.any)), spec.model_copy(update={"all": None})
        case Transitions():
            yield str(spec.field), spec
        case Conditions():
            yield str(spec.path), spec
        case _:
            yield spec.name, spec


def _verdicts(spec: Kind) -> Verdicts | None:
    """Return what must be noticed; None if that cannot be told from the spec."""
    found = _of_kind(spec)
    return {mutation: found.get(mutation, Why.KIND) for mutation in Mutation} if found else None


def _of_kind(spec: Kind) -> Verdicts:
    match spec:
        case ObservedGeneration():
            (path,) = spec.fields
            may_clear = path.has_list_items if spec.may_clear is None else spec.may_clear
            ahead = None if spec.not_ahead else Why.ITS_WAY
            return _ordered(path, None, ahead, may_clear=may_clear)
        case Monotonic():
            (path,) = spec.fields
            if spec.direction == "NonIncreasing":
                return _ordered(path, Why.ITS_WAY, None, may_clear=True)
            return _ordered(path, None, Why.ITS_WAY, may_clear=spec.may_clear)
        case WriteOnce():
            (path,) = spec.fields
            return _fixed(path, Why.MAY_CLEAR if spec.may_clear else None)
        case Frozen():
            (path,) = spec.fields
            return _fixed(path, None)
        case Preserved():
            (path,) = spec.fields
            is_field = isinstance(path.segments[-1], Name)
            return {
                Mutation.DECREASED: Why.PRESENT,
                Mutation.INCREASED: Why.PRESENT,
                Mutation.CHANGED: Why.PRESENT,
                Mutation.CLEARED: None if is_field else Why.ITEMS,
                Mutation.DROPPED: None if _leads_through_items(path) else Why.NO_LIST,
            }
        case RelationInvariant():
            return _related(spec.holds[0], spec.missing)
        case CoUpdate() if spec.identity:
            return _related(spec.identity[0], spec.missing)
        case Require():
            return _demanded(spec)
        case Transitions():
            return _fixed(spec.field, None if _binds_unset(spec) else Why.MAY_CLEAR)
        case Conditions():
            judges_time = spec.not_back or spec.last_transition_time != "Ignore"
            return {
                Mutation.DROPPED: Why.GONE,
                Mutation.TIME: None if judges_time else Why.KIND,
                Mutation.DOUBLED: None if spec.unique_types else Why.MAY_REPEAT,
            }
        case _:
            return {}


def _ordered(path: FieldPath, down: Why | None, up: Why | None, *, may_clear: bool) -> Verdicts:
    return {
        Mutation.DECREASED: down,
        Mutation.INCREASED: up,
        Mutation.CLEARED: Why.MAY_CLEAR if may_clear else None,
        Mutation.DROPPED: Why.GONE if _leads_through_items(path) else Why.NO_LIST,
        Mutation.CHANGED: Why.MEASURE,
    }


def _fixed(path: FieldPath, cleared: Why | None) -> Verdicts:
    return {
        Mutation.DECREASED: Why.STATE,
        Mutation.INCREASED: Why.STATE,
        Mutation.CLEARED: cleared if isinstance(path.segments[-1], Name) else Why.ITEMS,
        Mutation.DROPPED: Why.GONE if _leads_through_items(path) else Why.NO_LIST,
        Mutation.CHANGED: None,
    }


def _related(relation: Relation, missing: MissingPolicy) -> Verdicts:
    """Return what breaks a relation: of `a <= b` a larger a, or a smaller b."""
    is_below = relation.comparison in {"<", "<="}
    left = [term.sign for term in relation.left if isinstance(term.value, FieldPath)]
    right = [-term.sign for term in relation.right if isinstance(term.value, FieldPath)]
    signs = {sign if is_below or relation.comparison == "==" else -sign for sign in left + right}
    both = relation.comparison == "=="
    in_list = any(not path.names_one_value for path in relation.paths)
    return {
        Mutation.DECREASED: None if both or -1 in signs else Why.ITS_WAY,
        Mutation.INCREASED: None if both or 1 in signs else Why.ITS_WAY,
        Mutation.CLEARED: Why.AS_ZERO if missing == "Zero" else Why.ABSENT,
        Mutation.DROPPED: Why.GONE if in_list else Why.NO_LIST,
        Mutation.CHANGED: Why.MEASURE,
    }


def _demanded(spec: Require) -> Verdicts:
    predicates = (spec.all or []) + (spec.any or [])
    absent_is_fine = any(CompiledPredicate(each).accepts(None) for each in predicates)
    in_list = any(_leads_through_items(each.field) for each in predicates)
    presence = all(each.operator == "Exists" for each in predicates)
    absent = Why.FINE if absent_is_fine else None
    return {
        Mutation.DECREASED: Why.STATE,
        Mutation.INCREASED: Why.STATE,
        Mutation.CLEARED: absent,
        Mutation.DROPPED: absent if in_list else Why.NO_LIST,
        Mutation.CHANGED: Why.PRESENT if presence else None,
    }


def _claimed(spec: Kind, when: tuple[Predicate, ...]) -> Why | None:
    if not when:
        return Why.NO_GUARD
    if not isinstance(spec, Require | RelationInvariant | CoUpdate):
        return Why.BOTH_SIDES
    is_settable = any(each.of == "new" and each.field.root == "status" for each in when)
    return None if is_settable else Why.OLD_GUARD


def _leads_through_items(path: FieldPath) -> bool:
    return path.has_list_items or any(isinstance(segment, MapValues) for segment in path.segments)


def _binds_unset(spec: Transitions) -> bool:
    """Whether some state may not be left for unset."""
    unset = {"", "*"}
    allowed = any(unset & set(move.to) for move in spec.allow or ())
    forbidden = any(unset & set(move.to) for move in spec.forbid or ())
    return bool(spec.terminal) or forbidden or (spec.allow is not None and not allowed)


def _names(spec: Kind) -> list[str]:
    """Return the values that a spec names, as texts."""
    match spec:
        case Transitions():
            moves = [state for move in (*(spec.allow or ()), *(spec.forbid or ())) for state in (*move.from_, *move.to)]
            return [state for state in (*moves, *(spec.initial or ()), *(spec.terminal or ())) if state != "*"]
        case Require():
            return [value for each in (*(spec.all or ()), *(spec.any or ())) for value in each.values or ()]
        case _:
            return []
