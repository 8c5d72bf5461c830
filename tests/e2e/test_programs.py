"""Says in one line that nothing here can run, where that is so: the other files are not even looked at then."""

from __future__ import annotations

import pytest

from .programs import NEEDED, missing, require

pytestmark = pytest.mark.e2e


def test_there_is_a_control_plane_to_start() -> None:
    require(*NEEDED)
    assert missing(*NEEDED) == []
