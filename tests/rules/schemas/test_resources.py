from __future__ import annotations

from rules.schemas.resources import ResourceSchema, ResourceVersion, SchemaCatalog, SchemaSource
from rules.schemas.schema import UNKNOWN, Schema

FIRST, SECOND = Schema({"type": "object"}), Schema({"type": "object"})


def widgets(**versions: Schema) -> SchemaSource:
    found = {name: ResourceVersion({"": schema}) for name, schema in versions.items()}
    return SchemaSource((ResourceSchema("example.test", "widgets", found, is_namespaced=True),))


def test_of_two_descriptions_of_a_version_the_first_counts() -> None:
    catalog = SchemaCatalog([widgets(v1=FIRST), widgets(v1=SECOND, v2=SECOND)])
    (found,) = catalog.in_groups(["example.test"])
    assert {name: version.objects[""] for name, version in found.versions.items()} == {"v1": FIRST, "v2": SECOND}


def test_the_star_is_every_group() -> None:
    core = ResourceSchema("", "pods", {"v1": ResourceVersion({"": UNKNOWN})}, is_namespaced=True)
    catalog = SchemaCatalog([widgets(v1=FIRST), SchemaSource((core,))])
    assert [found.title for found in catalog.in_groups(["*"])] == ["widgets.example.test", "pods"]
    assert [found.title for found in catalog.in_groups([""])] == ["pods"]
    assert catalog.in_groups(["other.test"]) == []


def test_only_what_lists_everything_is_complete() -> None:
    catalog = SchemaCatalog([SchemaSource((), frozenset({("apps", "*"), ("batch", "v1")}))])
    assert catalog.is_complete(["apps"], ["v1", "v2"])
    assert catalog.is_complete(["apps"], ["*"])
    assert catalog.is_complete(["apps", "batch"], ["v1"])
    assert not catalog.is_complete(["batch"], ["v1", "v2"])
    assert not catalog.is_complete(["batch"], ["*"])
    assert not catalog.is_complete(["example.test"], ["v1"])
