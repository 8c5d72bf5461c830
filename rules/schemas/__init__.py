"""Schemas of resources: which paths of a rule lead to something, and to what."""
