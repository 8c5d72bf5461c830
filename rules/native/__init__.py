"""The rules in the API server's own words: CEL, from one source in each kind's file.

Two forms differ in one thing, what is said of values that CEL may judge otherwise than we do. *Exact* (`rules.native.exact`)
says whether a write is fine, for native policies. *Suspect* (`rules.native.suspect`) gives such values up: it is true of any
write that may not be fine, cannot fail, and is cheap: the prefilter of the webhook.
"""
