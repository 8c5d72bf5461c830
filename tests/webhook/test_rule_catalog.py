from __future__ import annotations

from collections.abc import Sequence

from rules.documents import Document, parse
from tests.widgets import rule
from webhook.rule_catalog import RuleCatalog, Served


def documents(*texts: str) -> list[Document]:
    return [document for text in texts for document in parse(text.encode(), "r.yaml")]


def titles(served: Served) -> list[str]:
    return [each.title for each in served.rules]


def places(served: Served) -> list[str]:
    return [f"{each.place.line}:{each.place.column} {each.code}" for each in served.problems]


BROKEN = rule("a").replace("observedGeneration", "frozen")


def test_documents_of_other_kinds_are_passed_over() -> None:
    served = RuleCatalog().update(documents(rule("a"), "kind: ConfigMap", "[]", "3"))
    assert (titles(served), served.broken, served.problems) == (["a"], 0, ())


def test_a_misspelt_kind_is_not_passed_over_in_silence() -> None:
    suite = "apiVersion: statusguard.dev/v1alpha1\nkind: StatusRuleTest"
    served = RuleCatalog().update(
        documents(rule("a"), rule("b").replace("ClusterStatusRule", "ClusterStatusrule"), suite)
    )
    assert (titles(served), served.broken, places(served)) == (["a"], 1, ["2:7 kind"])
    assert served.problems[0].message == (
        'kind is "ClusterStatusrule", expected ClusterStatusRule or StatusRule or StatusRuleTest, '
        'did you mean "ClusterStatusRule"?'
    )
    assert places(RuleCatalog().update(documents("apiVersion: statusguard.dev/v1alpha1"))) == ["1:1 kind"]


def test_an_invalid_document_keeps_the_last_good_rule_of_its_name() -> None:
    catalog = RuleCatalog()
    good = catalog.update(documents(rule("a"), rule("b")))
    broken = catalog.update(documents(BROKEN, rule("b")))
    assert titles(broken) == ["a", "b"]
    assert broken.rules[0] is good.rules[0]
    assert (broken.broken, places(broken)) == (1, ["11:13 missing-field"])
    mended = catalog.update(documents(rule("a", "Warn"), rule("b")))
    assert [each.source.spec.action for each in mended.rules] == ["Warn", "Deny"]
    assert mended.problems == ()


def test_a_rule_that_was_never_good_is_not_served() -> None:
    served = RuleCatalog().update(documents(BROKEN, rule("b")))
    assert (titles(served), served.broken) == (["b"], 1)


def test_a_removed_rule_goes_even_if_it_was_broken_last() -> None:
    catalog = RuleCatalog()
    catalog.update(documents(rule("a"), rule("b")))
    catalog.update(documents(BROKEN, rule("b")))
    assert titles(catalog.update(documents(rule("b")))) == ["b"]
    assert titles(catalog.update(documents(BROKEN, rule("b")))) == ["b"]


def test_two_documents_with_one_name_are_both_broken_and_keep_the_last_good() -> None:
    catalog = RuleCatalog()
    catalog.update(documents(rule("a")))
    served = catalog.update(documents(rule("a", "Warn"), rule("a", "Audit")))
    assert [each.source.spec.action for each in served.rules] == ["Deny"]
    assert (served.broken, places(served)) == (2, ["3:18 duplicate-rule", "3:18 duplicate-rule"])
    assert served.problems[0].message == "two rules are named a; the other is at r.yaml:3:18"


def test_names_are_those_of_a_kind_and_a_namespace() -> None:
    def named(kind: str, metadata: str) -> str:
        return rule("a").replace("ClusterStatusRule", kind).replace("{name: a}", metadata)

    served = RuleCatalog().update(
        documents(rule("a"), *(named("StatusRule", f"{{name: a, namespace: {each}}}") for each in ("x", "y")))
    )
    assert titles(served) == ["a", "x/a", "y/a"]
    twice = [named("StatusRule", "{name: a}"), named("StatusRule", "{name: a, namespace: default}")]
    assert RuleCatalog().update(documents(*twice)).broken == 2


def test_documents_without_a_name_are_broken_each_for_itself() -> None:
    nameless = rule("a").replace("{name: a}", "{}")
    served = RuleCatalog().update(documents(nameless, nameless, "kind: ClusterStatusRule\nmetadata: 3"))
    assert (served.rules, served.broken) == ((), 3)
    assert {each.partition(" ")[2] for each in places(served)} >= {"missing-field"}
    assert "duplicate-rule" not in " ".join(places(served))


def test_a_document_that_did_not_change_is_not_compiled_again() -> None:
    catalog = RuleCatalog()
    same = documents(rule("a"))
    first = catalog.update(same)
    assert catalog.update([*same, *documents(rule("b"))]).rules[0] is first.rules[0]


def test_sources_are_the_good_rules_with_their_documents() -> None:
    catalog = RuleCatalog()
    given: Sequence[Document] = documents(rule("a"), BROKEN.replace("name: a", "name: b"), rule("c"))
    catalog.update(given)
    assert [(each.title, document) for each, document in catalog.sources()] == [("a", given[0]), ("c", given[2])]
