"""A fake API server, a client of it, and an informer that follows a collection there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.webhook.running import LogCapture
from webhook.cluster.client import ClusterClient

from .fake_api import FakeApi
from .followed import Followed, Following, at_work


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    async with FakeApi() as api:
        yield api


@pytest.fixture
async def client(api: FakeApi) -> AsyncIterator[ClusterClient]:
    async with ClusterClient(api.configuration()) as client:
        yield client


@pytest.fixture
def following(api: FakeApi, client: ClusterClient, log: LogCapture) -> Following:
    """Run an informer as long as the test needs it; it must not end by itself, nor log a bug."""

    @asynccontextmanager
    async def follow(*, bugs_expected: bool = False, **options: Any) -> AsyncIterator[Followed]:
        informer = Followed(client, api, **options)
        async with at_work(informer.run(), log, bugs_expected=bugs_expected):
            yield informer

    return follow
