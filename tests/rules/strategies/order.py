"""The order of what has no order."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.paths import Keyed, Select, Step, items, select

from .tree import Node, merged


def reordered(draw: st.DrawFn, node: Node, value: Any) -> Any:
    """Draw the same value with another order of members, and of items where the paths tell them by their keys alone."""
    if not node.values and isinstance(value, dict):
        return {name: reordered(draw, node.at(name), value[name]) for name in draw(st.permutations(list(value)))}
    if (
        not node.values
        and isinstance(value, list)
        and node.items
        and all(_is_unique(step, value) for step in node.items)
    ):
        item = merged(node.below[step] for step in node.items)
        return [reordered(draw, item, each) for each in draw(st.permutations(value))]
    return value


def _is_unique(step: Step, value: list[Any]) -> bool:
    objects = [item for item in value if isinstance(item, dict)]
    if isinstance(step, Keyed):
        with_keys = [item for item in objects if all(item.get(key) is not None for key in step.keys)]
        return len(items(value, step) or ()) == len(with_keys)
    return isinstance(step, Select) and sum(select([item], step)[0] == 0 for item in objects) <= 1
