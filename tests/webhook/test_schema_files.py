from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

import pytest

from tests.golden import DATA
from webhook.errors import InputError
from webhook.schema_files import MAX_SCHEMA_BYTES, load_schemas

CRDS = DATA / "crds"

CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "spec": {
        "group": "example.test",
        "names": {"plural": "widgets"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "served": True, "schema": {"openAPIV3Schema": {"type": "object"}}}],
    },
}
NOTHING = "describes no resource: expected CustomResourceDefinitions, or what `kubectl get --raw /openapi/v2` or "


def titles(*paths: Path) -> list[str]:
    return sorted(resource.title for resource in load_schemas(paths).in_groups(["*"]))


def mistakes(*paths: Path) -> list[str]:
    with pytest.raises(InputError) as raised:
        load_schemas(paths)
    return str(raised.value).splitlines()


def test_a_folder_of_crds_and_openapi() -> None:
    assert titles(CRDS) == [
        "chores.batch",
        "engines.apps",
        "gadgets.example.test",
        "namespaces",
        "widgets.example.test",
    ]


@pytest.mark.parametrize("name", ["c.json", "c.yaml", "c.txt"])
@pytest.mark.parametrize("before", [b"", codecs.BOM_UTF8, b"\n  "])
def test_json_is_known_by_its_first_character(tmp_path: Path, name: str, before: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(before + json.dumps({"kind": "List", "items": [CRD]}).encode())
    assert titles(file) == ["widgets.example.test"]


def test_other_documents_of_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: Deployment\n---\n" + json.dumps(CRD))
    (tmp_path / "b.json").write_text('{"openapi": "3.0.0", "paths": {"/version/": {}}}')
    assert titles(tmp_path) == ["widgets.example.test"]


def test_a_crd_counts_before_the_openapi_that_is_made_of_it(tmp_path: Path) -> None:
    path = "/apis/example.test/v1/namespaces/{namespace}/widgets/{name}"
    (tmp_path / "a.json").write_text(json.dumps({"swagger": "2.0", "paths": {path: {"put": {}}}}))
    (tmp_path / "b.json").write_text(json.dumps(CRD))
    (found,) = load_schemas([tmp_path]).in_groups(["example.test"])
    assert found.versions["v1"].objects[""].types == {"object"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b'{"a":\n x}', "2:2: error: not JSON: Expecting value [syntax]"),
        ("a.json", b'{"a": "\xff"}', "1:1: error: not in UTF-8 [syntax]"),
        ("a.json", b'{"a":' * 100_000, "1:1: error: nested too deeply [syntax]"),
        ("a.json", b'{"a": ' + b"1" * 5_000 + b"}", "1:1: error: not usable: Exceeds the limit (4300 digits)"),
        ("a.json", b"[]", f"1:1: error: {NOTHING}"),
        ("a.json", b"[", "1:2: error: not JSON: Expecting value [syntax]"),
        ("a.yaml", b"a: [", "1:5: error: did not find expected node content [syntax]"),
        ("a.yaml", b"", f"1:1: error: {NOTHING}"),
        ("a.yaml", b"kind: Deployment", f"1:1: error: {NOTHING}"),
        ("a.yaml", b"# 45678\n" * 2**19 + b"a: 1", "1:1: error: YAML of more than 4 MiB: JSON may be larger [syntax]"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    (mistake,) = mistakes(file)
    assert mistake.startswith(f"{file}:{message}")


def test_json_has_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    with file.open("wb") as sparse:
        sparse.write(b"{")
        sparse.truncate(MAX_SCHEMA_BYTES + 1)
    assert mistakes(file) == [f"{file}:1:1: error: larger than 64 MiB [syntax]"]


def test_every_mistake_in_crds_has_its_place(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("kind: List\nitems:\n- {kind: Pod}\n- kind: CustomResourceDefinition\n  spec: {}\n")
    assert mistakes(file) == [
        f"{file}:4:3: error: apiVersion is missing [missing-field]",
        *(f"{file}:5:9: error: {name} is missing [missing-field]" for name in ("group", "names", "scope", "versions")),
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({**CRD, "spec": {**CRD["spec"], "scope": 3}}, indent=1).replace(" 3", "\n3"))
    (mistake,) = mistakes(file)
    assert mistake.startswith(f"{file}:10:1: error: scope is 3, expected Cluster or Namespaced")


def test_a_file_too_large_for_places_has_its_name(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"kind": "List", "items": [{**CRD, "spec": None}], "more": "x" * 5 * 2**20}))
    assert mistakes(file) == [f"{file}:1:1: error: spec must be an object [model-type]"]


def test_all_mistakes_are_told(tmp_path: Path) -> None:
    missing, empty = tmp_path / "missing.yaml", tmp_path / "empty"
    empty.mkdir()
    assert [line.partition(": ")[0] for line in mistakes(missing, empty, CRDS)] == [f"{missing}:1:1", f"{empty}:1:1"]
