"""Bodies of patches that hold some of a group, as the audit log has them."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from tests.oracle.paths import Name, Select, parse, select
from tests.oracle.paths import member as member_of

from .invariants import Json
from .objects import grow_object
from .tree import tree
from .values import COUNTS, JUNK

_VERSIONS: Final = st.sampled_from(["7", "7", "", None])


def patch(draw: st.DrawFn, fields: list[str], old: Json, new: Json) -> Any:
    """Draw a merge patch, a JSON patch or something that is neither."""
    match draw(st.sampled_from(["merge"] * 4 + ["json"] * 4 + ["junk"])):
        case "merge":
            return _merge_patch(draw, fields)
        case "json":
            return _json_patch(draw, fields, old, new)
    return draw(JUNK)


def _merge_patch(draw: st.DrawFn, fields: list[str]) -> Json:
    held = draw(st.lists(st.sampled_from(fields), unique=True, min_size=1, max_size=2))
    body: Json
    body, _ = grow_object(draw, tree((path, COUNTS) for path in held))
    if draw(st.booleans()) and isinstance(body.setdefault("metadata", {}), dict):
        body["metadata"] = {**body["metadata"], "resourceVersion": draw(_VERSIONS)}
    return body


def _json_patch(draw: st.DrawFn, fields: list[str], old: Json, new: Json) -> list[Any]:
    held = draw(st.lists(st.sampled_from(fields), min_size=1, max_size=3))
    body: list[Any] = [_operation(draw, path, old, new) for path in held]
    if draw(st.booleans()):
        body.insert(0, draw(_locks))
    if draw(st.integers(0, 7)) == 7:
        body.append(draw(st.sampled_from([3, None, [], {}, {"op": "add"}, {"op": "add", "path": 3}])))
    return body


_locks: Final = st.one_of(
    st.fixed_dictionaries(
        {"op": st.sampled_from(["test", "replace", "add", "remove"]), "path": st.just("/metadata/resourceVersion")},
        optional={"value": _VERSIONS},
    ),
    st.sampled_from(
        [
            {"op": "add", "path": "/metadata", "value": {"resourceVersion": "7"}},
            {"op": "replace", "path": "", "value": {"metadata": {"resourceVersion": "7"}}},
            {"op": "add", "path": "/metadata", "value": 3},
        ]
    ),
)


def _operation(draw: st.DrawFn, path: str, old: Json, new: Json) -> Json:
    tokens = _tokens(draw, path, old, new)
    tokens = draw(st.sampled_from([tokens, tokens, tokens, tokens[:-1], [*tokens, "x"], ["status", "other"]]))
    pointer = "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens)
    operation = {
        "op": draw(st.sampled_from(["add", "replace", "replace", "remove", "test", "move", "copy"])),
        "path": pointer,
    }
    if operation["op"] in {"move", "copy"}:
        elsewhere = "/status/elsewhere"
        operation |= draw(st.sampled_from([{"from": elsewhere}, {"from": pointer, "path": elsewhere}]))
    return operation


def _tokens(draw: st.DrawFn, path: str, old: Any, new: Any) -> list[str]:
    tokens: list[str] = []
    for step in parse(path):
        if isinstance(step, Name):
            tokens.append(step.key)
            old, new = member_of(old, step.key), member_of(new, step.key)
        elif isinstance(step, Select):
            (before, old), (after, new) = select(old, step), select(new, step)
            tokens.append(draw(st.sampled_from([str(max(after, 0)), str(max(before, 0)), "-", "0", "1"])))
    return tokens
