"""The regular expressions of the operator `Matches`."""

from __future__ import annotations

from collections.abc import Callable

from pydantic_core import SchemaError, SchemaValidator, core_schema

from rules.pattern_classes import PatternError
from rules.pattern_syntax import Translator

__all__ = ["PatternError", "compile_pattern"]


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return whether a whole value matches `pattern`, as a function that takes linear time.

    Raises PatternError, with the offset, for what is not in the syntax that RE2 and Rust's regex have in common, and for
    what is too large. pydantic-core has the only well-kept binding of Rust's regex: as the pattern of a string's schema.
    """
    whole = rf"\A(?:{Translator(pattern).translate()})\z"
    try:
        schema = core_schema.str_schema(pattern=whole, regex_engine="rust-regex", strict=True)
        return SchemaValidator(schema).isinstance_python
    except SchemaError:
        # Rust bounds the compiled size (10 MiB) and the nesting of groups and repetitions (250).
        raise PatternError("too large or nested too deeply", 0) from None
