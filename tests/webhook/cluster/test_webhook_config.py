from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.compile import CompiledRule
from webhook.cluster import webhook_config
from webhook.cluster.client import ClusterClient
from webhook.cluster.configurations import Endpoint, Filtering
from webhook.cluster.entries import Policy, plan
from webhook.cluster.errors import ApiError
from webhook.cluster.webhook_config import PATH, ConfigurationWriter, Written, holds, too_much

from .fake_api import FakeApi
from .fake_store import Target
from .faults import answer, status
from .manifests import compiled, resources

ENDPOINT = Endpoint(b"authorities")

Reconcile = Callable[..., Any]


@pytest.fixture
def reconcile(client: ClusterClient) -> Reconcile:
    writer = ConfigurationWriter(client)

    async def once(*rules: CompiledRule, endpoint: Endpoint = ENDPOINT) -> Written:
        return await writer.reconcile(plan(rules, Policy()).entries, endpoint)

    return once


def configured(api: FakeApi) -> dict[str, list[str]]:
    """Return the entries of each configuration, without the digest of their names."""
    return {
        target.name: [webhook["name"].partition(".")[0] for webhook in found["webhooks"]]
        for target, found in api.store.objects(Target.parse(PATH))
    }


def writes(api: FakeApi) -> int:
    return sum(each.verb == "apply" and "dryRun" not in each.query for each in api.requests)


async def test_they_become_what_the_rules_say(api: FakeApi, reconcile: Reconcile) -> None:
    apps = compiled("b", resources("x/status", group="apps"))
    assert await reconcile(compiled("a"), apps) == Written({}, 3, 0)
    assert configured(api) == {
        "statusguard-apps": ["x-status"],
        "statusguard-example.test": ["widgets-status"],
        "statusguard-rules": ["rules", "canary"],
    }
    assert await reconcile(apps) == Written({}, 0, 1)
    assert list(configured(api)) == ["statusguard-apps", "statusguard-rules"]


async def test_equal_ones_are_not_written(api: FakeApi, reconcile: Reconcile) -> None:
    await reconcile(compiled("a"))
    before = writes(api)
    assert await reconcile(compiled("another")) == Written({}, 0, 0)
    assert writes(api) == before


async def test_a_changed_one_is_replaced_whole(api: FakeApi, reconcile: Reconcile) -> None:
    await reconcile(compiled("a"), compiled("b", resources("gadgets/status")))
    await reconcile(compiled("a"), compiled("c", resources("things/status")))
    versions = [
        sorted(webhook["name"].partition(".")[0] for webhook in each.object["webhooks"])
        for each in api.store.history
        if each.target.name == "statusguard-example.test"
    ]
    assert versions == [["gadgets-status", "widgets-status"], ["things-status", "widgets-status"]]


async def test_another_authority_is_written_into_all(api: FakeApi, reconcile: Reconcile) -> None:
    await reconcile(compiled("a"))
    assert await reconcile(compiled("a"), endpoint=replace(ENDPOINT, ca_bundle=b"others")) == Written({}, 2, 0)


async def test_what_somebody_changed_by_hand_is_put_right(api: FakeApi, reconcile: Reconcile) -> None:
    await reconcile(compiled("a"))
    before = configured(api)
    api.apply(f"{PATH}/statusguard-example.test", {"metadata": {"name": "statusguard-example.test"}, "webhooks": []})
    api.delete(f"{PATH}/statusguard-rules")
    assert await reconcile(compiled("a")) == Written({}, 2, 0)
    assert configured(api) == before


async def test_configurations_of_others_are_left_alone(api: FakeApi, reconcile: Reconcile) -> None:
    api.apply(
        f"{PATH}/others", {"kind": "ValidatingWebhookConfiguration", "metadata": {"name": "others"}, "webhooks": []}
    )
    await reconcile()
    assert list(configured(api)) == ["others", "statusguard-rules"]


async def test_each_entry_is_tried_by_dry_run_before_it_is_written(api: FakeApi, reconcile: Reconcile) -> None:
    await reconcile(compiled("a"), compiled("b", resources("gadgets/status")))
    kinds = [(each.verb, each.query.get("dryRun"), len(each.body["webhooks"])) for each in api.requests if each.body]
    assert kinds == [("apply", "All", 1), ("apply", "All", 1), ("apply", None, 2), ("apply", None, 2)]
    before = len(api.requests)
    await reconcile(compiled("a"), compiled("b", resources("gadgets/status")))
    assert [each.verb for each in api.requests[before:]] == ["list"]


