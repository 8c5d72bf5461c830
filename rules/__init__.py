"""The rule language: what a rule is, what it means, and whether a write breaks it.

This package is pure. It does no I/O and knows no web server and no cluster: every source of writes makes a
`rules.write.Write`, the rule set judges it, and whoever asked gets `rules.violation.Violation`s.
"""
