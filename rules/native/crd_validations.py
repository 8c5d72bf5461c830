"""A rule as transition rules in the schema of a CustomResourceDefinition: native policy that needs no webhook and no policy.

Each clause goes to the deepest node that is a parent of all that it reads. A transition rule is asked only where a node is
there both before and after. What is to be asked where it was not there before needs `optionalOldSelf`, and what is to be asked
where it is gone a second rule, at a parent that is always there. Items of lists that the API server pairs have rules of their
own, unless something is to be asked when an item is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rules.api import InvariantBase, Rule
from rules.fieldpath import FieldPath
from rules.invariants.co_update import CoUpdate
from rules.invariants.kind import Kind
from rules.invariants.observed_generation import ObservedGeneration
from rules.native.crd_conditions import in_lines
from rules.native.crd_field import escape
from rules.native.crd_form import CrdForm
from rules.native.crd_losses import ESCAPED, NOT_AHEAD, NOTHING_ELSE, ON_MAIN, ON_STATUS
from rules.native.crd_message import field_path, message_expression, message_of
from rules.native.crd_places import IN_STATUS, Place, places
from rules.native.crd_reading import OLD_SELF, SELF
from rules.native.crd_rule import Target, lost_of_rule, targets
from rules.native.crd_simple import simplified
from rules.native.expression import FALSE, TRUE, Expression, any_of, choose, method, negate
from rules.native.form import CannotSayError, Clause
from rules.native.losses import Loss
from rules.native.message import Hides
from rules.native.predicate import guarded
from rules.path_syntax import Name
from rules.schemas.schema import Schema

KEY: Final = "x-kubernetes-validations"


@dataclass(frozen=True, slots=True)
class Validation:
    """One thing that the schema asks, and where; `optional` says `optionalOldSelf`."""

    invariant: str
    version: str
    place: Place
    holds: Expression
    message: str
    message_expression: str | None
    field_path: str | None
    optional: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as an entry of `x-kubernetes-validations`."""
        written: dict[str, Any] = {"rule": in_lines(self.holds), "message": self.message}
        if self.message_expression is not None:
            written["messageExpression"] = self.message_expression
        written["reason"] = "FieldValueInvalid"
        if self.field_path is not None:
            written["fieldPath"] = self.field_path
        if self.optional:
            written["optionalOldSelf"] = True
        return written


