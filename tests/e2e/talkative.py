"""Runs Statusguard with reports written every second and Events updated every other: nobody waits ten of them in a test."""

from __future__ import annotations

import sys

from webhook.cli import main
from webhook.observe import event_series, reports

if __name__ == "__main__":
    event_series.UPDATE_SECONDS = 2.0  # type: ignore[misc]
    reports.BATCH_SECONDS = 1.0  # type: ignore[misc]
    sys.exit(main())
