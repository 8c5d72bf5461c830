from __future__ import annotations

import resource

import pytest

from webhook.limits import Limits


@pytest.mark.parametrize(
    ("descriptors", "connections"),
    [(resource.RLIM_INFINITY, 1024), (1 << 20, 1024), (1024, 480), (100, 18), (10, 1)],
)
def test_no_more_connections_than_there_are_descriptors_for(
    monkeypatch: pytest.MonkeyPatch, descriptors: int, connections: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (descriptors, descriptors))
    assert Limits().affordable_connections() == connections


def test_we_keep_idle_connections_longer_than_gos_client_does() -> None:
    assert Limits().idle > 90
