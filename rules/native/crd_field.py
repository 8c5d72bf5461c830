"""A field of `self` or `oldSelf`, typed by the schema of a CustomResourceDefinition."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from rules.native.expression import (
    FALSE,
    NULL,
    RESERVED,
    TRUE,
    ZERO,
    Expression,
    all_of,
    any_of,
    call,
    choose,
    compare,
    contained,
    has,
    item,
    let,
    literal,
    macro,
    member,
    method,
    name,
    negate,
)
from rules.native.form import CannotSayError
from rules.native.limits import MAX_TURNS
from rules.native.value import Value
from rules.path_syntax import Select
from rules.schemas.schema import INT_OR_STRING, UNKNOWN, Schema

_NAMED: Final = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*", re.ASCII)
"""Names of properties that a schema's rules can read."""

_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_ESCAPED: Final = re.compile(r"__|[./-]")
_FORMATS: Final = {"date-time": "timestamp", "date": "date", "duration": "duration", "byte": "bytes"}
_TYPES: Final = {"integer": "int", "number": "double", "boolean": "bool", "array": "list", "object": "map"}
_FOUND: Final = name("x")
_SCALARS: Final = frozenset({"bool", "int", "double", "string", ""})


@dataclass(frozen=True, slots=True)
class Field(Value):
    """A field of a known schema. `path` is how a person would write where it is.

    `type` is empty for an integer or a string (`x-kubernetes-int-or-string`). `is_new`: of a new object the schema has been
    checked, so that what it requires is there; an old one may have been stored before it was required. `keys`: members that
    it has in any case, because it is an item that the API server pairs by them. `is_found`: in an item that was looked for.
    """

    schema: Schema = UNKNOWN
    path: str = ""
    is_new: bool = True
    keys: tuple[str, ...] = ()
    is_found: bool = False

    @property
    def surely(self) -> Field:
        """The same field, where it has been asked whether it is there."""
        return replace(self, present=TRUE)

    @property
    def is_scalar(self) -> bool:
        """Whether it has a text."""
        return self.type in _SCALARS

    def is_a(self, *kinds: str) -> Expression:
        """See `Value.is_a`: what is surely absent is nothing."""
        return FALSE if self.present.text == "false" else Value.is_a(self, *kinds)

    def child(self, name: str) -> Field | None:
        """Return a member of an object, None if there can be none. Raises CannotSayError where the schema says nothing."""
        path = f"{self.path}.{name}"
        if self.type != "map":
            return None
        schema = self.schema.field(name)
        if schema is None:
            return None
        if name not in self.schema.names:
            there = all_of(self.present, contained(literal(name), self.it))
            return self._below(there, item(self.it, literal(name)), schema, path)
        escaped = escape(name)
        is_required = name in self.keys or (self.is_new and name in _listed(self.schema, "required"))
        there = self.present if is_required else all_of(self.present, has(self.it, escaped))
        return self._below(there, member(self.it, escaped), schema, path)

    def each(self, variable: Expression) -> Field:
        """Return an item of a list by the name of a variable; the value of a key of a map."""
        schema = self.schema.item if self.type == "list" else self.schema.value
        it = variable if self.type == "list" else item(self.it, variable)
        return replace(self._below(TRUE, it, schema, f"{self.path}[]"), keys=self.schema.list_keys)

    def selected(self, select: Select, variable: Expression) -> Field:
        """Return the first item of a list that `[key=value]` names."""
        test = is_selected(self.each(variable), select)
        there = all_of(self.present, macro(self.it, "exists", variable.text, test, MAX_TURNS))
        found = item(macro(self.it, "filter", variable.text, test, MAX_TURNS), literal(0))
        found_there = self._below(there, found, self.schema.item, f"{self.path}{select.written}")
        return replace(found_there, keys=self.schema.list_keys, is_found=True)

    def all(self, variable: Expression, holds: Expression) -> Expression:
        """Return that something holds of every item, or every key; true of a list that is not there."""
        if holds.text == "true":
            return TRUE
        return any_of(self.absent, macro(self.it, "all", variable.text, holds, MAX_TURNS))

    def some(self, variable: Expression, holds: Expression) -> Expression:
        """Return that something holds of an item, or a key."""
        if holds.text == "false":
            return FALSE
        if holds.text == "true":
            return all_of(self.present, compare(method(self.it, "size"), ">", ZERO))
        return all_of(self.present, macro(self.it, "exists", variable.text, holds, MAX_TURNS))

    def is_map_by(self, keys: tuple[str, ...]) -> bool:
        """Tell whether the API server keeps these keys unique in a list, and pairs its items by them."""
        return bool(keys) and sorted(self.schema.list_keys) == sorted(keys)

    def _below(self, there: Expression, it: Expression, schema: Schema, path: str) -> Field:
        if not is_known(schema):
            raise CannotSayError(f"the schema does not say what {path.removeprefix('.')} is")
        if schema.raw.get("nullable") is True:
            there = all_of(there, compare(call("dyn", it), "!=", NULL))
        kind = type_of(schema)
        if kind == "":
            # An integer or a string: null where it is absent, so that it may be asked for its type.
            it = choose(there, it, NULL)
        if kind == "double":
            it = call("dyn", it)  # so that it may be compared with integers, and stand beside one
        return Field(there, it, kind, schema, path, self.is_new, is_found=self.is_found)


