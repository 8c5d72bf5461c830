"""A list of violations, each with what differs and who wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from webhook.observe.incident import Incident
from webhook.ui.difference import Marked, difference, is_word
from webhook.ui.frame import Place
from webhook.ui.markup import Markup, counted, element, foreign, joined, moment
from webhook.ui.rates import outcome
from webhook.ui.recent import Repeated

MOST_SHOWN: Final = 100


def violations(place: Place, found: Sequence[Repeated]) -> Markup:
    """Return the list, the latest first, at most MOST_SHOWN of them."""
    if not found:
        return element("p", "None is remembered.", class_="note")
    shown = [element("li", _one(place, each), class_="violation") for each in found[:MOST_SHOWN]]
    left_out = len(found) - len(shown)
    more = element("p", f"Older ones are left out: {left_out:,}.", class_="note") if left_out else ""
    return joined([element("ol", *shown, class_="violations"), more])


def _one(place: Place, repeated: Repeated) -> Markup:
    incident = repeated.latest
    return joined(
        [
            element("h3", _badge(incident), foreign(f"{incident.kind} {incident.object}"), _when(repeated)),
            _difference(incident),
            element("p", foreign(incident.problem)),
            _who(place, incident),
        ]
    )


def _badge(incident: Incident) -> Markup:
    became = outcome(incident)
    words = "refused for another violation" if incident.denied and incident.action != "Deny" else became
    return element("span", words, class_=f"badge {became}")


def _when(repeated: Repeated) -> Markup:
    often: list[Markup] = []
    if repeated.count > 1:
        often = [element("strong", f" {counted(repeated.count, 'time')}"), joined([" since ", moment(repeated.first)])]
    return element("span", moment(repeated.latest.at), *often, class_="note")


def _difference(incident: Incident) -> Markup:
    old, new = difference(incident.old, incident.new)
    alike = incident.old == incident.new and not is_word(incident.old)
    said = "They differ in what is not shown of them." if alike else ""
    return element(
        "dl",
        element("dt", element("code", incident.field), class_="field"),
        element("dt", "old"),
        element("dd", _value(incident.old, old, "del"), class_="value"),
        element("dt", "new"),
        element(
            "dd", _value(incident.new, new, "ins"), element("span", said, class_="note") if said else "", class_="value"
        ),
        class_="difference",
    )


def _value(shown: str, marked: Marked, mark: str) -> Markup:
    if is_word(shown):
        return element("span", shown, class_="word")
    differs = element(mark, marked.differs) if marked.differs else ""
    return element("bdi", marked.before, differs, marked.behind, dir="ltr")


def _who(place: Place, incident: Incident) -> Markup:
    of = incident.resource
    resource = f"{of.resource}.{of.group}".rstrip(".") + (f"/{of.subresource}" if of.subresource else "")
    manager = joined([" with field manager ", foreign(incident.manager)]) if incident.manager else ""
    last = "unknown"
    if incident.last_writer:
        at = joined([" at ", foreign(incident.last_written)]) if incident.last_written else ""
        last = joined([foreign(incident.last_writer), at])
    rule = element("a", foreign(incident.rule), href=place.rule(incident.rule))
    pairs: list[tuple[str, Markup | str]] = [
        ("Written by", joined([foreign(incident.writer), manager])),
        ("Written last by", last),
        ("Rule, invariant", joined([rule, ", ", foreign(incident.invariant)])),
        ("Resource", foreign(resource)),
        ("Request uid", foreign(incident.request_uid)),
    ]
    entries = (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    return element("dl", *entries, class_="who")
