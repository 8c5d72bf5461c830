"""What pages are made of, for the tests: rules, hostile writes that were judged for real, and a fixed time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

from rules.compile import CompiledRule
from rules.ruleset import RuleSet
from tests.rules.judging import rule
from tests.widgets import review
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.incident import Incident
from webhook.observe.metrics import Metrics
from webhook.observe.rule_labels import labels_of
from webhook.reviewer import RuleReviewer
from webhook.ui.inventory import Fact, Inventory, ShownRule
from webhook.ui.pages import View
from webhook.ui.rates import RuleRates
from webhook.ui.recent import Recent

NOW = datetime(2026, 1, 1, 9, 59, 30, tzinfo=UTC)

SCRIPT = '<script>document.title="owned"</script>'
MARKUP = "</title></style><img src=x onerror=\"document.title='owned'\">&lt;\"'"
TURNED = "\u202euser\u200f\x1b[2J\x00\n"
HEBREW = "\u05d0\u05d1\u05d2"
LONG = "x" * 1_000_000

WIDGETS = {"resourceRules": [{"apiGroups": ["example.test"], "apiVersions": ["v1"], "resources": ["widgets/status"]}]}
FROZEN = {"name": "kept", "frozen": {"fields": ["status.text"]}, "message": f"{SCRIPT}{TURNED}"}


def widgets(name: str = "widgets", *invariants: dict[str, Any], **spec: Any) -> CompiledRule:
    found = [json.dumps(each) for each in invariants or (FROZEN,)]
    return rule(*found, name=name, **{"matchConstraints": WIDGETS, **spec})


def shown(*rules: CompiledRule) -> list[ShownRule]:
    return [ShownRule(each.title, each.source.kind, each) for each in rules]


def texts(old: str | None, new: str | None, **request: Any) -> bytes:
    """Return the review of a write that changes the text of a widget."""
    members = json.loads(review(1, 1, **request))
    for side, value in (("oldObject", old), ("object", new)):
        members["request"][side]["status"] = {} if value is None else {"text": value}
    return json.dumps(members).encode()


def judged(rules: Iterable[CompiledRule], *reviews: bytes) -> list[Incident]:
    """Return what the sinks are told, a minute apart, the last one just now."""
    told: list[Incident] = []
    metrics, rules = Metrics(), tuple(rules)
    metrics.declare_rules(labels_of(rules))
    reviewer = RuleReviewer(RuleSet(rules), Wording(Display()), metrics, [told.append])
    for each in reviews:
        assert reviewer.review(each, None).status == 200
    return [replace(each, at=NOW - timedelta(minutes=len(told) - 1 - place)) for place, each in enumerate(told)]


def view(rules: Iterable[ShownRule] = (), incidents: Iterable[Incident] = (), **inventory: Any) -> View:
    recent, rates = Recent(), RuleRates()
    for each in incidents:
        recent(each)
        rates(each)
    return View(NOW, Inventory(tuple(rules), **inventory), recent.snapshot(), rates.all, rates.by_rule())


def hostile() -> View:
    """Return what somebody can make of a page who chooses every text in it."""
    rules = [widgets(validationActions=["Deny"]), widgets("only-reported", {**FROZEN, "name": "other"})]
    who = {"username": f"{SCRIPT}{TURNED}"}
    found = judged(
        rules[:1],
        texts("plain", SCRIPT),
        texts(MARKUP, None, userInfo=who, name=f"w{MARKUP}"),
        texts(TURNED, f"{HEBREW} abc", namespace=TURNED, options={"fieldManager": f"{SCRIPT}{HEBREW}"}),
        texts(f"{LONG}1", f"{LONG}2", userInfo={"username": LONG}, name=LONG, uid=f"u{LONG}"),
        texts("a", "b", kind={"group": "example.test", "version": "v1", "kind": SCRIPT}),
    )
    broken = [
        ShownRule(f"{SCRIPT}{MARKUP}", "StatusRule", None, "broken", (f"{SCRIPT}{TURNED}", MARKUP)),
        ShownRule(LONG, LONG, rules[0], "last good", (LONG,), (LONG,), LONG),
    ]
    facts = [Fact("Rules from", "files"), Fact(SCRIPT, f"{MARKUP}{TURNED}", bad=True)]
    return view([*broken, *shown(*rules)], found, problems=(f"rules/{SCRIPT}.yaml:1:1: {TURNED}{LONG}",), facts=facts)


class Read(HTMLParser):
    """A page as a browser reads it: its elements with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._pieces: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self._pieces.append((self._open[-1] if self._open else "", data))

    @property
    def is_balanced(self) -> bool:
        return not self._open

    @property
    def text(self) -> str:
        return "".join(data for tag, data in self._pieces if tag != "style")

    def names(self) -> set[str]:
        return {name for name, _ in self.elements}

    def attributes(self) -> Iterator[tuple[str, str]]:
        for _, attributes in self.elements:
            yield from ((name, value or "") for name, value in attributes.items())

    def all_of(self, name: str) -> list[str]:
        """Return the texts that stand directly in elements of a name."""
        return [data for tag, data in self._pieces if tag == name]
