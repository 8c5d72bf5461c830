"""A fake API server and a client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from webhook.cluster.client import ClusterClient

from .fake_api import FakeApi


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    async with FakeApi() as api:
        yield api


@pytest.fixture
async def client(api: FakeApi) -> AsyncIterator[ClusterClient]:
    async with ClusterClient(api.configuration()) as client:
        yield client
