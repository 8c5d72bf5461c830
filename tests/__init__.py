"""Tests, laid out as the two packages are."""
