"""`statusguard` that rotates its certificate in seconds where it takes a minute and an hour."""

from __future__ import annotations

import sys

from webhook.cli import main
from webhook.cluster import certificate_rotation, certificate_rotator

certificate_rotation.PROPAGATION = 3.0  # type: ignore[misc]
certificate_rotation.RETIREMENT = 3.0  # type: ignore[misc]
certificate_rotator.INTERVAL = 0.2  # type: ignore[misc]

if __name__ == "__main__":
    sys.exit(main())