async def test_an_entry_that_is_refused_does_not_cost_the_others(api: FakeApi, reconcile: Reconcile) -> None:
    rules = (compiled("a"), compiled("b", resources("gadgets/status"), prefilter="Off"))
    api.fault("apply", status(422, "Invalid", "webhooks[0]: no such thing"))
    written = await reconcile(*rules)
    ((name, why),) = written.refused.items()
    assert name.startswith("gadgets-status.")
    assert "no such thing" in why
    assert configured(api)["statusguard-example.test"] == ["widgets-status"]
    # Who mends the API server need not touch the rule.
    assert (await reconcile(*rules)).refused == {}
    assert configured(api)["statusguard-example.test"] == ["gadgets-status", "widgets-status"]


def filters(api: FakeApi) -> list[list[str]]:
    """Return the names of the conditions of each entry."""
    return [
        [condition["name"] for condition in webhook["matchConditions"]]
        for target, found in api.store.objects(Target.parse(PATH))
        for webhook in found["webhooks"]
        if target.name == "statusguard-example.test"
    ]


@pytest.mark.parametrize(
    ("refusals", "left"),
    [(0, Filtering.WHOLE), (1, Filtering.WITHOUT_LISTS), (2, Filtering.NONE)],
)
async def test_an_entry_whose_prefilter_is_refused_loses_what_it_must(
    api: FakeApi, reconcile: Reconcile, refusals: int, left: Filtering
) -> None:
    lists = [{"name": "conditions", "conditions": {}}]
    for _ in range(refusals):
        api.fault("apply", status(422, "Invalid", "webhooks[0].matchConditions: undeclared reference"))
    written = await reconcile(compiled("a", invariants=lists))
    assert written.refused == {}
    assert list(written.filtering.values()) == [left]
    (names,) = filters(api)
    assert ("may-break-a-rule" in names) is (left is not Filtering.NONE)
    before = len(api.requests)
    await reconcile(compiled("a", invariants=lists))
    assert [each.verb for each in api.requests[before:]] == ["list"], "what was refused is not tried all the time"


async def test_an_api_group_that_fails_does_not_keep_the_others_waiting(api: FakeApi, reconcile: Reconcile) -> None:
    apps, other = compiled("a", resources("x/status", group="apps")), compiled("b")
    await reconcile()
    tries = [answer(200, "{}")] * 2
    api.fault("apply", *tries, status(500, "InternalError", "too large"))
    with pytest.raises(ApiError, match="too large"):
        await reconcile(apps, other)
    assert list(configured(api)) == ["statusguard-example.test", "statusguard-rules"]


def test_prefilters_that_are_too_large_together_are_left_out_from_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    small = compiled("small")
    large = compiled("large", resources("gadgets/status"), invariants=[{"name": "c", "conditions": {}}])
    team = compiled("team", resources("things/status"), namespace="team")
    entries = plan([small, large, team], Policy()).entries
    sizes = {each.rules[0].title: len(each.suspect(lists=True) or "") for each in entries}
    names = {each.rules[0].title: each.name for each in entries}
    monkeypatch.setattr(webhook_config, "MAX_PREFILTERS", sum(sizes.values()))
    assert too_much(entries, {}) == []
    monkeypatch.setattr(webhook_config, "MAX_PREFILTERS", sum(sizes.values()) - 1)
    assert too_much(entries, {}) == [names["team/team"]]
    monkeypatch.setattr(webhook_config, "MAX_PREFILTERS", sizes["small"])
    assert too_much(entries, {}) == [names["team/team"], names["large"]]


@pytest.mark.parametrize(("code", "reason"), [(500, "InternalError"), (403, "Forbidden"), (409, "Conflict")])
async def test_an_error_that_says_nothing_about_the_entry_changes_nothing(
    api: FakeApi, reconcile: Reconcile, code: int, reason: str
) -> None:
    await reconcile(compiled("a"))
    before = configured(api)
    api.fault("apply", status(code, reason))
    with pytest.raises(ApiError, match=reason):
        await reconcile(compiled("a"), compiled("b", resources("gadgets/status")))
    assert configured(api) == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_everything_holds_itself(value: Any) -> None:
    assert holds(value, value)


@given(st.dictionaries(st.sampled_from("abc"), JSON), st.dictionaries(st.sampled_from("xyz"), JSON))
def test_what_the_api_server_adds_is_no_difference(desired: dict[str, Any], added: dict[str, Any]) -> None:
    assert holds({**desired, **added}, desired)


@pytest.mark.parametrize(
    ("live", "desired", "same"),
    [
        ({}, {"a": {}, "b": [], "c": None}, True),
        ({}, {"a": 1}, False),
        ({"a": 1}, {"a": 2}, False),
        ({"a": [1, 2]}, {"a": [1]}, False),
        ({"a": [{"b": 1, "default": 2}]}, {"a": [{"b": 1}]}, True),
        ([], {"a": 1}, False),
        ({"a": {}}, {"a": [1]}, False),
    ],
)
def test_what_differs(live: Any, desired: Any, same: bool) -> None:  # noqa: FBT001
    assert holds(live, desired) is same
