"""Tests of `rules.witness`."""
