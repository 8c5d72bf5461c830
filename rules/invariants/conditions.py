"""conditions: the conventions of Kubernetes for `status.conditions`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field

from rules import fieldpath
from rules.check import Check, Checks, Finding
from rules.fieldpath import FieldPath, ItemKey
from rules.instants import Instant, instant
from rules.invariants.kind import Kind
from rules.model import PairedPath
from rules.native.expression import TRUE, Expression, all_of, any_of
from rules.native.form import Clause, Form
from rules.native.value import Value, Visit
from rules.pairing import Pair, Pairs, pairs
from rules.problem import Problem
from rules.reading import Tally
from rules.roles import Role
from rules.samples import TIMES, Samples
from rules.values import MISSING, canonical, equal
from rules.write import Write

Mode: TypeAlias = Literal["OnlyWithChange", "OnlyWithStatus", "WithStatus", "Ignore"]
Condition: TypeAlias = dict[str, Any]

_CONTENT = ("status", "reason", "severity", "message")


class Conditions(Kind):
    """Each type of condition is there once, and lastTransitionTime moves only when the condition did."""

    name: ClassVar[str] = "conditions"
    cured_by_waiting: ClassVar[bool] = False

    path: Annotated[PairedPath, Role.CONDITIONS] = Field(
        default_factory=lambda: fieldpath.parse("status.conditions"),
        description="The list of conditions.",
    )
    last_transition_time: Mode = Field(
        default="OnlyWithChange",
        description="When lastTransitionTime may move. OnlyWithChange: only if status, reason, severity or message moved "
        "(Cluster API v1beta1, Knative and Crossplane move it with these). OnlyWithStatus: only if the status moved, as "
        "the Kubernetes conventions say. WithStatus: if and only if the status moved. Ignore: not judged.",
    )
    not_back: bool = Field(
        default=False,
        description="Whether lastTransitionTime may not get earlier unless the status moved.",
    )
    unique_types: bool = Field(default=True, description="Whether a type may be there only once.")

    def compile(self) -> Checks:
        """Return the check that judges all items of one type together."""
        item = fieldpath.parse(f"{self.path}[type]")
        time = fieldpath.parse(f"{self.path}[type].lastTransitionTime")

        def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
            if self.unique_types and len(pair.new) > 1:
                times = f"is there {len(pair.new)} times (was {len(pair.old)})"
                return Finding(item.concrete(pair.where), times, pair.old, pair.new)
            if not pair.old or not pair.new:
                return None
            old, new = pair.old[0], pair.new[0]
            broken = self._time_problem(old, new, tally)
            if broken is None:
                return None
            values = tuple(
                (f"{item.concrete(pair.where)}.{name}", new[name]) for name in ("status",) if new.get(name) is not None
            )
            before, after = old.get("lastTransitionTime"), new.get("lastTransitionTime")
            return Finding(time.concrete(pair.where), broken, before, after, values)

        return Checks((Check(_by_type(self.path), judge, on_create=self.unique_types),), (self.path,))

    def _time_problem(self, old: Condition, new: Condition, tally: Tally) -> str | None:
        before, after = _time(old, tally), _time(new, tally)
        status_moved = _moved(old, new, ("status",))
        if self.not_back and not status_moved and before is not None and after is not None and after < before:
            return "went back from {old} to {new}, and the status did not change"
        mode = self.last_transition_time
        is_same = before == after if before and after else not _moved(old, new, ("lastTransitionTime",))
        if is_same:
            return "stayed {new} though the status changed" if mode == "WithStatus" and status_moved else None
        if mode == "Ignore" or status_moved or old.get("lastTransitionTime") is None:
            return None  # a time that is set for the first time has not moved
        if mode == "OnlyWithChange":
            moved = _moved(old, new, _CONTENT)
            return None if moved else "moved from {old} to {new} though nothing else of the condition changed"
        return "moved from {old} to {new} though the status did not change"

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield the clause of the list."""
        item = fieldpath.parse(f"{self.path}[type]")
        visit = Visit(partial(self._in_cel, form), unique=self.unique_types)
        says = " ".join(self.sentences()) or "Nothing is demanded."
        yield Clause(partial(form.pairs, item, visit), says, (self.path,), on_create=self.unique_types)

    def _in_cel(self, form: Form, old: Value, new: Value) -> Expression:
        def moved(name: str) -> Expression:
            return form.differ(form.member(old, name), form.member(new, name))

        if form.is_quick and not self.not_back and self.last_transition_time in {"OnlyWithChange", "OnlyWithStatus"}:
            # What else may move it is told by the form that is asked of the others.
            return any_of(form.surely_same_member(old, new, "lastTransitionTime"), moved("status"))

        def times(before: Value, after: Value) -> Expression:
            status_moved = moved("status")
            first = before.absent  # a time that is set for the first time has not moved
            back = any_of(status_moved, form.not_earlier(before, after)) if self.not_back else TRUE
            same, mode = form.same_time(before, after), self.last_transition_time
            if mode == "Ignore":
                return back
            if mode == "WithStatus":
                stayed = form.same(form.member(old, "status"), form.member(new, "status"))
                turned = all_of(form.other_time(before, after), any_of(status_moved, first))
                return all_of(back, any_of(all_of(same, stayed), turned))
            others = [moved(name) for name in _CONTENT[1:]] if mode == "OnlyWithChange" else []
            return all_of(back, any_of(same, first, status_moved, *others))

        before, after = (form.member(side, "lastTransitionTime") for side in (old, new))
        judged = form.let_values(before, after, times)
        if self.last_transition_time == "WithStatus":
            return judged
        return any_of(form.surely_same_member(old, new, "lastTransitionTime"), judged)

    def sentences(self) -> list[str]:
        """Return what is demanded of the list."""
        found = [f"{self.path} has each type at most once."] if self.unique_types else []
        times = f"lastTransitionTime in {self.path} moves"
        if self.last_transition_time == "OnlyWithChange":
            found.append(f"{times} only with the condition's status, reason, severity or message.")
        if self.last_transition_time == "OnlyWithStatus":
            found.append(f"{times} only with the condition's status.")
        if self.last_transition_time == "WithStatus":
            found.append(f"{times} if and only if the condition's status does.")
        if self.not_back:
            found.append(f"{times} back only with the condition's status.")
        return found

    def samples(self) -> list[Samples]:
        """Return lists of one condition that turns or not while its time moves or not, and of one type twice."""
        now, later, before = TIMES
        told = [("True", now), ("True", later), ("False", later), ("True", before), ("False", now)]
        lists: list[Any] = [[{"type": "Ready", "status": status, "lastTransitionTime": time}] for status, time in told]
        return [{self.path: [*lists, lists[0] * 2, None]}]

    def warnings(self) -> Iterator[Problem]:
        """Say that two turns within a second look alike."""
        if self.last_transition_time == "WithStatus":
            yield Problem(
                ("lastTransitionTime",),
                "WithStatus: times have seconds, so a condition that turns twice within one second looks as if it had not "
                "moved, and an honest write is reported",
                "with-status",
                "warning",
            )


