from __future__ import annotations

import re
from urllib.parse import unquote, urljoin

import pytest

from tests.golden import compare
from tests.webhook.observe.incidents import incident
from webhook.ui.frame import Place
from webhook.ui.inventory import Fact, ShownRule
from webhook.ui.markup import Markup
from webhook.ui.pages import MOST_PROBLEMS, MOST_RULES, PAGE_OF_RULES, overview, rule_list, rule_page
from webhook.ui.violations import MOST_SHOWN

from .views import HEBREW, LONG, NOW, SCRIPT, Read, hostile, judged, shown, texts, view, widgets

OVERVIEW = Place("/ui")

HARMLESS = {
    *("html", "head", "meta", "title", "style", "body", "a", "header", "nav", "main", "footer"),
    *("h1", "h2", "h3", "p", "dl", "dt", "dd", "ul", "ol", "li", "div", "span", "strong", "code"),
    *("bdi", "del", "ins", "time", "figure", "figcaption", "svg", "desc", "line", "rect", "details", "summary"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}
"""Elements that load and run nothing."""


def page_of(title: str, *incidents: object) -> Read:
    page = rule_page(Place("/ui/rules/x"), hostile(), title)
    assert page is not None
    return Read(page)


def in_lines(page: str) -> str:
    """Return the body of a page, an element a line, for people to read what changed."""
    return page[page.index("<body>") :].replace("><", ">\n<")


def test_the_page_of_hostile_values_is_what_a_person_has_read() -> None:
    compare("ui.overview.html", in_lines(overview(OVERVIEW, hostile())))


@pytest.mark.parametrize("page", ["overview", "list", "rule", "broken"])
def test_hostile_values_make_no_element_and_no_attribute(page: str) -> None:
    found = hostile()
    pages: dict[str, Markup | None] = {
        "overview": overview(OVERVIEW, found),
        "list": rule_list(Place("/ui/rules"), found, 1),
        "rule": rule_page(Place("/ui/rules/widgets"), found, "widgets"),
        "broken": rule_page(Place("/ui/rules/x"), found, found.inventory.rules[0].title),
    }
    made = pages[page]
    assert made is not None
    read = Read(made)
    assert read.is_balanced
    assert read.names() <= HARMLESS
    attributes = set(read.attributes())
    assert {name for name, _ in attributes if name.startswith("on")} == set()
    assert {name for name, _ in attributes} & {"src", "style", "action", "srcset", "xlink:href"} == set()
    links = {value for name, value in attributes if name == "href"}
    assert links
    for link in links:
        assert urljoin("http://ours/ui/rules/x", link).startswith("http://ours/ui"), link
    assert read.text.count(SCRIPT) > 0
    assert re.search(r"[^\x20-\x7e\n\u05d0-\u05ea\u2026]", made) is None
    assert len(made) < 100_000


def test_every_value_is_isolated_from_what_stands_beside_it() -> None:
    page = overview(OVERVIEW, hostile())
    for found in re.finditer(HEBREW, page):
        before = page[: found.start()]
        assert before.rindex('<bdi dir="ltr">') > before.rfind("</bdi>")


def test_a_violation_is_told_with_all_that_is_known_of_it() -> None:
    read = Read(
        overview(
            OVERVIEW,
            view(
                shown(widgets("r")),
                [incident(old='"Succeeded"', new='"Failed"', problem="went back", request_uid="u-9")] * 3,
            ),
        )
    )
    assert (read.all_of("del"), read.all_of("ins")) == (["Succeeded"], ["Failed"])
    for told in (
        *("refused", "Widget n/w", "3 times", "status.observedGeneration", "went back", "u-9", "i"),
        *("kubelet", "2026-01-01T00:00:00Z", "widgets.example.test/status"),
    ):
        assert told in read.text
    assert "with field manager m" in read.text


def test_a_value_that_is_not_there_or_not_shown_is_no_value() -> None:
    read = Read(
        overview(
            OVERVIEW, view((), [incident(old="unset", new="1"), incident(name="v", old="<hidden>", new="<hidden>")])
        )
    )
    assert read.all_of("del") == []
    assert read.all_of("ins") == ["1"]
    assert "<hidden>" in read.text


def test_values_that_differ_behind_the_cut_are_not_shown_as_the_same() -> None:
    found = judged([widgets()], texts(f"{LONG}1", f"{LONG}2"))
    assert "They differ in what is not shown of them." in Read(overview(OVERVIEW, view((), found))).text


def test_a_write_that_another_violation_refused_says_so() -> None:
    read = Read(overview(OVERVIEW, view((), [incident(action="Audit", denied=True)])))
    assert "refused for another violation" in read.text


def test_who_wrote_last_may_be_unknown() -> None:
    assert "Written last byunknown" in Read(overview(OVERVIEW, view((), [incident(last_writer="")]))).text


def test_a_server_without_anything_has_a_page() -> None:
    read = Read(overview(OVERVIEW, view()))
    assert "There is none." in read.text
    assert "None is remembered." in read.text
    assert "No violation in the last hour." in read.text


def test_a_page_shows_a_hundred_violations_and_how_many_are_left_out() -> None:
    found = [incident(name=f"w-{number}") for number in range(MOST_SHOWN + 7)]
    read = Read(overview(OVERVIEW, view((), found)))
    assert read.names() >= {"ol"}
    assert sum(attributes.get("class") == "violation" for _, attributes in read.elements) == MOST_SHOWN
    assert "Older ones are left out: 7." in read.text


def test_rules_that_ask_for_attention_come_first() -> None:
    good, often = widgets("a-good"), widgets("z-often")
    rules = [
        *shown(good, often),
        ShownRule("not-ready", "StatusRule", good, "not ready", ("the API server refuses its entry",)),
        ShownRule("last-good", "StatusRule", good, "last good", ("spec: one", "spec: two")),
        ShownRule("never", "StatusRule", None, "broken", ("kind is missing",)),
    ]
    read = Read(overview(OVERVIEW, view(rules, [incident(rule="z-often", at=NOW)])))
    links = [value for name, value in read.attributes() if name == "href"]
    named = [link.rpartition("/")[2] for link in links if link.startswith("ui/rules/")]
    assert named[:5] == ["never", "last-good", "not-ready", "z-often", "a-good"]
    for told in (
        "kind is missing",
        "spec: one and 1 more",
        "broken, last good version served",
        "served, not asked for",
    ):
        assert told in read.text


def test_a_rule_says_its_action_resources_invariants_and_prefilter() -> None:
    rule = widgets("r", *({"name": f"i-{number}", "frozen": {"fields": ["status.a"]}} for number in range(7)))
    read = Read(overview(OVERVIEW, view([ShownRule("r", "ClusterStatusRule", rule, prefilter="Partial")])))
    assert "ClusterStatusRule: widgets/status of example.test" in read.text
    assert "i-0, i-1, i-2, i-3, i-4 and 2 more" in read.text
    assert "prefilter Partial" in read.text
    assert read.all_of("td")[-2:] == ["Audit", "0"]


def test_of_a_thousand_rules_the_overview_has_some_and_the_list_all() -> None:
    rule = widgets()
    rules = [ShownRule(f"r-{number:04}", "ClusterStatusRule", rule) for number in range(1_000)]
    assert f"{MOST_RULES} of 1,000" in Read(overview(OVERVIEW, view(rules))).text
    found: list[str] = []
    for page in range(1, 1_000 // PAGE_OF_RULES + 1):
        made = rule_list(Place("/ui/rules"), view(rules), page)
        assert made is not None
        links = [value for name, value in Read(made).attributes() if name == "href"]
        found += [link.rpartition("/")[2] for link in links if link.startswith("../ui/rules/")]
        assert ("../ui/rules?page=" + str(page + 1) in links) == (page < 10)
    assert found == [rule.title for rule in rules]


@pytest.mark.parametrize("page", [0, 2])
def test_there_is_no_page_behind_the_last(page: int) -> None:
    assert rule_list(Place("/ui/rules"), view(), page) is None


def test_the_page_of_a_rule_says_what_explain_says() -> None:
    rule = widgets(
        "r",
        {
            "name": "kept",
            "when": [{"field": "status.phase", "operator": "In", "values": ["Done"]}],
            "frozen": {"fields": ["status.text"]},
            "message": "it is final",
        },
    )
    made = rule_page(
        Place("/ui/rules/r"), view(shown(rule), [incident(rule="r", at=NOW), incident(rule="other", at=NOW)]), "r"
    )
    assert made is not None
    read = Read(made)
    for said in (
        "It judges updates of the status of widgets (API group example.test, version v1).",
        "A write that breaks an invariant passes and is reported.",
        *rule.source.spec.invariants[0].spec.sentences(),
        'The rule\'s author says: "it is final"',
        f"While {rule.invariants[0].guard}:",
        "1 refused",
    ):
        assert said in read.text
    assert sum(attributes.get("class") == "violation" for _, attributes in read.elements) == 1


def test_the_page_of_a_broken_rule_has_all_its_mistakes() -> None:
    problems = tuple(f"mistake {number}" for number in range(MOST_PROBLEMS + 3))
    made = rule_page(Place("/ui/rules/r"), view([ShownRule("r", "StatusRule", None, "broken", problems)]), "r")
    assert made is not None
    read = Read(made)
    assert len([each for each in read.all_of("bdi") if each.startswith("mistake")]) == MOST_PROBLEMS
    assert "Left out: 3 more." in read.text
    assert "What it demands" not in read.text


def test_a_rule_that_is_not_there_has_no_page() -> None:
    assert rule_page(Place("/ui/rules/x"), view(), "x") is None


def test_facts_are_shown_and_those_that_are_bad_stand_out() -> None:
    facts = [Fact("Ready", "waiting for the rules", bad=True), Fact("Leader", "this replica")]
    read = Read(overview(OVERVIEW, view(shown(widgets()), facts=facts, problems=["r.yaml:1:1: error: x"])))
    bad = [attributes for name, attributes in read.elements if name == "dd" and attributes.get("class") == "bad"]
    assert len(bad) == 2
    for told in ("waiting for the rules", "this replica", "Rules served1", "Mistakes in rule files1", "r.yaml:1:1"):
        assert told in read.text


@pytest.mark.parametrize("asked", ["/ui", "/ui/", "/ui/rules", "/ui/rules/r", "/ui/rules/n/r"])
@pytest.mark.parametrize("prefix", ["", "/proxy/of/somebody"])
def test_links_hold_wherever_a_page_is(asked: str, prefix: str) -> None:
    place = Place(asked)
    there = f"{prefix}{asked}"
    assert urljoin(there, place.overview()) == f"{prefix}/ui"
    assert urljoin(there, place.rules(2)) == f"{prefix}/ui/rules?page=2"
    assert urljoin(there, place.rule("n/r")) == f"{prefix}/ui/rules/n/r"
    assert unquote(urljoin(there, place.rule("a?b#c\u202e"))) == f"{prefix}/ui/rules/a?b#c\u202e"


def test_a_page_can_be_read_by_those_who_do_not_see_it() -> None:
    read = Read(overview(OVERVIEW, hostile()))
    named = dict(read.elements)
    assert named["html"] == {"lang": "en"}
    assert all(attributes.get("scope") for name, attributes in read.elements if name == "th")
    assert [name for name, _ in read.elements].count("h1") == 1
    assert named["svg"]["aria-labelledby"] == "rates-title rates-description"
    ids = {value for name, value in read.attributes() if name == "id"}
    assert {value[1:] for name, value in read.attributes() if name == "href" and value.startswith("#")} <= ids
