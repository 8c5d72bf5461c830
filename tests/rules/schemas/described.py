"""What the tests hold rules against: the schemas in `tests/data/crds`, and what these say of a rule."""

from __future__ import annotations

import json

from rules.compile import CompiledRule
from rules.documents import parse
from rules.problem import Problem
from rules.schemas.crd import read_crds
from rules.schemas.lint import schema_problems
from rules.schemas.openapi import read_openapi
from rules.schemas.resources import SchemaCatalog, SchemaSource
from rules.schemas.schema import Schema
from tests.golden import DATA
from tests.rules.judging import rule, snippet

CRDS = DATA / "crds"


def crds() -> list[SchemaSource]:
    """Return what the CRDs describe: widgets and gadgets of example.test."""
    return [read_crds(document.data) for document in parse((CRDS / "widgets.yaml").read_bytes(), "widgets.yaml")]


def openapi(version: int) -> SchemaSource:
    """Return what the OpenAPI of a cluster describes: version 2 engines of apps, version 3 chores of batch."""
    (file,) = CRDS.glob(f"*-openapi-v{version}.json")
    return read_openapi(json.loads(file.read_bytes()))


CATALOG = SchemaCatalog([*crds(), openapi(2), openapi(3)])


def widget() -> Schema:
    """Return the schema of a widget of version v1."""
    (found,) = [each for each in CATALOG.in_groups(["example.test"]) if each.plural == "widgets"]
    return found.versions["v1"].objects[""]


def about(resources: str, *invariants: str, catalog: SchemaCatalog = CATALOG) -> list[Problem]:
    """Return what schemas say of a rule with these resource rules (a YAML list) and invariants."""
    return list(schema_problems(rule_about(resources, *invariants), catalog))


def rule_about(resources: str, *invariants: str) -> CompiledRule:
    """Return a rule with these resource rules (a YAML list); without invariants it reads nothing that schemas describe."""
    asks = invariants or ("frozen: {fields: [metadata.name]}",)
    return rule(*asks, matchConstraints={"resourceRules": snippet(resources)})


def said(problems: list[Problem]) -> list[str]:
    """Return problems in words, as `error: ... [code]`."""
    return [f"{each.severity}: {each.message} [{each.code}]" for each in problems]
