"""A table of rules with their state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from webhook.display import cut
from webhook.ui.frame import Place
from webhook.ui.inventory import STATES, ShownRule
from webhook.ui.markup import Markup, element, foreign

MOST_NAMED: Final = 5
"""Resources or invariants of one rule that are named in the list."""

MAX_LINE: Final = 320
"""Characters of a line in the list: no name of a rule is longer."""

_HEADS: Final = ("Rule", "State", "Action", "Last hour")

_WORDS: Final = {"last good": "broken, last good version served", "not ready": "served, not asked for"}


def worst_first(rules: Iterable[ShownRule], counts: Mapping[str, int]) -> list[ShownRule]:
    """Return rules in the order in which they ask for attention; `counts` are their violations of late."""
    return sorted(rules, key=lambda rule: (STATES.index(rule.state), -counts.get(rule.title, 0), rule.title))


def rule_table(place: Place, rules: Sequence[ShownRule], counts: Mapping[str, int]) -> Markup:
    """Return the table, in the order of the rules."""
    if not rules:
        return element("p", "There is none.", class_="note")
    heads = (element("th", name, scope="col", role="columnheader") for name in _HEADS)
    head = element("thead", element("tr", *heads, role="row"), role="rowgroup")
    body = element("tbody", *(_row(place, rule, counts.get(rule.title, 0)) for rule in rules), role="rowgroup")
    # The roles say what the elements are already; but a narrow page shows them as blocks, and then browsers forget it.
    return element("table", head, body, role="table", class_="rules")


def state(rule: ShownRule) -> Markup:
    """Return the state of a rule in a word or two."""
    return element("span", _WORDS.get(rule.state, rule.state), class_=f"badge {rule.state.replace(' ', '-')}")


def _row(place: Place, rule: ShownRule, count: int) -> Markup:
    name = element("a", foreign(rule.title, MAX_LINE), href=place.rule(rule.title))
    notes = (element("span", foreign(note, MAX_LINE), class_="note") for note in _about(rule))
    return element(
        "tr",
        element("th", name, *notes, scope="row", role="rowheader"),
        element("td", state(rule), *_reason(rule), role="cell"),
        element("td", rule.action or "none", role="cell"),
        element("td", f"{count:,}", element("span", " in the last hour", class_="unit"), role="cell"),
        role="row",
    )


def _reason(rule: ShownRule) -> list[Markup]:
    said = [*rule.problems, *rule.remarks]
    notes = [element("span", foreign(cut(said[0], MAX_LINE) + _more(len(said), 1)), class_="note")] if said else []
    if rule.prefilter:
        notes.append(element("span", foreign(f"prefilter {rule.prefilter}", MAX_LINE), class_="note"))
    return notes


def _about(rule: ShownRule) -> list[str]:
    if rule.served is None:
        return [rule.kind]
    spec = rule.served.source.spec
    resources = dict.fromkeys(
        f"{name} of {group or 'the core group'}"
        for named in spec.match_constraints.resource_rules
        for group in named.api_groups
        for name in named.resources
    )
    invariants = [invariant.name for invariant in rule.served.invariants]
    return [f"{rule.kind}: {_named(list(resources))}", _named(invariants)]


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + _more(len(names), MOST_NAMED)


def _more(there: int, shown: int) -> str:
    return f" and {there - shown} more" if there > shown else ""
