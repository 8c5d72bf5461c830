"""Where a CRD's own validations go, what they say, and what they lose."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rules.compile import compile_rule
from rules.native.crd_places import Place
from rules.native.crd_rule import NotAboutError
from rules.native.crd_validations import KEY, CrdValidations, Validation, crd_validations
from rules.path_syntax import MapValues, Name, Select

from .machines import CRD, RULE, data

ANNOTATED = {"field": 'metadata.annotations["a"]', "operator": "Exists"}


def said(*invariants: Any, crd: Any = None, **spec: Any) -> CrdValidations:
    rule = data(RULE)
    named = [{"name": f"i{at}", **each} for at, each in enumerate(invariants)]
    rule["spec"] |= {"invariants": named, **spec}
    return crd_validations(compile_rule(rule).source, data(CRD) if crd is None else crd)


def where(place: Place) -> str:
    return "".join(
        f".{each.name}" if isinstance(each, Name) else ".*" if isinstance(each, MapValues) else "[]"
        for each in place.segments
    )


def shown(each: Validation) -> tuple[str, str]:
    return where(each.place), each.holds.text


def monotonic(*fields: str) -> Any:
    return {"monotonic": {"fields": list(fields), "direction": "NonDecreasing"}}


def write_once(*fields: str) -> Any:
    return {"writeOnce": {"fields": list(fields)}}


def test_what_may_not_disappear_is_asked_at_its_parent_and_where_that_goes() -> None:
    at_status, at_root = said(write_once("status.address")).validations
    expected = "!has(oldSelf.address) || has(self.address) && oldSelf.address == self.address"
    assert shown(at_status) == (".status", expected)
    assert shown(at_root) == ("", "!has(oldSelf.status) || has(self.status) || !has(oldSelf.status.address)")
    assert (at_status.field_path, at_root.field_path) == (".address", ".status.address")
    assert not at_status.optional


def test_a_parent_that_is_always_there_needs_no_second_rule() -> None:
    crd = data(CRD)
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["required"].append("status")
    (validation,) = said(write_once("status.address"), crd=crd).validations
    assert where(validation.place) == ".status"


def test_what_is_asked_of_something_new_sees_an_old_self_that_is_optional() -> None:
    demand = {"require": {"all": [{"field": "status.phase", "operator": "In", "values": ["Pending"]}]}}
    first, _ = said(demand).validations
    assert first.optional
    assert first.holds.text.startswith("oldSelf.hasValue() ? ")
    assert first.holds.text.endswith(" : !has(self.phase) || self.phase == 'Pending'")
    assert first.as_json()["optionalOldSelf"] is True


def test_items_that_the_api_server_pairs_have_rules_of_their_own() -> None:
    (validation,) = said({"conditions": {"lastTransitionTime": "OnlyWithStatus"}}).validations
    asked = (
        "has(oldSelf.lastTransitionTime) && oldSelf.lastTransitionTime == self.lastTransitionTime"
        " || !has(oldSelf.lastTransitionTime) || !(has(oldSelf.status) && oldSelf.status == self.status)"
    )
    assert shown(validation) == (".status.conditions[]", asked)


def test_so_has_one_item_among_them() -> None:
    never_back = {"forbid": [{"from": ["True"], "to": ["Unknown"]}]}
    (validation,) = said({"transitions": {"field": "status.conditions[type=Ready].status", **never_back}}).validations
    assert where(validation.place) == ".status.conditions[]"
    assert isinstance(validation.place.segments[-1], Select)
    assert validation.holds.text.startswith("self.type != 'Ready' || ")


def test_and_values_of_a_map() -> None:
    (validation,) = said(write_once("status.holds.*")).validations
    assert shown(validation) == (".status.holds.*", "oldSelf == self")


def test_items_that_it_does_not_pair_are_searched_for_each_other() -> None:
    (validation,) = said({"frozen": {"fields": ["status.pools[name].replicas"]}}).validations
    assert where(validation.place) == ".status"
    assert "self.pools.all(n, has(oldSelf.pools) && n in oldSelf.pools || " in validation.holds.text
    assert "oldSelf.pools.all(o, !(has(o.name) && o.name == n.name) || " in validation.holds.text


def test_so_are_items_of_which_none_may_be_dropped() -> None:
    first, _ = said({"preserved": {"fields": ["status.conditions[type]"]}}).validations
    kept = "has(self.conditions) && self.conditions.exists(n, o.type == n.type)"
    assert shown(first) == (".status", f"!has(oldSelf.conditions) || oldSelf.conditions.all(o, {kept})")


def test_spec_and_status_are_read_at_the_root() -> None:
    found = said({"relation": {"holds": ["status.replicas <= spec.replicas"]}})
    (validation,) = found.validations
    assert where(validation.place) == ""
    assert "writes of the resource itself" in str(found.lost)


def test_an_integer_or_a_string_is_asked_for_its_type() -> None:
    first, _ = said(monotonic("status.port")).validations
    assert "[has(oldSelf.port) ? oldSelf.port : null].all(o, " in first.holds.text
    assert "type(o) == int" in first.holds.text


def test_null_is_absent_where_it_may_be() -> None:
    first, _ = said(write_once("status.owner")).validations
    assert first.holds.text.startswith("!(has(oldSelf.owner) && dyn(oldSelf.owner) != null) || ")


def test_names_are_escaped_and_then_nothing_is_optional() -> None:
    crd = data(CRD)
    status = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    status["properties"] |= {"a.b/c-d": {"type": "integer"}, "in": {"type": "integer"}}
    found = said({"frozen": {"fields": ['status["a.b/c-d"]']}}, {"frozen": {"fields": ["status.in"]}}, crd=crd)
    assert [where(each.place) for each in found.validations] == [".status", "", ""] * 2
    assert not any(each.optional for each in found.validations)
    assert "self.a__dot__b__slash__c__dash__d" in found.validations[0].holds.text
    assert "self.__in__" in found.validations[3].holds.text
    assert found.validations[0].field_path == "['a.b/c-d']"


def test_creation_is_asked_where_the_rule_sees_it() -> None:
    of_main = {"apiGroups": ["example.test"], "apiVersions": ["v1"], "resources": ["machines"]}
    demand = {"require": {"all": [{"field": "spec.image", "operator": "Exists"}]}}
    asked = {}
    for operations in (["UPDATE"], ["CREATE", "UPDATE"]):
        constraints = {"resourceRules": [{**of_main, "operations": operations}]}
        (validation,) = said(demand, matchConstraints=constraints).validations
        asked[len(operations)] = (where(validation.place), validation.optional)
    assert asked == {1: ("", False), 2: ("", True)}


@pytest.mark.parametrize(
    ("invariant", "lost"),
    [
        ({"frozen": {"fields": ["status.phase"]}, "when": [ANNOTATED]}, "left out: reads metadata.annotations"),
        (write_once('metadata.annotations["a"]'), "left out: reads metadata.annotations"),
        (write_once("status.phases"), "left out: status.phases is not in the schema"),
        (write_once("status.extra.x"), "left out: the schema does not say what status.extra.x is"),
        (monotonic("status.pools[name].zone"), "left out: status.pools[name].zone is not in the schema"),
        (write_once("status.phase.*"), "left out: status.phase.*: status.phase is a string in the schema"),
        ({"cel": {"expression": "object.status.replicas > 1"}}, "left out: cel: written for `object`"),
        ({"coUpdate": {"fields": ["status.phase"], "digest": "status.digest"}}, "left out: digest: "),
        ({"coUpdate": {"fields": ["status.phase"], "singleManager": True}}, "left out: singleManager: "),
        ({"coUpdate": {"fields": ["status.phase", "status.load"], "stamp": "status.digest"}}, "left out: patch: "),
        ({"observedGeneration": {}}, "a value ahead of metadata.generation passes"),
        (write_once("status.startedAt"), "times are compared as instants"),
        (write_once("status.load"), "are doubles"),
        (write_once("status.owner"), "a null inside an object or a list"),
        (write_once("status.extra"), "a null inside an object or a list"),
        (write_once("status.conditions"), "the order of lists that are maps or sets does not count"),
        ({"frozen": {"fields": ["status.pools[name].replicas"]}}, "of several items with one key"),
        ({"relation": {"holds": ["status.replicas < 1 + status.readyReplicas"]}}, "a sum beyond 64 bits"),
        ({"relation": {"holds": ["status.load == status.load + 1"]}}, "left out: adds up numbers that need not be integers"),
        ({"require": {"any": [{"field": "status.startedAt", "operator": "In", "values": ["x"]}]}},
         "left out: the schema makes status.startedAt a timestamp, whose text cannot be read"),
    ],
)  # fmt: skip
def test_what_is_lost_of_an_invariant(invariant: Any, lost: str) -> None:
    found = [str(loss) for loss in said(invariant).lost if loss.invariant]
    assert any(each.startswith(f"invariant i0: {lost}") or lost in each for each in found), found


@pytest.mark.parametrize(
    ("spec", "lost"),
    [
        ({"validationActions": ["Warn"]}, "a schema can only refuse, and the rule's action is Warn"),
        ({"denial": {"code": 403, "reason": "Forbidden"}}, "a denial is 422 Invalid, never 403 Forbidden"),
        ({"exemptions": {"users": ["admin"]}}, "nobody is exempt"),
        ({}, "an object that is being deleted is judged like any other"),
        ({}, "no metric, no Event, no report"),
    ],
)
def test_what_is_lost_of_a_rule(spec: Any, lost: str) -> None:
    found = said(write_once("status.address"), **spec)
    assert any(lost in str(loss) for loss in found.lost)
    assert found.validations


def test_a_rule_that_loses_nothing_of_its_own() -> None:
    strict = {"denial": {"code": 422, "reason": "Invalid"}, "enforceWhileDeleting": True}
    assert said(write_once("status.address"), **strict).is_whole
    assert not said(write_once("status.address")).is_whole


@pytest.mark.parametrize(
    "spec",
    [
        {"matchConditions": [{"name": "a", "expression": "request.userInfo.username != 'x'"}]},
        {"matchConstraints": {**data(RULE)["spec"]["matchConstraints"], "objectSelector": {"matchLabels": {"a": "b"}}}},
        {"matchConstraints": {**data(RULE)["spec"]["matchConstraints"], "namespaceSelector": {"matchLabels": {"a": "b"}}}},
    ],
)  # fmt: skip
def test_a_rule_for_some_objects_only_is_left_out_whole(spec: Any) -> None:
    found = said(write_once("status.address"), **spec)
    assert not found.validations
    assert any(loss.whole and not loss.invariant for loss in found.lost)


def test_lists_and_texts_without_a_bound_are_named() -> None:
    crd = data(CRD)
    status = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    assert not said({"frozen": {"fields": ["status.pools[name].replicas"]}}).costs
    del status["pools"]["maxItems"], status["pools"]["items"]["properties"]["name"]["maxLength"]
    found = said({"frozen": {"fields": ["status.pools[name].replicas"]}}, crd=crd)
    assert found.costs == ("v1: status.pools has no maxItems", "v1: status.pools[].name has no maxLength")


@pytest.mark.parametrize(
    "named",
    [
        {"apiGroups": ["example.test"], "apiVersions": ["v2"], "resources": ["machines/status"]},
        {"apiGroups": ["example.test"], "apiVersions": ["v1beta1"], "resources": ["machines/status"]},
        {"apiGroups": ["example.test"], "apiVersions": ["v1"], "resources": ["machines/scale"]},
        {"apiGroups": ["other.test"], "apiVersions": ["v1"], "resources": ["machines/status"]},
    ],
)
def test_a_rule_about_something_else(named: Any) -> None:
    with pytest.raises(
        NotAboutError, match=r"rule machines is about .*, not about machines\.example\.test v1, v1beta1"
    ):
        said(write_once("status.phase"), matchConstraints={"resourceRules": [named]})


def test_it_is_set_into_the_versions_that_the_rule_names() -> None:
    crd = data(CRD)
    rule = {
        "apiGroups": ["example.test"],
        "apiVersions": ["v1", "v1beta1"],
        "resources": ["machines", "machines/status"],
    }
    found = said(write_once("status.phase"), matchConstraints={"resourceRules": [rule]})
    before = copy.deepcopy(crd)
    schemas = [each["schema"]["openAPIV3Schema"] for each in found.set_into(crd)["spec"]["versions"]]
    assert crd == before
    assert [len(each[KEY]) for each in schemas] == [1, 1]
    assert [len(each["properties"]["status"][KEY]) for each in schemas] == [1, 1]


def test_what_is_there_stays_and_nothing_is_set_twice() -> None:
    found = said(write_once("spec.image"))
    once = found.set_into(data(CRD))
    spec = once["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec[KEY][0]["rule"] == "self.replicas >= 0"
    assert len(spec[KEY]) == 2
    assert found.set_into(once) == once


def test_parts_that_a_document_shares_are_set_apart() -> None:
    text = {"type": "string"}
    crd = data(CRD)
    schema = {"type": "object", "properties": {"status": {"type": "object", "properties": {"holds": {
        "type": "object", "additionalProperties": text}, "phase": text}}}}  # fmt: skip
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    status = said(write_once("status.holds.*"), crd=crd).set_into(crd)["spec"]["versions"][0]["schema"][
        "openAPIV3Schema"
    ]
    below = status["properties"]["status"]["properties"]
    assert KEY in below["holds"]["additionalProperties"]
    assert KEY not in below["phase"]


def test_messages_say_what_a_text_was_and_is_unless_it_is_hidden() -> None:
    rule = compile_rule(data(RULE)).source
    shown = {each.invariant for each in crd_validations(rule, data(CRD)).validations if each.message_expression}
    hidden = crd_validations(rule, data(CRD), lambda field: field == "status.address").validations
    assert shown >= {"address"}
    assert shown - {each.invariant for each in hidden if each.message_expression} == {"address"}


def status_of(crd: Any) -> Any:
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]


def test_rules_of_items_cost_more_the_more_items_there_may_be() -> None:
    crd = data(CRD)
    del status_of(crd)["conditions"]["maxItems"]
    assert said({"conditions": {}}, crd=crd).costs == ("v1: status.conditions has no maxItems",)


def test_one_item_of_a_list_without_a_bound_is_looked_for() -> None:
    crd = data(CRD)
    del status_of(crd)["conditions"]["maxItems"]
    (validation,) = said({"frozen": {"fields": ["status.conditions[type=Ready].reason"]}}, crd=crd).validations
    assert where(validation.place) == ".status"
    assert "self.conditions.filter(c, c.type == 'Ready')[0].reason" in validation.holds.text


def test_values_that_may_be_null_have_no_rules_of_their_own() -> None:
    crd = data(CRD)
    status_of(crd)["holds"]["additionalProperties"]["nullable"] = True
    found = said(write_once("status.holds.*"), crd=crd)
    assert {where(each.place) for each in found.validations} == {".status.holds"}


def test_a_new_item_may_not_hold_one_key_twice() -> None:
    crd = data(CRD)
    conditions = copy.deepcopy(status_of(crd)["conditions"])
    del conditions["x-kubernetes-list-type"], conditions["x-kubernetes-list-map-keys"]
    status_of(crd)["pools"]["items"]["properties"]["conditions"] = conditions
    (validation,) = said({"conditions": {"path": "status.pools[name].conditions"}}, crd=crd).validations
    assert validation.optional
    new = validation.holds.text.rpartition(" : ")[2]
    assert "exists_one(m, " in new


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"type": "object", "properties": {"status": True}},
        {"type": "object", "properties": {"status": {}}},
        {"type": "object", "properties": {"status": {"type": "array"}}},
        {"type": "object", "properties": {"status": {"type": "object", "additionalProperties": True}}},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    ],
)
def test_a_schema_that_says_nothing_loses_everything(schema: Any) -> None:
    crd = data(CRD)
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    every = [{key: value for key, value in each.items() if key != "name"} for each in data(RULE)["spec"]["invariants"]]
    found = said(*every, crd=crd)
    assert not found.validations
    assert {loss.invariant for loss in found.lost if loss.whole} == {f"i{at}" for at in range(len(every))}
