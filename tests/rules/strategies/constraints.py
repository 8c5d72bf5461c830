"""Constraints of rules, and requests that they may be about: few names, so that they meet."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from tests.oracle.matching import Asked

Json = dict[str, Any]

_GROUPS, _VERSIONS = ["", "g", "h"], ["v1", "v2"]
_RESOURCES, _SUBRESOURCES = ["xs", "ys", "namespaces"], ["", "status", "scale"]
_NAMES, _NAMESPACES = ["w", "other"], ["team", "other"]
_USERS, _TEAMS = ["ann", "bob"], ["admins", "writers"]
_LABELS: Final = st.sampled_from(["a", "b", "kubernetes.io/metadata.name"])
_VALUES: Final = st.sampled_from(["", "x", "y", "team"])

LABELS: Final = st.dictionaries(_LABELS, _VALUES, max_size=3)

ASKED: Final = st.builds(
    Asked,
    group=st.sampled_from(_GROUPS),
    version=st.sampled_from(_VERSIONS),
    resource=st.sampled_from(_RESOURCES),
    subresource=st.sampled_from(_SUBRESOURCES),
    operation=st.sampled_from(["UPDATE", "UPDATE", "CREATE", "DELETE", "CONNECT"]),
    name=st.sampled_from([*_NAMES, ""]),
    namespace=st.sampled_from(["", *_NAMESPACES]),
    namespace_labels=LABELS,
    username=st.sampled_from(_USERS),
    groups=st.lists(st.sampled_from(_TEAMS), unique=True).map(tuple),
)


def _some(values: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, unique=True) | st.just(["*"])


_PLURALS: Final = [
    f"{resource}{subresource}"
    for resource in [*_RESOURCES, "*"]
    for subresource in ["", "/status", "/scale", "/*"]
    if (resource, subresource) != ("*", "")
]

RESOURCE_RULES: Final = st.fixed_dictionaries(
    {"apiGroups": _some(_GROUPS), "apiVersions": _some(_VERSIONS), "resources": _some(_PLURALS)},
    optional={
        "resourceNames": st.lists(st.sampled_from(_NAMES), max_size=2),
        "operations": st.lists(st.sampled_from(["UPDATE", "CREATE"]), min_size=1, unique=True),
        "scope": st.sampled_from(["Cluster", "Namespaced", "*"]),
    },
)

_REQUIREMENTS: Final = st.fixed_dictionaries(
    {"key": _LABELS, "operator": st.sampled_from(["In", "NotIn"]), "values": st.lists(_VALUES, min_size=1, max_size=2)}
) | st.fixed_dictionaries({"key": _LABELS, "operator": st.sampled_from(["Exists", "DoesNotExist"])})

_SELECTORS: Final = st.fixed_dictionaries(
    {},
    optional={
        "matchLabels": st.dictionaries(_LABELS, _VALUES, max_size=1),
        "matchExpressions": st.lists(_REQUIREMENTS, max_size=2),
    },
)

OBJECTS: Final = st.one_of(
    LABELS.map(lambda labels: {"metadata": {"labels": labels}}),
    st.sampled_from(
        [{}, {"metadata": None}, {"metadata": {"labels": ["a"]}}, {"metadata": {"labels": {"a": 1, "b": "x"}}}]
    ),
)


@st.composite
def rules(draw: st.DrawFn) -> Json:
    """The document of a rule of either kind."""
    is_namespaced = draw(st.booleans())
    constraints: Json = {
        "resourceRules": draw(st.lists(RESOURCE_RULES, min_size=1, max_size=3)),
        "excludeResourceRules": draw(st.lists(RESOURCE_RULES, max_size=1)),
        "objectSelector": draw(_SELECTORS),
    }
    if not is_namespaced:
        constraints["namespaceSelector"] = draw(_SELECTORS)
    exemptions = {
        "users": draw(st.sampled_from([[], [], ["bob"]])),
        "groups": draw(st.sampled_from([[], [], ["admins"]])),
    }
    return {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "StatusRule" if is_namespaced else "ClusterStatusRule",
        "metadata": {"name": "r", **({"namespace": "team"} if is_namespaced else {})},
        "spec": {
            "matchConstraints": constraints,
            "exemptions": exemptions,
            "invariants": [{"name": "i", "frozen": {"fields": ["status.a"]}}],
        },
    }
