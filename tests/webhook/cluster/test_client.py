from __future__ import annotations

import asyncio
from typing import Any

import pytest

from webhook.cluster import client as client_module
from webhook.cluster.client import ClusterClient
from webhook.cluster.errors import ApiError, ClusterError, UnreachableError, UnreadableError
from webhook.errors import CannotRunError

from .fake_api import FakeApi
from .faults import Handler, answer, cut, silence, status, stream

THINGS = "/apis/example.dev/v1/things"
SECRETS = "/api/v1/namespaces/system/secrets"


def thing(name: str = "a", **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "example.dev/v1", "kind": "Thing", "metadata": {"name": name}, **fields}


async def test_apply_creates_changes_and_takes_back(api: FakeApi, client: ClusterClient) -> None:
    created = await client.apply(f"{THINGS}/a", thing(spec={"x": 1, "y": 2}))
    changed = await client.apply(f"{THINGS}/a", thing(spec={"x": 3}))
    assert (created["spec"], changed["spec"]) == ({"x": 1, "y": 2}, {"x": 3})
    assert changed == await client.get(f"{THINGS}/a")
    request = api.requests[0]
    assert (request.verb, request.query) == ("apply", {"fieldManager": "statusguard", "force": "true"})
    assert request.headers["User-Agent"].startswith("statusguard/")


async def test_apply_of_the_status_leaves_the_rest_alone(api: FakeApi, client: ClusterClient) -> None:
    await client.create(THINGS, thing(spec={"x": 1}))
    await client.apply(f"{THINGS}/a/status", thing(status={"ready": True}), force=False)
    found = await client.get(f"{THINGS}/a")
    assert (found["spec"], found["status"], found["metadata"]["generation"]) == ({"x": 1}, {"ready": True}, 1)
    assert api.requests[1].query["force"] == "false"


async def test_a_dry_run_leaves_no_trace(api: FakeApi, client: ClusterClient) -> None:
    await client.create(THINGS, thing(spec={"x": 1}))
    tried = await client.apply(f"{THINGS}/a", thing(spec={"x": 2}), dry_run=True)
    assert tried["spec"] == {"x": 2}
    assert (await client.get(f"{THINGS}/a"))["spec"] == {"x": 1}
    assert api.requests[1].query["dryRun"] == "All"


async def test_create_replace_merge_and_delete(client: ClusterClient) -> None:
    created = await client.create(SECRETS, {"metadata": {"name": "s"}, "data": {"a": "1", "b": "2"}})
    assert created["metadata"]["namespace"] == "system"
    replaced = await client.replace(f"{SECRETS}/s", {**created, "data": {"a": "3"}})
    merged = await client.merge(f"{SECRETS}/s", {"data": {"c": "4"}})
    assert (replaced["data"], merged["data"]) == ({"a": "3"}, {"a": "3", "c": "4"})
    await client.delete(f"{SECRETS}/s")
    with pytest.raises(ApiError) as refused:
        await client.get(f"{SECRETS}/s")
    assert (refused.value.status, refused.value.reason, refused.value.retryable) == (404, "NotFound", False)


async def test_who_writes_what_is_not_the_latest_is_told_so(client: ClusterClient) -> None:
    created = await client.create(THINGS, thing(spec={"x": 1}))
    await client.replace(f"{THINGS}/a", {**created, "spec": {"x": 2}})
    writes = (
        client.create(THINGS, thing()),
        client.replace(f"{THINGS}/a", created),
        client.merge(f"{THINGS}/a", {"metadata": {"resourceVersion": created["metadata"]["resourceVersion"]}}),
    )
    refusals = await asyncio.gather(*writes, return_exceptions=True)
    assert [getattr(each, "status", each) for each in refusals] == [409, 409, 409]


async def test_a_list_is_whole_whatever_the_size_of_its_pages(
    api: FakeApi, client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "PAGE", 2)
    for name in "abcde":
        api.apply(f"{THINGS}/{name}", thing(name))
    listing = await client.list(THINGS)
    assert [item["metadata"]["name"] for item in listing.items] == list("abcde")
    assert {(item["apiVersion"], item["kind"]) for item in listing.items} == {("example.dev/v1", "Thing")}
    assert listing.resource_version == str(api.store.version)
    assert api.count("list") == 3


async def test_a_list_of_nothing_and_of_what_is_selected(api: FakeApi, client: ClusterClient) -> None:
    assert (await client.list(SECRETS)).items == ()
    for name in "ab":
        api.apply(f"{SECRETS}/{name}", {"kind": "Secret", "metadata": {"name": name}})
    (found,) = (await client.list(SECRETS, fieldSelector="metadata.name=b")).items
    assert found["metadata"]["name"] == "b"
    assert len((await client.list("/api/v1/secrets")).items) == 2


