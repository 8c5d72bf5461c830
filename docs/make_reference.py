"""Makes docs/reference.md from the models: `make docs`. A test compares the file with what this gives."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rules.api import ClusterStatusRule
from rules.invariants import KINDS
from rules.suite import StatusRuleTest

TARGET = Path(__file__).with_name("reference.md")

HEAD = """\
# Reference

Made from the models by `make docs`; do not edit. A field that is not in these tables is refused, and so is a value of another
type: nothing is converted. Strings have at most 1,024 characters where nothing else is said. `statusguard lint` names the place
of every mistake by file, line and column.

A rule document has `apiVersion: statusguard.dev/v1alpha1`, `kind: ClusterStatusRule` (for objects of the whole cluster) or
`StatusRule` (for objects of its own namespace only), `metadata` with a `name`, and a `spec`.
"""

ORDER = (
    *("RuleSpec", "MatchConstraints", "ResourceRule", "LabelSelector", "LabelRequirement", "MatchCondition"),
    *("Exemptions", "Denial", "Invariant", "Predicate"),
)
SUITE = (
    *("StatusRuleTest", "SuiteMetadata", "Case", "CaseRequest", "ResourceName", "User", "Expectation"),
    "ExpectedViolation",
)
PATHS = """\
## Field paths

```
path    = name *( "." name / "." "*" / item ) ; item = "[" sel "]" / "[*]" / '["' any key '"]'
sel     = key "=" value *( "," key "=" value ) / key *( "," key )
name    = [A-Za-z_$][A-Za-z0-9_-]*      ; value = bare up to "]" or ",", or a JSON string
```

| path | names |
|---|---|
| `status.observedGeneration` | one value |
| `metadata.annotations["a.b/c"]` | one value; the key in quotes |
| `status.conditions[type=Ready].status` | a value of the one item whose `type` is `Ready` |
| `status.conditions[type].observedGeneration` | one value of every item; old and new are paired by `type` |
| `status.parents[parentRef,controllerName].conditions[type].reason` | several keys; a key may be an object |
| `status.holds.*` | every value of a map, paired by its key |
| `status.versions[*].replicas` | every item, not paired: only inside `sum()` |

null and absent are the same; `[]`, `{}` and `""` are not absent. A step that meets a value of another type than it needs
yields absent, and `statusguard_type_mismatches_total` counts it. An item that is gone takes its fields with it: that breaks
nothing but `preserved`.
"""


def reference() -> str:
    """Return the whole page."""
    rule = ClusterStatusRule.model_json_schema()["$defs"]
    suite = StatusRuleTest.model_json_schema()
    parts = [HEAD, *(section(rule[name], rule) for name in ORDER), PATHS, "## Kinds of invariants\n"]
    for name, kind in KINDS.items():
        parts.append(
            section(rule[kind.__name__], rule, title=name, level=3, intro=inspect.cleandoc(kind.__doc__ or ""))
        )
        parts += [section(rule[each], rule, level=4) for each in ("Transition",) if name == "transitions"]
    definitions = {**suite["$defs"], "StatusRuleTest": suite}
    parts.append("## Suites\n")
    parts += [section(definitions[name], definitions, level=3) for name in SUITE]
    return "\n".join(parts)


def section(
    schema: dict[str, Any], definitions: dict[str, Any], *, title: str = "", level: int = 2, intro: str = ""
) -> str:
    """Return a heading, the model's summary and the table of its fields."""
    lines = [
        f"{'#' * level} {title or schema['title']}",
        "",
        intro or inspect.cleandoc(schema.get("description", "")),
        "",
    ]
    lines += ["| field | type | default | meaning |", "|---|---|---|---|"]
    lines += rows(schema, definitions)
    return "\n".join(lines) + "\n"


def rows(schema: dict[str, Any], definitions: dict[str, Any]) -> Iterator[str]:
    """Yield a row for each field."""
    required = schema.get("required", [])
    for name, field in schema["properties"].items():
        default = "required" if name in required else shown_default(field)
        meaning = field.get("description", "")
        yield f"| `{name}` | {type_of(field, definitions)} | {default} | {meaning} |".replace("|  |", "| |")


def shown_default(field: dict[str, Any]) -> str:
    """Return a field's default; an empty one is nothing."""
    default = field.get("default")
    if default in (None, [], {}, ""):
        return ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def type_of(field: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Return a field's type with its bounds, in words."""
    if "anyOf" in field:
        return " or ".join(type_of(each, definitions) for each in field["anyOf"] if each.get("type") != "null")
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        title = next((kind for kind, model in KINDS.items() if model.__name__ == name), name)
        return f"[{title}](#{title.lower()})"
    if "enum" in field:
        return " \\| ".join(f"`{each}`" for each in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if field.get("type") == "array":
        return f"list of {type_of(field['items'], definitions)}{bounds(field)}"
    if field.get("type") == "object":
        return "map of strings" if field.get("additionalProperties", {}) not in (True, {}) else "object"
    if "x-kubernetes-int-or-string" in field:
        return "number or string"
    return str(field.get("type", "any")) + bounds(field)


def bounds(field: dict[str, Any]) -> str:
    """Return the bounds of a field, where they are not those of every string."""
    low, high = field.get("minItems", field.get("minimum")), field.get("maxItems", field.get("maximum"))
    if field.get("type") == "string":
        high = None if field.get("maxLength") == 1024 else field.get("maxLength")
        return f" (up to {high} characters)" if high else ""
    if low is None and high is None:
        return ""
    return f" ({low if low is not None else 0} to {high})" if high is not None else f" (at least {low})"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