def _time(condition: Condition, tally: Tally) -> Instant | None:
    value = condition.get("lastTransitionTime")
    found = instant(value)
    if found is None and value is not None:
        tally.type_mismatches += 1
    return found


def _moved(old: Condition, new: Condition, names: tuple[str, ...]) -> bool:
    return any(not equal(old.get(name), new.get(name)) for name in names)


def _by_type(path: FieldPath) -> Pairs:
    """Return what reads, for each type on the new side, all its items before and after."""
    lists = pairs(path)

    def read(write: Write, tally: Tally) -> list[Pair]:
        found: list[Pair] = []
        for where, old, new in lists(write, tally):
            found += [Pair((*where, key), before, after) for key, before, after in _types(write, old, new, tally)]
        return found

    return read


def _types(write: Write, old: Any, new: Any, tally: Tally) -> list[tuple[ItemKey, list[Condition], list[Condition]]]:
    """Return the items of each type before and after; found once for a write, however many rules ask."""
    known = (id(old), id(new), _types)
    found: list[tuple[ItemKey, list[Condition], list[Condition]]] | None = write.memo.get(known)
    if found is None:
        before, after = _grouped(old, tally), _grouped(new, tally)
        found = write.memo[known] = [
            ((items[0]["type"],), before.get(identity, []), items) for identity, items in after.items()
        ]
    return found


def _grouped(value: Any, tally: Tally) -> dict[Hashable, list[Condition]]:
    groups: dict[Hashable, list[Condition]] = {}
    if value is MISSING or not tally.expects(list, value):
        return groups
    for item in value:
        kind = item.get("type") if type(item) is dict else None
        if kind is not None:
            groups.setdefault(kind if type(kind) is str else (canonical(kind),), []).append(item)
    return groups
