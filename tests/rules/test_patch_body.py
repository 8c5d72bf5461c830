from __future__ import annotations

from typing import Any

import pytest

from rules.fieldpath import parse
from rules.patch_body import holds, is_locked

from .judging import snippet, write

OLD = "status: {a: {b: 1}, c: [{k: x, n: 1}, {k: y, n: 2}]}"
NEW = "status: {a: {b: 2}, c: [{k: y, n: 3}, {k: z, n: 4}]}"


@pytest.mark.parametrize(
    ("path", "body", "held"),
    [
        ("status.a.b", "{status: {a: {b: 2}}}", True),
        ("status.a.b", "{status: {a: {b: null}}}", True),
        ("status.a.b", "{status: {a: {c: 2}}}", False),
        ("status.a.b", "{status: {}}", False),
        ("status.a.b", "{metadata: {}}", False),
        # Whoever writes a parent as a whole writes what is below.
        ("status.a.b", "{status: null}", True),
        ("status.a.b", "{status: {a: null}}", True),
        ("status.a.b", "{status: {a: 3}}", True),
        # A list is replaced as a whole: its items are in it or are not.
        ("status.c[k=y].n", "{status: {c: [{k: y, n: 3}]}}", True),
        ("status.c[k=y].n", "{status: {c: [{k: y}]}}", False),
        ("status.c[k=y].n", "{status: {c: [{k: z, n: 3}]}}", False),
        ("status.c[k=y].n", "{status: {c: null}}", True),
        ("status.c[k=y].n", "{status: {c: {k: y}}}", True),
        ("status.a.b", "[{op: replace, path: /status/a/b, value: 2}]", True),
        ("status.a.b", "[{op: remove, path: /status/a}]", True),
        ("status.a.b", "[{op: add, path: /status/a/b/deeper, value: 2}]", True),
        ("status.a.b", "[{op: replace, path: '', value: {}}]", True),
        ("status.a.b", "[{op: replace, path: /status/a/c, value: 2}]", False),
        ("status.a.b", "[{op: test, path: /status/a/b, value: 1}]", False),
        ("status.a.b", "[{op: move, from: /status/a/b, path: /status/x}]", True),
        ("status.a.b", "[{op: copy, from: /status/a/b, path: /status/x}]", False),
        ("status.a.b", "[{op: copy, from: /status/x, path: /status/a/b}]", True),
        ('status["a/b"]["c~d"]', "[{op: add, path: /status/a~1b/c~0d, value: 1}]", True),
        ('status["~1"]', "[{op: add, path: /status/~01, value: 1}]", True),
        # An item is meant by its index before or after the write.
        ("status.c[k=y].n", "[{op: replace, path: /status/c/1/n, value: 3}]", True),
        ("status.c[k=y].n", "[{op: replace, path: /status/c/0/n, value: 3}]", True),
        ("status.c[k=x].n", "[{op: replace, path: /status/c/1/n, value: 3}]", False),
        ("status.c[k=z].n", "[{op: add, path: /status/c/-, value: {}}]", True),
        ("status.c[k=y].n", "[{op: add, path: /status/c/-, value: {}}]", False),
        ("status.c[k=gone].n", "[{op: add, path: /status/c/0, value: {}}]", False),
        ("status.a[k=x].n", "[{op: add, path: /status/a/0, value: {}}]", False),
        ("status.a.b", "[1, null, {}, {op: add}, {op: add, path: 3}]", False),
        ("status.a.b", "[]", False),
    ],
)
def test_holds(path: str, body: str, *, held: bool) -> None:
    assert holds(parse(path))(snippet(body), write(OLD, NEW)) is held


@pytest.mark.parametrize("body", [None, 3, "text"])
def test_a_body_that_is_no_object_replaces_everything(body: Any) -> None:
    assert holds(parse("status.a"))(body, write(OLD, NEW))


@pytest.mark.parametrize(
    ("body", "locked"),
    [
        ("{metadata: {resourceVersion: '7'}, status: {}}", True),
        ("{metadata: {resourceVersion: ''}}", False),
        ("{metadata: {resourceVersion: null}}", False),
        ("{metadata: {resourceVersion: 7}}", False),
        ("{metadata: []}", False),
        ("{status: {}}", False),
        ("[{op: test, path: /metadata/resourceVersion, value: '7'}]", True),
        ("[{op: replace, path: /metadata/resourceVersion, value: '7'}]", True),
        ("[{op: add, path: /metadata, value: {resourceVersion: '7'}}]", True),
        ("[{op: replace, path: '', value: {metadata: {resourceVersion: '7'}}}]", True),
        ("[{op: test, path: /metadata/resourceVersion, value: null}]", False),
        ("[{op: remove, path: /metadata/resourceVersion}]", False),
        ("[{op: add, path: /metadata/resourceVersion/x, value: '7'}]", False),
        ("[{op: add, path: /metadata/labels, value: {resourceVersion: '7'}}]", False),
        ("[{op: add, path: 7, value: '7'}, {op: add}, 1]", False),
        ("[]", False),
        ("null", False),
    ],
)
def test_is_locked(body: str, *, locked: bool) -> None:
    assert is_locked(snippet(f"[{body}]")[0]) is locked
