"""The read-only web page on the ops port: which rules are served, what was broken lately and by whom, and how often."""
