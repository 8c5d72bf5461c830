"""The kinds of invariants. A new kind is one new file here: a subclass of `Kind` is found by being there."""

from __future__ import annotations

import importlib
import pkgutil

from rules.invariants.kind import Kind


def _kinds() -> dict[str, type[Kind]]:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return {kind.name: kind for kind in sorted(Kind.__subclasses__(), key=lambda kind: kind.name)}


KINDS = _kinds()
"""Every kind by the name that it has in a rule document, in alphabetical order."""
