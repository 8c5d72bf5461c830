"""Writes that show what a rule does: for each invariant one that passes and one that breaks it, found by trying.

The compiled rule is the only judge of what passes and what breaks (`trial`). `target` finds a request that the rule concerns,
`slots` are the places in the objects that an invariant reads, `candidates` are writes that differ in them. `search` picks the
smallest that breaks and one like it that passes, `audited` does so for patches in an audit log, `cases` writes them as cases of
a suite; `witnesses` does it all for a rule.
"""
