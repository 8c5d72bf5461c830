from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.case_write import merge_patch, plural, write_of
from rules.suite import Case
from rules.values import MISSING
from rules.write import Resource

from .judging import snippet

WIDGET = "{apiVersion: example.test/v1, kind: Widget, metadata: {name: w, namespace: n}, status: {a: 1}}"


def case(**parts: str) -> Case:
    return Case.model_validate({"name": "c", "expect": {}} | {name: snippet(text) for name, text in parts.items()})


def test_what_follows_from_the_objects() -> None:
    write = write_of(case(old=WIDGET, object=WIDGET.replace("a: 1", "a: 2")))
    request = write.request
    assert request.resource == Resource("example.test", "v1", "widgets", "status")
    assert (request.operation, request.kind, request.namespace, request.name) == ("UPDATE", "Widget", "n", "w")
    assert (request.username, request.groups, request.field_manager) == ("statusguard-test", (), "")
    assert (request.dry_run, request.namespace_labels, write.patch) == (False, None, MISSING)
    assert (write.old["status"], write.new["status"]) == ({"a": 1}, {"a": 2})


def test_without_an_old_object_the_write_creates_it() -> None:
    write = write_of(case(object=WIDGET))
    assert (write.request.operation, write.request.resource.subresource) == ("CREATE", "")
    assert write.creates
    assert write.old["status"] is None


def test_an_object_that_is_created_was_not_there_before() -> None:
    write = write_of(case(old=WIDGET, patch="{status: {a: 2}}", request="{operation: CREATE}"))
    assert write.creates
    assert (write.old["status"], write.new["status"]) == (None, {"a": 2})


def test_every_part_of_the_request_can_be_said() -> None:
    request = """
    resource: {group: g, version: v2, resource: gadgets}
    subresource: scale
    operation: UPDATE
    user: {username: u, groups: [a, b]}
    fieldManager: m
    dryRun: true
    namespaceLabels: {team: x}
    """
    asked = write_of(case(object=WIDGET, request=request)).request
    assert asked.resource == Resource("g", "v2", "gadgets", "scale")
    assert (asked.operation, asked.username, asked.groups) == ("UPDATE", "u", ("a", "b"))
    assert (asked.field_manager, asked.dry_run, asked.namespace_labels) == ("m", True, {"team": "x"})


@pytest.mark.parametrize(
    ("request_", "resource"),
    [
        ("{resource: gadgets}", Resource("example.test", "v1", "gadgets", "status")),
        ("{resource: {resource: gadgets, version: v3}}", Resource("example.test", "v3", "gadgets", "status")),
        ("{resource: {resource: gadgets, group: ''}}", Resource("", "v1", "gadgets", "status")),
        ("{subresource: ''}", Resource("example.test", "v1", "widgets", "")),
    ],
)
def test_what_is_left_out_comes_from_the_object(request_: str, resource: Resource) -> None:
    assert write_of(case(old=WIDGET, object=WIDGET, request=request_)).request.resource == resource


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Widget", "widgets"),
        ("Ingress", "ingresses"),
        ("Box", "boxes"),
        ("Batch", "batches"),
        ("Mesh", "meshes"),
        ("Policy", "policies"),
        ("Gateway", "gateways"),
        ("KubeadmControlPlane", "kubeadmcontrolplanes"),
        ("y", "ies"),
        ("", "s"),
    ],
)
def test_plural(kind: str, expected: str) -> None:
    assert plural(kind) == expected


def test_objects_of_the_core_group_and_odd_ones() -> None:
    write = write_of(case(object="{apiVersion: v1, kind: Pod, metadata: [name]}"))
    assert write.request.resource == Resource("", "v1", "pods", "")
    odd = write_of(case(object="{apiVersion: 1, kind: [x], metadata: {name: 3}}"))
    assert (odd.request.resource.version, odd.request.name) == ("", "")


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        # The examples of RFC 7396, appendix A.
        ("{a: b}", "{a: c}", "{a: c}"),
        ("{a: b}", "{b: c}", "{a: b, b: c}"),
        ("{a: b}", "{a: null}", "{}"),
        ("{a: b, b: c}", "{a: null}", "{b: c}"),
        ("{a: [b]}", "{a: c}", "{a: c}"),
        ("{a: c}", "{a: [b]}", "{a: [b]}"),
        ("{a: {b: c}}", "{a: {b: d, c: null}}", "{a: {b: d}}"),
        ("{a: [{b: c}]}", "{a: [1]}", "{a: [1]}"),
        ("[a, b]", "[c, d]", "[c, d]"),
        ("{a: b}", "[c]", "[c]"),
        ("{e: null}", "{a: 1}", "{e: null, a: 1}"),
        ("[1, 2]", "{a: b, c: null}", "{a: b}"),
        ("{}", "{a: {bb: {ccc: null}}}", "{a: {bb: {}}}"),
    ],
)
def test_merge_patch(target: str, patch: str, expected: str) -> None:
    before = snippet(target)
    assert merge_patch(before, snippet(patch)) == snippet(expected)
    assert before == snippet(target)


OBJECTS: st.SearchStrategy[Any] = st.recursive(
    st.integers() | st.none(), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=6
)


@given(OBJECTS, OBJECTS)
def test_a_merge_patch_applied_twice_changes_nothing_more(target: Any, patch: Any) -> None:
    once = merge_patch(target, patch)
    assert merge_patch(once, patch) == once


def test_in_the_audit_log_the_patch_is_the_body() -> None:
    patch = "{status: {a: 2}}"
    assert write_of(case(source="audit", old=WIDGET, patch=patch)).patch == {"status": {"a": 2}}
    assert write_of(case(old=WIDGET, patch=patch)).patch is MISSING
    assert write_of(case(source="audit", old=WIDGET, object=WIDGET)).patch is MISSING
