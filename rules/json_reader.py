"""JSON text -> a document: the standard library says whether it is JSON, then its tokens are walked for their places.

No JSON library tells where a value is or that a key is there twice, and YAML readers refuse some JSON (escaped
surrogate pairs). Since the text is known to be JSON by then, a regular expression is enough to find its tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from rules.document_tree import Built, TreeBuilder
from rules.places import SourceText
from rules.scalars import Scalar, decimal, integer

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s{}\[\],:"]+')
_INTEGER: Final = re.compile(r"-?[0-9]+")
_LITERALS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_DECODER: Final = json.JSONDecoder(parse_int=len, parse_float=len)  # numbers are only checked here, not computed


def read_json(text: SourceText) -> Iterator[Built]:
    """Yield the one document of `text`; DocumentError at the first thing that is wrong."""
    try:
        _DECODER.decode(text.text)
    except json.JSONDecodeError as error:
        message = error.msg.removesuffix(" at").removesuffix(" starting")
        raise text.error(error.pos, f"not JSON: {message}") from None
    except RecursionError:
        pass  # the builder finds the place where the text is nested too deeply
    builder = TreeBuilder(text)
    for match in _TOKEN.finditer(text.text):
        _add(match[0], match.start(), match.end(), builder, text)
    built = builder.finish()
    if built is not None:
        yield built


def _add(token: str, start: int, end: int, builder: TreeBuilder, text: SourceText) -> None:
    match token:
        case "{":
            builder.open_mapping(start)
        case "[":
            builder.open_list(start)
        case "}" | "]":
            builder.close()
        case _:
            try:
                value = _scalar(token)
            except ValueError as error:
                raise text.error(start, str(error)) from None
            builder.scalar(value, start, end)


def _scalar(token: str) -> Scalar:
    if token.startswith('"'):
        return token[1:-1] if "\\" not in token else str(json.loads(token))
    if token in _LITERALS:
        return _LITERALS[token]
    return integer(token) if _INTEGER.fullmatch(token) else decimal(token)
