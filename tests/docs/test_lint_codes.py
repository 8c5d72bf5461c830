"""Every code that lint may print is explained in docs/lint.md, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

POSITION = {
    "Problem": 2,
    "custom_error": 0,
    "PydanticCustomError": 0,
    "LocatedProblem": 2,
    "Finding": 2,
    "Remark": 1,
    "parsed_schema": 0,
}
"""Which argument of a call is the code."""

CODE = re.compile(r"[a-z]+(-[a-z]+)*")
OF_PYDANTIC = {
    *("bool-type", "int-type", "list-type", "string-type", "dict-type", "model-type"),
    *("string-too-long", "string-too-short", "too-long", "too-short", "greater-than-equal", "less-than-equal"),
}
"""Codes that come from pydantic's own checks of types and bounds."""


def codes_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        found: list[ast.expr] = [each.value for each in node.keywords if each.arg == "code"]
        if name in POSITION and len(node.args) > POSITION[name]:
            found.append(node.args[POSITION[name]])
        for each in found:
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and CODE.fullmatch(each.value):
                yield each.value


def test_the_page_explains_every_code() -> None:
    used = {code for file in (ROOT / "rules").rglob("*.py") for code in codes_in(ast.parse(file.read_text("utf-8")))}
    page = (ROOT / "docs/lint.md").read_text("utf-8")
    explained = set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE))
    assert used
    assert explained == used | OF_PYDANTIC
