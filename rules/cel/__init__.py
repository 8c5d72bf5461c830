"""CEL in rules: expressions that are checked, priced, and evaluated over no more than they read.

`program` is what the rest of the package uses. The engine is an extra behind the protocol in `language`; everything else makes
it safe: `tree` and `wire` read what the engine compiled, `reads` finds what an expression reads, `size`, `functions` and `cost`
bound what it can cost, `subset` and `patterns` refuse what cannot be bounded.
"""
