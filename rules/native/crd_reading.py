"""What the form of a CRD's own validations reads of `self` and `oldSelf` at a place of a schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from rules.fieldpath import FieldPath
from rules.native.crd_field import Field, type_of
from rules.native.crd_losses import METADATA
from rules.native.crd_places import Place
from rules.native.crd_values import TypedValues
from rules.native.expression import FALSE, TRUE, Expression, call, name
from rules.native.form import CannotSayError, Side
from rules.native.value import ABSENT, Single, Value
from rules.native.variables import Variables
from rules.path_syntax import Name, Segment, Select

Presence: TypeAlias = Literal["both", "gone", "fresh"]
"""Where what is at a place is: before and after, only before, or only after."""

SELF: Final = name("self")
OLD_SELF: Final = name("oldSelf")


class ReadingForm(TypedValues):
    """Says what holds of `self` and `oldSelf` at a place of a schema."""

    def __init__(self, root: Place, *, skips_absent: bool) -> None:
        super().__init__(Variables(), may_create=False)
        self.skips_absent = skips_absent
        self.read: dict[FieldPath, None] = {}
        self.costs: dict[str, None] = {}
        self.place = root
        self.presence: Presence = "both"
        self._names: dict[Side, Expression] = {"old": OLD_SELF, "new": SELF}

    def at(self, place: Place, presence: Presence, old: Expression = OLD_SELF, new: Expression = SELF) -> None:
        """Go to a place; what is there is called `old` and `new`. The root is only fresh where the object is created."""
        self.place, self.presence = place, presence
        self._names = {"old": old, "new": new}
        self.creates = TRUE if place.is_root and presence == "fresh" else FALSE
        self.guard_same = TRUE

    def forget(self) -> None:
        """Forget what was lost or costly elsewhere."""
        self.lost.clear()
        self.costs.clear()

    def itself(self, side: Side) -> Field:
        """Return what is at the place on a side."""
        there = FALSE if self.presence == ("gone" if side == "new" else "fresh") else TRUE
        place = self.place
        kind, it = type_of(place.schema), self._names[side]
        it = call("dyn", it) if kind == "double" else it  # as `Field` does with those below
        return Field(there, it, kind, place.schema, place.path, side == "new", place.keys)

    def member(self, item: Value, name: str) -> Value:
        """See `Form.member`: a member that the schema does not have is never there."""
        assert isinstance(item, Field)  # noqa: S101  all that we walk along are
        return item.child(name) or ABSENT

    def singles(self, paths: Sequence[FieldPath], then: Callable[[list[Single]], Expression]) -> Expression:
        """See `Form.singles`."""
        return then([Single(self.field("old", path), self.field("new", path), self._is_gone(path)) for path in paths])

    def field(self, side: Side, path: FieldPath) -> Field:
        """Return the one field that a path names. Raises CannotSayError."""
        found, rest = self.along(side, path)
        if rest:
            raise CannotSayError("names many values where one is wanted")
        return found

    def along(self, side: Side, path: FieldPath) -> tuple[Field, Sequence[Segment]]:
        """Return the field that a path leads to before it names many, and the rest. Raises CannotSayError."""
        found, rest = self.itself(side), self.rest(path)
        while rest and isinstance(rest[0], Name | Select):
            found, rest = self.next(found, rest[0], path), rest[1:]
        return found, rest

    def rest(self, path: FieldPath) -> Sequence[Segment]:
        """Return what of a path is below the place. Raises CannotSayError for what a schema's rules do not read."""
        self.read[path] = None
        if path.root == "metadata":
            raise CannotSayError(f"reads {path}: {METADATA}")
        return path.segments[len(self.place.segments) :]

    def next(self, field: Field, segment: Name | Select, path: FieldPath) -> Field:
        """Return what one step of a path leads to. Raises CannotSayError."""
        if isinstance(segment, Name):
            below = field.child(segment.name)
            if below is None:
                raise CannotSayError(f"{path} is not in the schema")
            return below
        want(field, "list", path)
        self.looped(field)
        with self.names.bound("c") as each:
            return field.selected(segment, each)

    def _is_gone(self, path: FieldPath) -> Expression:
        """Return that the item that a path leads through is no longer there."""
        selects = [at for at, segment in enumerate(path.segments) if isinstance(segment, Select)]
        if not selects:
            return FALSE
        if self.presence == "gone":
            return TRUE
        if selects[-1] < len(self.place.segments):
            return FALSE
        there = FieldPath(path.written, path.segments[: selects[-1] + 1])
        return self.field("new", there).absent

    def looped(self, field: Field) -> None:
        """Note that a list or map without a bound is gone through."""
        bound = "maxItems" if field.type == "list" else "maxProperties"
        path = field.path.removeprefix(".")
        if bound not in field.schema.raw:
            self.costs[f"{path} has no {bound}"] = None
        elif "[" in path:
            self.costs[f"{path} is gone through for each item, or for one that is looked for"] = None

    def measured(self, field: Field) -> None:
        """See `TypedValues.measured`."""
        if field.type == "" or field.is_found or "maxLength" not in field.schema.raw:
            self.costs[f"{field.path.removeprefix('.')} may be a long text, and is read as a time or a quantity"] = None

    def compared(self, field: Field) -> None:
        """Note that a text without a bound is compared for each item."""
        if field.type == "" and field.is_found:
            self.costs[f"{field.path.removeprefix('.')} may be a text of any length"] = None
        is_text = field.type == "string" and "enum" not in field.schema.raw
        if is_text and "[" in field.path and "maxLength" not in field.schema.raw:
            self.costs[f"{field.path.removeprefix('.')} has no maxLength"] = None


def want(field: Field, kind: str, path: FieldPath) -> None:
    """Raise CannotSayError if a field is no list, or no map, and a path wants one."""
    if field.type != kind:
        raise CannotSayError(f"{path}: {field.path.removeprefix('.')} is {field.schema.title} in the schema")
