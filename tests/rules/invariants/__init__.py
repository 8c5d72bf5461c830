"""Tests of the kinds of invariants, a module for each."""
