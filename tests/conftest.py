"""How hard hypothesis tries: STATUSGUARD_HYPOTHESIS names the profile."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    max_examples=100,
    deadline=None,  # one slow example on a busy machine is no failure
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=10_000)
settings.load_profile(os.environ.get("STATUSGUARD_HYPOTHESIS", "default"))
