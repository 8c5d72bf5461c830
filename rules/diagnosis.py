"""What pydantic finds wrong with a document, in the words of the person who wrote it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from rules.problem import Location, Problem
from rules.values import canonical

_WORDS = {
    "missing": "is missing",
    "string_type": "must be a string",
    "int_type": "must be an integer",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "string_too_long": "is longer than {max_length} characters",
    "string_too_short": "must not be empty",
    "too_long": "has {actual_length} entries, at most {max_length} are allowed",
    "too_short": "must have at least {min_length} entry",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}


def problems(error: ValidationError, model: type[BaseModel]) -> tuple[Problem, ...]:
    """Return what is wrong, one problem for each mistake, with what was expected."""
    return tuple(_problem(details, model) for details in error.errors(include_url=False))


def _problem(details: ErrorDetails, model: type[BaseModel]) -> Problem:
    context = details.get("ctx", {})
    location: Location = (*details["loc"], *context.get("below", ()))
    code = details["type"].replace("_", "-")
    offset = context.get("offset")
    match details["type"]:
        case "extra_forbidden":
            return Problem(location, _unknown(location, model), "unknown-field")
        case "missing":
            return Problem(location[:-1], f"{_title(location)} is missing", "missing-field")
        case "literal_error":
            return Problem(location, _unexpected(location, details), "unexpected-value")
        case "string_pattern_mismatch":
            message = f"{shown(details['input'])} is no valid name: use lower case letters, digits, - and ."
            return Problem(location, f"{_title(location)}: {message}", "name")
    words = _WORDS.get(details["type"])
    if words is None:
        return Problem(location, _sentence(details, location), code, offset=offset)
    return Problem(location, f"{_title(location)} {words.format(**context)}", code, offset=offset)


def _sentence(details: ErrorDetails, location: Location) -> str:
    return f"{_title(location)}: {details['msg']}"


def _unknown(location: Location, model: type[BaseModel]) -> str:
    known = sorted(_field_names(_model_at(model, location[:-1])))
    return f"unknown field {shown(location[-1])}{suggestion(str(location[-1]), known) or _list(known)}"


def _unexpected(location: Location, details: ErrorDetails) -> str:
    # pydantic writes the choices as "'a', 'b' or 'c'".
    expected = details.get("ctx", {}).get("expected", "")
    choices = [choice for choice in expected.replace(" or ", ", ").replace("'", "").split(", ") if choice]
    found = details["input"]
    hint = suggestion(found, choices) if isinstance(found, str) else ""
    return f"{_title(location)} is {shown(found)}, expected {' or '.join(choices)}{hint}"


def suggestion(word: str, known: list[str]) -> str:
    """Return `, did you mean "x"?` for a misspelt word, or nothing if no known one is near."""
    # "NonIncreasing" is near to "Increasing", and its opposite.
    lower = {name.lower(): name for name in known if name.lower() not in {f"non{word.lower()}", f"not{word.lower()}"}}
    near = difflib.get_close_matches(word.lower(), lower, n=1, cutoff=0.6)
    return f", did you mean {shown(lower[near[0]])}?" if near else ""


def _list(known: list[str]) -> str:
    return f", expected one of {', '.join(known)}" if known else ""


def _field_names(model: type[BaseModel] | None) -> Iterator[str]:
    for name, field in model.model_fields.items() if model else ():
        yield field.alias or name


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel] | None:
    """Return the model of the object at a location, walking from the document's."""
    found: type[BaseModel] | None = model
    for step in location:
        if isinstance(step, int) or found is None:
            continue
        fields = {field.alias or name: field.annotation for name, field in found.model_fields.items()}
        found = _model_in(fields.get(step))
    return found


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _model_in(part))), None)


def _title(location: Location) -> str:
    """Return the last names of a location: `fields[1]`, `spec`."""
    indices = ""
    for step in reversed(location):
        if isinstance(step, str):
            return f"{step}{indices}"
        indices = f"[{step}]{indices}"
    return indices or "the document"


def shown(value: Any) -> str:
    """Return a value of a document as messages show it: on one line, and cut."""
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 64 and value.isprintable() else ascii(value[:64])
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list) else canonical(value)[:64]
