"""coUpdate: groups with chosen evidence, and the traces that honest and torn writes leave of it.

The digest, the managers and the patch are drawn after the objects, because they speak of them.
"""

from __future__ import annotations

import hashlib
from typing import Final

from hypothesis import strategies as st

from tests.oracle.paths import parse, read
from tests.oracle.values import canonical, equal

from .invariants import MISSING, Invariant, Json, relation
from .managers import managed_fields, named_items
from .paths import ITEM, ONE
from .values import COUNTS, WORDS

EVIDENCE: Final = ["identity", "digest", "stamp", "singleManager", "changeTogether", "patch"]

_DIGEST: Final = "status.digest"
_DIGESTS: Final = st.sampled_from(["00000000", "", "abc", 7, "0" * 64])
_MEMBERS: Final = COUNTS | WORDS


@st.composite
def co_update(draw: st.DrawFn, evidence: list[str]) -> Invariant:
    """A group with this evidence, the patch aside, which every group is judged by where there is one."""
    fields = draw(st.lists(st.sampled_from(ONE + ITEM), unique=True, min_size=draw(st.integers(1, 2)), max_size=3))
    spec: Json = {"fields": fields}
    reads = [(path, _MEMBERS) for path in fields]
    for name in evidence:
        match name:
            case "identity":
                drawn = [relation(draw, fields) for _ in range(draw(st.integers(1, 2)))]
                spec |= {"identity": [written for written, _ in drawn]} | draw(MISSING)
                reads += [each for _, paths in drawn for each in paths]
            case "digest":
                spec["digest"] = draw(st.sampled_from([_DIGEST, _DIGEST, "status.conditions[type=Ready].digest"]))
                reads.append((spec["digest"], _DIGESTS))
            case "stamp":
                spec["stamp"] = draw(st.sampled_from(["status.stamp", "status.conditions[type=Ready].stamp"]))
                reads.append((spec["stamp"], WORDS))
            case "patch":
                spec |= draw(st.sampled_from([{}, {"patch": "Full"}, {"patch": "FullOrLocked"}]))
            case _:
                spec[name] = True
    return Invariant({"coUpdate": spec}, tuple(reads))


def leave_traces(draw: st.DrawFn, group: Json, old: Json, new: Json) -> None:
    """Write the group's digest and managers into the objects."""
    if group.get("digest") == _DIGEST:
        for side in (old, new):
            if isinstance(side.get("status"), dict) and draw(st.integers(0, 2)) > 0:
                digest = _digest(group, side)[: draw(st.sampled_from([64, 8, 12, 7]))]
                side["status"] = {**side["status"], "digest": digest}
    if group.get("singleManager"):
        before, after = (managed_fields(draw, group["fields"], side) for side in (old, new))
        is_same = equal(*(named_items(group["fields"], side) for side in (old, new))) and draw(st.booleans())
        for side, managers in ((old, before), (new, before if is_same else after)):
            if isinstance(side.setdefault("metadata", {}), dict):
                side["metadata"] = {**side["metadata"], "managedFields": managers}


def _digest(group: Json, side: Json) -> str:
    members = canonical([read(parse(path), side) for path in group["fields"]])
    return hashlib.sha256(members.encode()).hexdigest()
