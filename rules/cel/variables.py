"""The variables of an expression for one write: of each only the parts that the expression reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from rules.cel.language import CelRuntimeError, CelSyntaxError
from rules.cel.reads import Parts, Reads
from rules.cel.size import Conversion, Size
from rules.matching import NAMESPACE_NAME_LABEL
from rules.write import Roots, Write

Sizes: TypeAlias = Mapping[tuple[str, Parts], Size]
"""The sizes of the parts of the variables."""

_NAME: Final = ("metadata", "name")
_LABELS: Final = ("metadata", "labels")
_NAME_LABEL: Final = (*_LABELS, NAMESPACE_NAME_LABEL)


@dataclass(frozen=True, slots=True)
class Collected:
    """Variables as engines take them, and how large their parts are."""

    variables: dict[str, Any] = field(default_factory=dict)
    sizes: dict[tuple[str, Parts], Size] = field(default_factory=dict)

    def add(self, variable: str, source: Mapping[str, Any] | None, parts: tuple[Parts, ...]) -> None:
        """Add a variable; None is null. Raises CelRuntimeError for what an engine cannot take."""
        if source is None:
            self.variables[variable] = None
            return
        target: dict[str, Any] = {}
        for part in parts:
            conversion = Conversion(".".join((variable, *part)))
            if part:
                _copy(source, target, part, conversion)
            else:
                target = conversion.convert(_whole(source))
            self.sizes[variable, part] = conversion.size
        self.variables[variable] = target


def collect(reads: Reads, write: Write) -> Collected:
    """Return the variables for a write. Raises CelRuntimeError for what an engine cannot take or nobody knows."""
    found = Collected()
    found.add("object", write.new, reads.of("object"))
    found.add("oldObject", None if write.creates else write.old, reads.of("oldObject"))
    asked = reads.of("request")
    found.add("request", write.request.for_cel() if asked else {}, asked)
    asked = reads.of("namespaceObject")
    found.add("namespaceObject", _namespace(write, asked) if asked else {}, asked)
    return found


def check_namespace(reads: Reads) -> None:
    """Raise CelSyntaxError if an expression reads what is not known of namespaces."""
    for part in reads.of("namespaceObject"):
        if part[:2] not in {(), _NAME[:1], _NAME, _LABELS}:
            found = ".".join(("namespaceObject", *part))
            raise CelSyntaxError(
                f"{found} is not known here: of a namespace there are metadata.name and metadata.labels"
            )


def _namespace(write: Write, parts: tuple[Parts, ...]) -> dict[str, Any] | None:
    """Return what is known of the object's namespace. Raises CelRuntimeError if its labels are read and not known."""
    request = write.request
    if not request.object_namespace:
        return None
    if request.namespace_labels is None and not set(parts) <= {_NAME, _NAME_LABEL}:
        raise CelRuntimeError(f"the labels of namespace {request.namespace}, which the expression reads, are not known")
    labels = {NAMESPACE_NAME_LABEL: request.namespace, **(request.namespace_labels or {})}
    return {"metadata": {"name": request.namespace, "labels": labels}}


def _whole(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return all of an object; a root that is null is absent, as it is where the root alone is read."""
    names = source.names() if isinstance(source, Roots) else source
    return {name: value for name in names if (value := source[name]) is not None}


def _copy(source: Mapping[str, Any], target: dict[str, Any], part: Parts, conversion: Conversion) -> None:
    """Copy one part, with as much of the way to it as there is: `has()` must find what is there and no more."""
    value = source[part[0]] if isinstance(source, Roots) else source.get(part[0])
    if value is None:
        return
    for depth, name in enumerate(part):
        if depth == len(part) - 1 or type(value) is not dict:
            target[name] = conversion.convert(value)
            return
        target = target.setdefault(name, {})
        if part[depth + 1] not in value:
            return
        value = value[part[depth + 1]]
