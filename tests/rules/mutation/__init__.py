"""Tests of `rules.mutation`."""
