"""Writes spoilt on purpose: whether the rules of a file notice, and why not where they need not.

Where `rules.witness` invents writes that break a rule, this package takes the honest writes of a suite and spoils what each
invariant reads: a counter is put back, an item dropped, a state moved. `places` finds and sets what a path leads to, `mutants`
spoils it, `claims` says for each part of an invariant which ways of spoiling it must notice and why it need not notice the
others, and `trials` brings them together. The compiled rule is the only judge.
"""