def type_of(schema: Schema) -> str:
    """Return the CEL type of what a schema describes, empty for an integer or a string. Raises CannotSayError."""
    if schema.types == INT_OR_STRING:
        return ""
    if len(schema.types) != 1:
        raise CannotSayError("the schema does not say what the object is")
    (kind,) = schema.types
    return _FORMATS.get(schema.format or "", "string") if kind == "string" else _TYPES[kind]


def is_known(schema: Schema) -> bool:
    """Tell whether rules can read what a schema describes: the API server hides what has no type, and lists and maps of it."""
    if schema.types == INT_OR_STRING:
        return True
    if len(schema.types) != 1 or not isinstance(schema.raw.get("type"), str):
        return False
    if schema.types == {"array"}:
        return is_known(schema.item)
    others = schema.raw.get("additionalProperties")
    return is_known(schema.value) if isinstance(others, dict) else others is not True


def is_selected(each: Field, select: Select) -> Expression:
    """Return that an item is what `[key=value]` names. Raises CannotSayError."""
    tests: list[Expression] = []
    for key_name, wanted in select.keys:
        key = each.child(key_name)
        if key is None or not key.is_scalar:
            raise CannotSayError(f"{each.path.removeprefix('.')} has no {key_name} that could be compared with a text")
        text = key.it if key.type == "string" else call("string", key.it)
        tests += [key.present, compare(text, "==", literal(wanted))]
    return all_of(*tests)


def is_item(each: Field, keys: tuple[str, ...]) -> Expression:
    """Return that an item has these keys. Raises CannotSayError."""
    return all_of(*(_key(each, key).present for key in keys))


def same_keys(one: Field, other: Field, keys: tuple[str, ...]) -> Expression:
    """Return that two items that have these keys have the same. Raises CannotSayError."""
    return all_of(*(compare(_key(one, key).it, "==", _key(other, key).it) for key in keys))


def _key(each: Field, name: str) -> Field:
    key = each.child(name)
    if key is None:
        raise CannotSayError(f"{each.path.removeprefix('.')} has no {name} in the schema")
    return key


def same_field(old: Value, new: Value) -> Expression:
    """Return that two fields are both absent, or equal."""
    equal = compare(old.it, "==", new.it)
    if isinstance(new, Field) and new.is_found and new.type not in {"int", "double", "bool", "timestamp"}:
        # The API server does not know how long a text is that was looked for, and takes it for endless; of a name it does not.
        equal = let(_FOUND, new.it, compare(old.it, "==", _FOUND))
    return choose(new.present, all_of(old.present, equal), negate(old.present))


def escape(name: str) -> str:
    """Return a property's name as a schema's rules spell it. Raises CannotSayError."""
    if _NAMED.fullmatch(name) is None:
        raise CannotSayError(f"a schema's rules cannot read a field of the name {name!r}")
    return f"__{name}__" if name in RESERVED else _ESCAPED.sub(lambda match: _ESCAPES[match.group()], name)


def anywhere(schema: Schema, test: Callable[[Schema], bool]) -> bool:
    """Tell whether something is true of a schema, or of what is below it."""
    if test(schema):
        return True
    below = [field for name in schema.names if (field := schema.field(name)) is not None]
    raw: Any = schema.raw
    below += [schema.item] if "items" in raw else []
    below += [schema.value] if isinstance(raw.get("additionalProperties"), dict) else []
    return any(anywhere(each, test) for each in below)


def _listed(schema: Schema, key: str) -> list[Any]:
    found = schema.raw.get(key)
    return found if isinstance(found, list) else []
