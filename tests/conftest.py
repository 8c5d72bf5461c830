"""How hard hypothesis tries, by the profile that STATUSGUARD_HYPOTHESIS names; and who of several workers runs what."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

settings.register_profile(
    "default",
    max_examples=100,
    deadline=None,  # one slow example on a busy machine is no failure
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=10_000)
settings.load_profile(os.environ.get("STATUSGUARD_HYPOTHESIS", "default"))


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Gives every test to whoever is free, but all those on a real API server to one worker: it starts one."""

    def _split_scope(self, nodeid: str) -> str:
        return "e2e" if nodeid.startswith("tests/e2e/") else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return Scheduling(config, log)
