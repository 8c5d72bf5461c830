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
_OPERATIONS = ["UPDATE", "UPDATE", "CREATE", "DELETE", "CONNECT"]
_LABELS: Final = st.sampled_from(["a", "b", "kubernetes.io/metadata.name"])
_VALUES: Final = st.sampled_from(["", "x", "y", "team"])

_LABEL_MAPS: Final = st.dictionaries(_LABELS, _VALUES, max_size=3)


def _some(values: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, unique=True) | st.just(["*"])


_PLURALS: Final = [
    f"{resource}{subresource}"
    for resource in [*_RESOURCES, "*"]
    for subresource in ["", "/status", "/scale", "/*"]
    if (resource, subresource) != ("*", "")
]

_RESOURCE_RULES: Final = st.fixed_dictionaries(
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
    _LABEL_MAPS.map(lambda labels: {"metadata": {"labels": labels}}),
    st.sampled_from(
        [{}, {"metadata": None}, {"metadata": {"labels": ["a"]}}, {"metadata": {"labels": {"a": 1, "b": "x"}}}]
    ),
)


@st.composite
def rules(draw: st.DrawFn) -> Json:
    """The document of a rule of either kind."""
    is_namespaced = draw(st.booleans())
    constraints: Json = {
        "resourceRules": draw(st.lists(_RESOURCE_RULES, min_size=1, max_size=3)),
        "excludeResourceRules": draw(st.lists(_RESOURCE_RULES, max_size=1)),
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


@st.composite
def requests(draw: st.DrawFn, rule: Json) -> Asked:
    """A request that in most respects is what one of the rule's resource rules is about."""
    wanted = draw(st.sampled_from(rule["spec"]["matchConstraints"]["resourceRules"]))
    resource, _, subresource = draw(st.sampled_from(wanted["resources"])).partition("/")

    def near(names: list[str], others: list[str]) -> str:
        named = [name for name in names if name != "*"]
        is_wanted = bool(named) and draw(st.integers(0, 5)) > 0
        return draw(st.sampled_from(named if is_wanted else others))

    return Asked(
        group=near(wanted["apiGroups"], _GROUPS),
        version=near(wanted["apiVersions"], _VERSIONS),
        resource=near([resource], _RESOURCES),
        subresource=near([subresource], _SUBRESOURCES),
        operation=near(wanted.get("operations", ["UPDATE"]), _OPERATIONS),
        name=near(wanted.get("resourceNames", []), [*_NAMES, ""]),
        namespace=near([rule["metadata"].get("namespace", "*")], ["", *_NAMESPACES]),
        namespace_labels=draw(st.dictionaries(st.sampled_from(["a", "b"]), _VALUES)),
        username=draw(st.sampled_from(_USERS)),
        groups=tuple(draw(st.lists(st.sampled_from(_TEAMS), unique=True))),
    )
