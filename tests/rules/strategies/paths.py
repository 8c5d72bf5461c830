"""Field paths: a small pool, so that the paths of one rule meet."""

from __future__ import annotations

from typing import Final

PLAIN: Final = [
    "status.count",
    "status.observedGeneration",
    "status.nested.inner.value",
    'status["a.b/c"]',
    'metadata.annotations["a.b/c"]',
    "spec.replicas",
]
ITEM: Final = [
    "status.conditions[type=Ready].status",
    'status.conditions[type="a b"].observedGeneration',
    "status.conditions[type=Ready]",
    "status.parents[id=3,ref=x].value",
    "status.parents[id=3,ref=x].conditions[type=Ready].status",
    "status.holds.a",
    'status.groups["a.b"].value',
]
ONE: Final = [*PLAIN, *PLAIN, *ITEM]
"""Paths that name one value, the plain ones oftener."""

PAIRED: Final = [
    *ONE,
    "status.conditions[type].status",
    "status.conditions[type].observedGeneration",
    "status.conditions[type]",
    "status.parents[ref,id].value",
    "status.parents[ref].conditions[type].status",
    "status.parents[id=3,ref=x].conditions[type].status",
    "status.holds.*",
    "status.groups.*.value",
    "status.groups.*.conditions[type].status",
]

SUMMED: Final = [
    "status.versions[*].count",
    "status.numbers[*]",
    "status.versions[*].parts[name].count",
    "status.conditions[type].count",
    "status.parents[ref,id].value",
    "status.parents[id=3,ref=x].versions[*].count",
    "status.holds.*",
    "status.groups.*.value",
]
"""Paths that name many values, as `sum()` takes them."""

CONDITION_LISTS: Final = [
    "status.conditions",
    "status.parents[ref,id].conditions",
    "status.parents[id=3,ref=x].conditions",
    "status.groups.*.conditions",
]