@dataclass(frozen=True, slots=True)
class CrdValidations:
    """A rule in the words of a CRD. `lost`: what it does not do that the rule does; `costs`: why it may be refused."""

    rule: Rule
    validations: tuple[Validation, ...]
    lost: tuple[Loss, ...]
    costs: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is lost but what every CRD loses."""
        return {loss.what for loss in self.lost} <= {NOTHING_ELSE}

    def set_into(self, definition: dict[str, Any]) -> dict[str, Any]:
        """Return a CRD with the validations set into its schemas, after those that it has."""
        definition = _copied(definition)
        schemas = {each["name"]: each["schema"]["openAPIV3Schema"] for each in definition["spec"]["versions"]}
        for validation in self.validations:
            node = validation.place.within(schemas[validation.version])
            entry = validation.as_json()
            if entry not in node.setdefault(KEY, []):
                node[KEY].append(entry)
        return definition


def crd_validations(rule: Rule, definition: dict[str, Any], hides: Hides = lambda field: False) -> CrdValidations:
    """Return a rule in the words of a CRD, which must be a valid one; `hides` tells of which fields no value may be shown.

    Raises NotAboutError if the rule is about another resource.
    """
    found = targets(rule, definition)
    lost = list(lost_of_rule(rule))
    if any(loss.whole for loss in lost):
        return CrdValidations(rule, (), tuple(lost), ())
    parts = [_Part(rule, target, invariant, hides) for target in found for invariant in rule.spec.invariants]
    validations = [each for part in parts for each in part.validations()]
    lost += [loss for part in parts for loss in part.lost]
    costs = [cost for part in parts for cost in part.costs]
    return CrdValidations(rule, tuple(validations), tuple(dict.fromkeys(lost)), tuple(dict.fromkeys(costs)))


def _is_escaped(paths: Sequence[FieldPath]) -> bool:
    """Tell whether a name has to be escaped: an `oldSelf` that is optional does not know such names (measured, 1.36)."""
    names = (segment.name for path in paths for segment in path.segments if isinstance(segment, Name))
    return any(escape(name) != name for name in names)


def _copied(value: Any) -> Any:
    """Return a copy in which nothing is shared: YAML may have aliases."""
    if isinstance(value, dict):
        return {key: _copied(member) for key, member in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


class _Part:
    """An invariant of a rule for one version of a CRD."""

    def __init__(self, rule: Rule, target: Target, invariant: InvariantBase, hides: Hides) -> None:
        self._hides = hides
        self._rule = rule
        self._target = target
        self._invariant = invariant
        self._root = Place((), Schema(target.schema), is_always_there=True)
        self.lost: list[Loss] = []
        self.costs: list[str] = []

    def validations(self) -> Iterator[Validation]:
        """Yield one validation for each clause; say what is lost."""
        spec = self._spec()
        form = CrdForm(self._root, skips_absent=getattr(spec, "missing", "Skip") == "Skip")
        for clause in spec.in_cel(form):
            try:
                found = list(self._placed(form, clause))
            except CannotSayError as error:
                self._lose(error.what, whole=True)
                continue
            unbounded = [cost for each in found for cost in each.place.unbounded]
            self.costs += [f"{self._target.version}: {cost}" for cost in (*unbounded, *form.costs)]
            for what in form.lost:
                self._lose(what)
            yield from found
        if isinstance(spec, CoUpdate) and spec.judges_patches():
            self._lose("patch: only the audit log tells what a patch held", whole=True)

    def _spec(self) -> Kind:
        spec = self._invariant.spec
        if isinstance(spec, ObservedGeneration) and spec.not_ahead:
            self._lose(NOT_AHEAD)
            return spec.model_copy(update={"not_ahead": False})
        return spec

    def _lose(self, what: str, *, whole: bool = False) -> None:
        self.lost.append(Loss(self._invariant.name, what, whole=whole))

    def _placed(self, form: CrdForm, clause: Clause) -> Iterator[Validation]:
        """Yield a clause at its place, and at a parent as far as that is to be asked there. Raises CannotSayError."""
        form.read.clear()
        form.at(self._root, "both")
        self._holds(form, clause)
        read = list(form.read)
        may_create = clause.on_create and self._target.may_create
        for place in places(self._root.schema, read):
            form.forget()
            gone = TRUE
            if not place.is_always_there:
                form.at(place, "gone", old=place.after(OLD_SELF))
                gone = simplified(self._holds(form, clause))
                if gone.text != "true" and place.is_in_items:
                    continue
            form.at(place, "fresh")
            asks_fresh = self._holds(form, clause).text != "true"
            if asks_fresh and not self._may_be_optional(place, may_create=may_create):
                if not place.is_root:
                    continue
                asks_fresh = False  # only a new object has no old one, and of such nothing is asked
            if asks_fresh and place.is_in_items and _is_escaped(read):
                continue
            break
        self._say_who_is_judged(read)
        is_optional = asks_fresh and not _is_escaped(read)
        holds = self._at(form, clause, place, asks_fresh=is_optional)
        if holds.text != "true":
            yield self._validation(form, clause, holds, optional=is_optional)
        was, is_ = place.is_there(OLD_SELF), place.is_there(SELF)
        if gone.text != "true":
            yield self._of_object(form, clause, any_of(negate(was), is_, gone))
        if asks_fresh and not is_optional:
            if place.is_root:
                self._lose(ESCAPED)
                return
            form.at(place, "fresh", new=place.after(SELF))
            yield self._of_object(form, clause, any_of(was, negate(is_), self._holds(form, clause)))

    def _at(self, form: CrdForm, clause: Clause, place: Place, *, asks_fresh: bool) -> Expression:
        if not asks_fresh:
            form.at(place, "both")
            return simplified(place.only_here(form.itself("new"), self._holds(form, clause)))
        form.at(place, "fresh")
        fresh = self._holds(form, clause)
        form.at(place, "both", old=method(OLD_SELF, "value"))
        holds = choose(method(OLD_SELF, "hasValue"), self._holds(form, clause), fresh)
        return simplified(place.only_here(form.itself("new"), holds))

    def _of_object(self, form: CrdForm, clause: Clause, holds: Expression) -> Validation:
        """Return what is asked of the object where what is at a place comes or goes."""
        form.at(self._root, "both")
        return self._validation(form, clause, simplified(holds), optional=False)

    def _may_be_optional(self, place: Place, *, may_create: bool) -> bool:
        """Whether the clause is to be asked wherever the place is new: of the root when the object is."""
        if place.is_root:
            return may_create
        first = place.segments[0]
        return self._target.has_status and isinstance(first, Name) and first.name == IN_STATUS

    def _holds(self, form: CrdForm, clause: Clause) -> Expression:
        def judged(refuted: Expression, unchanged: Expression) -> Expression:
            form.guard_same = unchanged
            created = FALSE if clause.on_create else form.creates
            return any_of(created, refuted, clause.holds())

        return guarded(form, self._invariant.when, judged)

    def _say_who_is_judged(self, read: Sequence[FieldPath]) -> None:
        if not self._target.has_status:
            return
        in_status = [path.root == IN_STATUS for path in read]
        if not self._target.on_main and not all(in_status):
            self._lose(ON_MAIN)
        if not self._target.on_status and any(in_status):
            self._lose(ON_STATUS)

    def _validation(self, form: CrdForm, clause: Clause, holds: Expression, *, optional: bool) -> Validation:
        message = message_of(self._rule, self._invariant, clause)
        return Validation(
            self._invariant.name,
            self._target.version,
            form.place,
            holds,
            message,
            None if optional else message_expression(message, clause, form, self._hides),
            field_path(clause, form.place),
            optional,
        )
