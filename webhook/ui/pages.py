"""The pages: the overview, the list of rules, one rule. Pure: a view in, markup out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rules.explanation import consequences, subject
from webhook.ui.frame import Place, document
from webhook.ui.inventory import Inventory, ShownRule
from webhook.ui.markup import Markup, counted, element, foreign, joined
from webhook.ui.picture import rates as picture
from webhook.ui.rates import Rates, minute_of
from webhook.ui.recent import Repeated
from webhook.ui.rule_list import rule_table, state, worst_first
from webhook.ui.violations import violations

MOST_RULES: Final = 20
"""Rules in the overview, the worst first."""

PAGE_OF_RULES: Final = 100
"""Rules on one page of the list of all."""

_PARTS: Final = {"violations": "Latest violations"}

MOST_PROBLEMS: Final = 50
"""Lines about what is wrong."""


@dataclass(frozen=True, slots=True)
class View:
    """Everything that a page can show, as it was at one time."""

    at: datetime
    inventory: Inventory
    recent: Sequence[Repeated]
    rates: Rates
    rates_by_rule: Mapping[str, Rates]

    def counts(self) -> dict[str, int]:
        """Return the violations of the last hour by rule."""
        until = minute_of(self.at)
        return {title: rates.total(until) for title, rates in self.rates_by_rule.items()}


def overview(place: Place, view: View) -> Markup:
    """Return the first page."""
    counts = view.counts()
    rules = worst_first(view.inventory.rules, counts)
    return document(
        place,
        "Statusguard",
        view.at,
        [
            _facts(view.inventory),
            *_problems("Broken rule documents", view.inventory.problems),
            element("h2", "Violations a minute, last hour"),
            picture(view.rates.hour(minute_of(view.at))),
            element("h2", "Rules"),
            rule_table(place, rules[:MOST_RULES], counts),
            _rest(place, len(rules)),
            element("h2", "Latest violations", id="violations"),
            violations(place, view.recent),
        ],
        _PARTS,
    )


def rule_list(place: Place, view: View, page: int) -> Markup | None:
    """Return a page of all rules by name, counted from 1; None if there is no such page."""
    rules = sorted(view.inventory.rules, key=lambda rule: rule.title)
    last = max(1, -(-len(rules) // PAGE_OF_RULES))
    if not 1 <= page <= last:
        return None
    shown = rules[(page - 1) * PAGE_OF_RULES : page * PAGE_OF_RULES]
    content = [element("p", f"{counted(len(rules), 'rule')} by name, page {page:,} of {last:,}.", class_="note")]
    content += [rule_table(place, shown, view.counts()), _pages(place, page, last)]
    return document(place, "Rules", view.at, content)


def rule_page(place: Place, view: View, title: str) -> Markup | None:
    """Return the page of one rule; None if there is no such rule."""
    rule = next((rule for rule in view.inventory.rules if rule.title == title), None)
    if rule is None:
        return None
    rates = view.rates_by_rule.get(title) or Rates()
    return document(
        place,
        f"Rule {title}",
        view.at,
        [
            element("p", state(rule), " ", rule.kind, f", prefilter {rule.prefilter}" if rule.prefilter else ""),
            *_problems("What is wrong", rule.problems),
            *_problems("What is not as it says", rule.remarks),
            *_demands(rule),
            element("h2", "Violations a minute, last hour"),
            picture(rates.hour(minute_of(view.at))),
            element("h2", "Latest violations", id="violations"),
            violations(place, [each for each in view.recent if each.latest.rule == title]),
        ],
        _PARTS,
    )


def _facts(inventory: Inventory) -> Markup:
    served = sum(rule.served is not None for rule in inventory.rules)
    broken = sum(rule.state in {"broken", "last good"} for rule in inventory.rules)
    pairs = [(fact.name, fact.value, fact.bad) for fact in inventory.facts]
    pairs.append(("Rules served", f"{served:,}", False))
    pairs.append(("Rules broken", f"{broken:,}", broken > 0))
    if inventory.problems:
        pairs[-1] = ("Mistakes in rule files", f"{len(inventory.problems):,}", True)
    entries = (
        element("div", element("dt", name), element("dd", value, class_="bad" if bad else None))
        for name, value, bad in pairs
    )
    return element("dl", *entries, class_="facts")


def _problems(heading: str, problems: Sequence[str]) -> Iterator[Markup]:
    if not problems:
        return
    yield element("h2", heading)
    yield element("ul", *(element("li", foreign(problem)) for problem in problems[:MOST_PROBLEMS]))
    if len(problems) > MOST_PROBLEMS:
        yield element("p", f"Left out: {len(problems) - MOST_PROBLEMS:,} more.", class_="note")


def _rest(place: Place, rules: int) -> Markup:
    if rules <= MOST_RULES:
        return Markup()
    link = element("a", "all by name", href=place.rules())
    words = f"{MOST_RULES} of {rules:,}, those that ask for attention first: "
    return element("p", words, link, ".")


def _pages(place: Place, page: int, last: int) -> Markup:
    links: list[Markup] = []
    if page > 1:
        links.append(element("a", "Previous page", href=place.rules(page - 1)))
    if page < last:
        links.append(element("a", "Next page", href=place.rules(page + 1)))
    return element("nav", *links, class_="pages", aria_label="Pages of rules") if links else Markup()


def _demands(rule: ShownRule) -> Iterator[Markup]:
    """Yield what `explain` says of a rule, without its examples: to find these takes too long for a page."""
    if rule.served is None:
        return
    source = rule.served.with_action(rule.replaced_by).source
    yield element("h2", "What it demands")
    yield joined(element("p", foreign(each)) for each in (*subject(source), *consequences(source.spec)))
    for invariant, compiled in zip(source.spec.invariants, rule.served.invariants, strict=True):
        said = [f"While {compiled.guard}:"] if compiled.guard else []
        said += invariant.spec.sentences() or ["It demands nothing."]
        if compiled.message:
            said.append(f'The rule\'s author says: "{compiled.message}"')
        yield element("h3", foreign(compiled.name), f" ({compiled.kind})")
        yield joined(element("p", foreign(each)) for each in said)
