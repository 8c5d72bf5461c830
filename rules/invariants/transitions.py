"""transitions: a state field that may move only along certain ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from rules.check import Checks, Finding, is_gone, paired_check, present
from rules.invariants.kind import Kind
from rules.model import Model, PairedPath, Text, also_in_cel
from rules.native.expression import TRUE, Expression, all_of, any_of, negate
from rules.native.form import Clause, Form
from rules.native.state import State, may_be_written_otherwise
from rules.native.value import ABSENT, Value, Visit
from rules.pairing import Pair
from rules.reading import Tally
from rules.roles import Role
from rules.samples import Samples, states_of
from rules.values import equal, text
from rules.write import Write

States: TypeAlias = Annotated[list[Text], Field(min_length=1, max_length=64), Role.VALUE]
Matcher: TypeAlias = Callable[[str | None], bool]


class Transition(Model):
    """A move from any of some states to any of others."""

    from_: States = Field(
        alias="from", description='States before the write; "" is unset and "*" is any, unset included.'
    )
    to: States = Field(description='States after the write; "" is unset and "*" is any, unset included.')


Moves: TypeAlias = Annotated[list[Transition], Field(min_length=1, max_length=64)]


class Transitions(Kind):
    """A state moves only where it may: along `allow`, not along `forbid`, in at `initial`, never out of `terminal`."""

    model_config = also_in_cel(
        ("!(has(self.allow) && has(self.forbid))", "allow and forbid exclude each other"),
        (
            "has(self.allow) || has(self.forbid) || has(self.initial) || has(self.terminal)",
            "needs one of allow, forbid, initial, terminal",
        ),
    )
    name: ClassVar[str] = "transitions"
    cured_by_waiting: ClassVar[bool] = False

    field: Annotated[PairedPath, Role.SCALAR] = Field(
        description="The field that holds the state; its value is compared as text."
    )
    allow: Moves | None = Field(default=None, description="The only moves that are allowed; excludes `forbid`.")
    forbid: Moves | None = Field(default=None, description="Moves that are not allowed; excludes `allow`.")
    initial: States | None = Field(
        default=None,
        description="The states that may follow unset, also when an object is created; then `allow` is not asked.",
    )
    terminal: States | None = Field(default=None, description="States that are never left, not even to unset.")

    @model_validator(mode="after")
    def _says_something(self) -> Transitions:
        if self.allow is not None and self.forbid is not None:
            raise PydanticCustomError("transitions", "`allow` and `forbid` exclude each other")
        if all(part is None for part in (self.allow, self.forbid, self.initial, self.terminal)):
            raise PydanticCustomError("transitions", "needs one of `allow`, `forbid`, `initial`, `terminal`")
        return self

    def compile(self) -> Checks:
        """Return the check of the field."""
        path = self.field
        is_initial = _matcher(self.initial)
        is_terminal = _matcher(self.terminal)
        allowed, forbidden = _moves(self.allow), _moves(self.forbid)
        asks_initial, asks_allow = self.initial is not None, self.allow is not None

        def problem(old: str | None, new: str | None, *, creates: bool) -> str | None:
            if asks_initial and old == "" and not is_initial(new):
                return "may not start as {new}"
            if creates:
                return None
            if is_terminal(old):
                return "left {old}, a state that is never left, for {new}"
            is_start = asks_initial and old == ""
            if forbidden(old, new) or (asks_allow and not is_start and not allowed(old, new)):
                return "may not go from {old} to {new}"
            return None

        def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
            before, after = present(pair.old), present(pair.new)
            if is_gone(pair) or equal(before, after):
                return None
            old, new = _state(before, tally), _state(after, tally)
            if old == new and old is not None:
                return None  # `3` and `"3"` are one state
            broken = problem(old, new, creates=write.creates)
            return None if broken is None else Finding(path.concrete(pair.where), broken, before, after)

        return Checks((paired_check(path, judge, on_create=asks_initial),), (path,))

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield the clause of the field."""
        visit = Visit(partial(self._in_cel, form), partial(self._in_cel, form, ABSENT), alike=True)
        holds = partial(form.pairs, self.field, visit)
        yield Clause(holds, " ".join(self.sentences()), (self.field,), on_create=self.initial is not None)

    def _in_cel(self, form: Form, old: Value, new: Value) -> Expression:
        moves = [(move.from_, move.to) for move in (self.allow or self.forbid or ())]
        listed = [*(states for move in moves for states in move), self.initial or [], self.terminal or []]
        names = {name for states in listed for name in states}
        asks_initial = self.initial is not None

        def fine(before: State, after: State) -> Expression:
            started = any_of(negate(before.is_unset), after.is_one_of(self.initial)) if asks_initial else TRUE
            stays = negate(before.is_one_of(self.terminal))
            along = any_of(*(all_of(before.is_one_of(leaves), after.is_one_of(enters)) for leaves, enters in moves))
            if self.forbid or not moves:
                along = negate(along)
            elif asks_initial:
                along = any_of(before.is_unset, along)
            return any_of(before.stays(after), all_of(started, any_of(form.creates, all_of(stays, along))))

        judged = form.let_state(
            old, names, lambda before: form.let_state(new, names, lambda after: fine(before, after))
        )
        if form.is_quick and not moves and not asks_initial and not any(map(may_be_written_otherwise, names)):
            # Only the end is never left, and what is no text is not the end.
            goes_on = form.let_state(old, names, lambda before: negate(before.is_one_of(self.terminal)))
            return any_of(goes_on, form.same(old, new))
        return any_of(form.same(old, new), form.assuming(form.sure_states([old, new], names), judged))

    def sentences(self) -> list[str]:
        """Return what is demanded of the field."""
        found = [f"{self.field} starts as {_names(self.initial)}."] if self.initial else []
        if self.allow:
            found.append(f"{self.field} moves only {', or '.join(map(_move, self.allow))}.")
        found += [f"{self.field} never moves {_move(move)}." for move in self.forbid or ()]
        if self.terminal:
            found.append(f"{self.field}, once {_names(self.terminal)}, stays as it is.")
        return found

    def samples(self) -> list[Samples]:
        """Return the field with every state that is named, and one that is not."""
        moves = [*(self.allow or ()), *(self.forbid or ())]
        listed = [*(states for move in moves for states in (move.from_, move.to)), self.initial, self.terminal]
        names = [name for states in listed for name in states or () if name != "*"]
        return [{self.field: [*states_of(self.field, names), None]}]


def _move(move: Transition) -> str:
    return f"from {_names(move.from_)} to {_names(move.to)}"


def _names(states: list[str]) -> str:
    words = {"": "unset", "*": "anything"}
    return " or ".join(words.get(state, state) for state in states)


def _state(value: Any, tally: Tally) -> str | None:
    """Return a value as a state: "" is unset, None a value that is no scalar and matches no name."""
    if value is None:
        return ""
    found = text(value)
    if found is None:
        tally.type_mismatches += 1
    return found


def _matcher(states: list[str] | None) -> Matcher:
    if states is None:
        return lambda state: False
    if "*" in states:
        return lambda state: state is not None
    names = frozenset(states)
    return lambda state: state in names


def _moves(transitions: list[Transition] | None) -> Callable[[str | None, str | None], bool]:
    moves = [(_matcher(move.from_), _matcher(move.to)) for move in transitions or ()]
    return lambda old, new: any(leaves(old) and enters(new) for leaves, enters in moves)
