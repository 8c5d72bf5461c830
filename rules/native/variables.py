"""What several parts of an expression read, by name: variables of a policy, or what an expression binds at its beginning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, count
from typing import Final

from rules.native.expression import RESERVED, Expression, all_of, let
from rules.native.names import is_simple
from rules.path_syntax import Name, Segment, Select

_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9]+")
_OURS: Final = re.compile(r"[a-z][0-9]*")
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_NOT_A_MEMBER: Final = re.compile(r"(?<![\w.?])[A-Za-z_]\w*")
_LOCAL: Final = re.compile(r"[a-z][0-9]*(\..*)?")
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'")
_TAKEN: Final = RESERVED | frozenset(
    (
        *("authorizer", "namespaceObject", "object", "oldObject", "oldSelf", "params", "request", "self", "variables"),
        *(
            "bool",
            "bytes",
            "double",
            "duration",
            "dyn",
            "has",
            "int",
            "list",
            "map",
            "null_type",
            "optional_type",
            "size",
        ),
        *("string", "timestamp", "type", "uint"),
    )
)


class Variables:
    """Gives each expression one name; `prefix` is how a variable is used: `variables.`, or nothing.

    `short`: by names of two letters, for an expression that would be too large.
    """

    def __init__(self, prefix: str = "", *, short: bool = False) -> None:
        self.prefix = prefix
        self._short = short
        self.values: dict[str, Expression] = {}
        self._names: dict[str, str] = {}
        self._required: dict[str, Expression] = {}

    def derived(self, value: Expression, suffix: str) -> Expression | None:
        """Return the variable for an expression that reads nothing but variables, None for any other; for prefixed ones."""
        bare = _QUOTED.sub("", value.text)
        read = re.search(rf"\b{re.escape(self.prefix)}([A-Za-z0-9_]+)", bare)
        if read is None or any(map(_LOCAL.fullmatch, _WORD.findall(bare))):
            return None
        return self.named(f"{read.group(1)}_{suffix}", value)

    def has(self, value: Expression) -> bool:
        """Tell whether an expression is one of the variables."""
        return value.text.removeprefix(self.prefix) in self.values

    def require(self, holds: Expression) -> None:
        """Have something hold, whatever else is asked."""
        self._required[holds.text] = holds

    def named(self, stem: str, value: Expression) -> Expression:
        """Return the variable that stands for an expression."""
        if value.optional or is_simple(value):
            return value
        known = self._names.get(value.text)
        if known is None:
            wanted = "" if self._short else _NOT_IN_A_NAME.sub("_", stem).strip("_")
            wanted = wanted or _letters(len(self.values))
            # Names of one letter are for what a macro binds.
            wanted = f"{wanted}_" if wanted in _TAKEN or _OURS.fullmatch(wanted) else wanted
            wanted = f"_{wanted}" if wanted[0].isdigit() else wanted
            numbered = (f"{wanted}_{number}" for number in count(2))
            known = next(each for each in chain([wanted], numbered) if each not in self.values)
            self.values[known] = value
            self._names[value.text] = known
        return Expression(f"{self.prefix}{known}", cost=1 + bool(self.prefix))

    def bound_around(self, holds: Expression) -> Expression:
        """Return an expression in which all variables that it uses are bound, and what is required comes first.

        What is required of a variable comes as soon as it is bound, before what is read of it is bound to another one.
        """
        order = list(self.values)
        required: dict[int, list[Expression]] = {}
        for demand in self._required.values():
            read = set(_NOT_A_MEMBER.findall(_QUOTED.sub("", demand.text)))
            last = max((place for place, variable in enumerate(order) if variable in read), default=-1)
            required.setdefault(last, []).append(demand)
        for place, (variable, value) in reversed(list(enumerate(self.values.items()))):
            holds = all_of(*required.get(place, ()), holds)
            uses = len(re.findall(rf"\b{variable}\b", holds.text))
            once = f"[{variable}].all("
            if uses == 1 and once in holds.text:
                text = holds.text.replace(once, f"[{value.text}].all(")
                holds = Expression(text, holds.level, holds.cost + value.cost)
            elif uses:
                holds = let(Expression(variable), value, holds)
        return all_of(*required.get(-1, ()), holds)


def _letters(number: int) -> str:
    """Return the n-th name of two letters or more: `aa`, `ab`."""
    name = ""
    while number or len(name) < 2:
        number, letter = divmod(number, 26)
        name = chr(ord("a") + letter) + name
    return name


def stem_of(side: str, segments: Sequence[Segment]) -> str:
    """Return what to call the value of a path: `replicas`, `oldReplicas`, `spec_replicas`, `oldConditions_Ready_status`."""
    names = [each for segment in segments for each in _words(segment)]
    if names[:1] == ["status"] and len(names) > 1:
        del names[0]
    stem = "_".join(names)
    return stem if side == "new" else f"old{stem[:1].upper()}{stem[1:]}"


def _words(segment: Segment) -> list[str]:
    if isinstance(segment, Name):
        return [segment.name]
    return [value for _, value in segment.keys] if isinstance(segment, Select) else []
