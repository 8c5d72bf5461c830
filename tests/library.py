"""The ready-made rules."""

from __future__ import annotations

from pathlib import Path

import rules

LIBRARY = Path(rules.__file__).with_name("library")