@pytest.mark.parametrize(
    ("fault", "kind", "text", "retryable"),
    [
        (status(429, "TooManyRequests", "slow down", 3), ApiError, "429 TooManyRequests: slow down", True),
        (status(500, "", "no reason"), ApiError, "500 Internal Server Error: no reason", True),
        (status(500, "InternalError", "x" * 2_000), ApiError, f"500 InternalError: {'x' * 299}…", True),
        (status(403, "Forbidden", "no\nway"), ApiError, "403 Forbidden: no\\u000away", False),
        (answer(404, "404 page not found\n"), ApiError, "404 Not Found: 404 page not found", False),
        (answer(530, "[" * 100_000), ApiError, f"530 unknown: {'[' * 299}…", False),
        (answer(200, "<html>"), UnreadableError, "JSON is malformed: invalid character (byte 0), in b'<html>'", True),
        (answer(200, "[]"), UnreadableError, "Expected `object`, got `array`, in b'[]'", True),
        (answer(200, '{"a":'), UnreadableError, "Input data was truncated, in b'{\"a\":'", True),
        (cut, UnreachableError, "Server", True),
        (stream(b'{"metadata":{', broken=True), UnreachableError, "ClientPayloadError", True),
        (silence, UnreachableError, "TimeoutError", True),
    ],
)
async def test_what_goes_wrong_is_told_in_one_line(
    api: FakeApi, fault: Handler, kind: type[ClusterError], text: str, *, retryable: bool
) -> None:
    seconds = 0.05 if fault is silence else 20.0
    api.fault("get", fault, fault)  # what is safe to repeat is repeated once when a connection ends at once
    async with ClusterClient(api.configuration(), request_seconds=seconds) as client:
        with pytest.raises(kind) as raised:
            await client.get(f"{THINGS}/a")
    assert str(raised.value).startswith(text)
    assert "\n" not in str(raised.value)
    assert raised.value.retryable == retryable


async def test_how_long_to_wait_is_known(api: FakeApi, client: ClusterClient) -> None:
    api.fault("get", status(429, retry_after=3), status(429))
    for expected in (3, None):
        with pytest.raises(ApiError) as raised:
            await client.get(f"{THINGS}/a")
        assert raised.value.retry_after == expected


async def test_json_nested_without_end_is_unreadable(api: FakeApi, client: ClusterClient) -> None:
    api.fault("get", answer(200, '{"a":' * 100_000))
    with pytest.raises(UnreadableError, match="recursion"):
        await client.get(f"{THINGS}/a")


async def test_nobody_listens(api: FakeApi, unused_tcp_port: int) -> None:
    configuration = api.configuration()
    configuration.host = f"http://127.0.0.1:{unused_tcp_port}"
    async with ClusterClient(configuration) as client:
        with pytest.raises(UnreachableError, match="ClientConnectorError: Cannot connect"):
            await client.get(THINGS)


async def test_a_certificate_that_is_not_there(api: FakeApi) -> None:
    configuration = api.configuration()
    configuration.ssl_ca_cert = "/nowhere/ca.crt"
    with pytest.raises(CannotRunError, match="the certificates for http"):
        ClusterClient(configuration)


async def test_the_token_is_sent_and_asked_for_each_time(api: FakeApi) -> None:
    configuration = api.configuration()
    tokens = iter(("Bearer one", "Bearer two"))
    configuration.api_key["BearerToken"] = "Bearer none"
    configuration.refresh_api_key_hook = lambda each: each.api_key.update(BearerToken=next(tokens))
    async with ClusterClient(configuration) as client:
        await client.list(THINGS)
        await client.list(THINGS)
    assert [request.headers["Authorization"] for request in api.requests] == ["Bearer one", "Bearer two"]


async def test_a_watch_gives_what_happened_since(api: FakeApi, client: ClusterClient) -> None:
    api.apply(f"{THINGS}/a", thing("a"))
    since = (await client.list(THINGS)).resource_version
    api.apply(f"{THINGS}/b", thing("b"))
    api.apply(f"{THINGS}/a", thing("a", spec={"x": 1}))
    api.delete(f"{THINGS}/b")
    api.bookmark()
    async with client.watch(THINGS, since, 60) as events:
        told = [await anext(events) for _ in range(4)]
    assert [(each.type, each.object["metadata"].get("name")) for each in told] == [
        ("ADDED", "b"),
        ("MODIFIED", "a"),
        ("DELETED", "b"),
        ("BOOKMARK", None),
    ]
    assert told[3].object["metadata"]["resourceVersion"] == str(api.store.version)
    await api.until(lambda: not api.watching)


async def test_a_watch_ends_when_its_time_is_over(api: FakeApi, client: ClusterClient) -> None:
    async with client.watch(THINGS, "1", 0) as events:
        assert [event async for event in events] == []
    assert api.requests[0].query["timeoutSeconds"] == "0"


async def test_a_watch_from_too_long_ago_is_refused(api: FakeApi, client: ClusterClient) -> None:
    api.apply(f"{THINGS}/a", thing())
    api.store.compact()
    async with client.watch(THINGS, "1", 60) as events:
        with pytest.raises(ApiError, match="410 Expired: too old resource version: 1"):
            await anext(events)


GOOD = b'{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n'


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (stream(GOOD, GOOD[:20]), None),
        (stream(GOOD, GOOD[:20], broken=True), UnreachableError),
        (stream(GOOD, b"\n"), UnreadableError),
        (stream(GOOD, b'{"type":"ADDED","object":null}\n'), UnreadableError),
        (stream(GOOD, b'{"type":"ERROR","object":{"message":"no code"}}\n'), UnreadableError),
        (stream(GOOD, b'{"type":"ADDED","object":{"x":"' + b"x" * 2**22 + b'"}}\n'), UnreadableError),
    ],
)
async def test_what_a_watch_can_end_with(
    api: FakeApi, client: ClusterClient, fault: Handler, kind: type[ClusterError] | None
) -> None:
    api.fault("watch", fault)
    async with client.watch(THINGS, "1", 60) as events:
        assert (await anext(events)).object == {"metadata": {"name": "a"}}
        with pytest.raises(kind or StopAsyncIteration):
            await anext(events)


async def test_a_stuck_watch_is_given_up(api: FakeApi, client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "WATCH_GRACE", -0.95)
    with pytest.raises(UnreachableError, match="TimeoutError"):
        async with client.watch(THINGS, "1", 1) as events:
            await anext(events)
