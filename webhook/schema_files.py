"""Schemas of resources from files: CustomResourceDefinitions, and what a cluster prints of its OpenAPI."""

from __future__ import annotations

import codecs
import json
import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rules.documents import MAX_BYTES, Document, DocumentError, Place, parse
from rules.located import LocatedProblem, locate, unreadable
from rules.problem import Problem
from rules.schemas.crd import is_crd, read_crds
from rules.schemas.openapi import is_openapi, read_openapi
from rules.schemas.resources import InvalidSchemaError, SchemaCatalog, SchemaSource
from webhook.display import escape
from webhook.errors import InputError
from webhook.rule_folders import file_error, find, reason

MAX_SCHEMA_BYTES: Final = 64 * 1024 * 1024
"""The largest JSON file of schemas that is read: the OpenAPI of a cluster with many CRDs has some 20 MiB."""

_NOTHING: Final = (
    "describes no resource: expected CustomResourceDefinitions, or what `kubectl get --raw /openapi/v2` or "
    "`kubectl get --raw /openapi/v3/apis/GROUP/VERSION` prints"
)

_BEFORE_JSON: Final = codecs.BOM_UTF8 + string.whitespace.encode()


def load_schemas(paths: Sequence[Path]) -> SchemaCatalog:
    """Read all schemas in files and folders. Raises InputError with a line for each mistake, and for a path without any."""
    sources: list[SchemaSource] = []
    wrong: list[str] = []
    for path in paths:
        found = find([path])
        problems = [unreadable(error) for error in found.errors]
        described = 0
        for file in found.files:
            for each in _read(file):
                if isinstance(each, LocatedProblem):
                    problems.append(each)
                else:
                    sources.append(each)
                    described += len(each.resources)
        if not problems and not described:
            problems.append(unreadable(file_error(path, _NOTHING)))
        wrong += map(str, sorted(problems))
    if wrong:
        raise InputError(*wrong)
    # A CRD says more than the OpenAPI that is made of it: of two descriptions the first counts.
    return SchemaCatalog(sorted(sources, key=lambda source: bool(source.complete)))


def _read(path: Path) -> Iterator[SchemaSource | LocatedProblem]:
    """Yield what a file describes, and what is wrong with it."""
    name = escape(str(path))
    try:
        with path.open("rb") as file:
            content = file.read(MAX_SCHEMA_BYTES + 1)
        if content.lstrip(_BEFORE_JSON)[:1] == b"{":
            yield from _described(_decode_json(content, name), None, content, name)
        elif len(content) > MAX_BYTES:
            yield unreadable(file_error(path, f"YAML of more than {MAX_BYTES // 1024**2} MiB: JSON may be larger"))
        else:
            for document in parse(content, name):
                yield from _described(document.data, document, content, name)
    except DocumentError as error:
        yield unreadable(error)
    except OSError as error:
        yield unreadable(file_error(path, reason(error)))


def _described(
    data: Any, document: Document | None, content: bytes, name: str
) -> Iterator[SchemaSource | LocatedProblem]:
    try:
        if is_openapi(data):
            yield read_openapi(data)
        elif is_crd(data):
            yield read_crds(data)
    except InvalidSchemaError as error:
        for problem in error.problems:
            yield _located(problem, document or _document(content, name), name)


def _decode_json(content: bytes, name: str) -> Any:
    """Return what JSON says. The standard library tells where a mistake is, and reads 4 MiB in 50 ms. Raises DocumentError."""
    if len(content) > MAX_SCHEMA_BYTES:
        raise DocumentError(Place(name, 1, 1), f"larger than {MAX_SCHEMA_BYTES // 1024**2} MiB")
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise DocumentError(Place(name, error.lineno, error.colno), f"not JSON: {error.msg}") from None
    except RecursionError:
        raise DocumentError(Place(name, 1, 1), "nested too deeply") from None
    except UnicodeDecodeError:
        raise DocumentError(Place(name, 1, 1), "not in UTF-8") from None
    except ValueError as error:  # a number of more digits than Python reads
        raise DocumentError(Place(name, 1, 1), f"not usable: {str(error).partition(':')[0]}") from None


def _document(content: bytes, name: str) -> Document | None:
    """Return the same file with the places of its values, unless it is too large for that."""
    try:
        return next(iter(parse(content, name)), None)
    except DocumentError:
        return None


def _located(problem: Problem, document: Document | None, name: str) -> LocatedProblem:
    if document is None:
        return LocatedProblem(Place(name, 1, 1), problem.message, problem.code)
    return locate(problem, document)
