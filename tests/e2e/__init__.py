"""Statusguard on a real kube-apiserver, started by the tests themselves. Skipped where its programs are missing."""
