from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.case_result import differences
from rules.case_write import write_of
from rules.compile import compile_rule
from rules.documents import Document, parse
from rules.ruleset import judge
from rules.suite import load
from tests.rules.judging import snippet
from tests.rules.strategies.invariants import guarded
from tests.rules.strategies.kinds import KINDS
from webhook.commands.test import _outcome
from webhook.explanation import Explanation, explain

_STACKS = {"apiGroups": ["pulumi.com"], "apiVersions": ["v1"], "resources": ["stacks/status"]}


def explained(*invariants: Any, **spec: Any) -> Explanation:
    entries = [{"name": f"i{index}", **invariant} for index, invariant in enumerate(invariants)]
    document = {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": "r"},
        "spec": {"matchConstraints": {"resourceRules": [_STACKS]}, "invariants": entries, **spec},
    }
    return explain(compile_rule(document), document)


def said(invariant: str, **spec: Any) -> list[str]:
    (found,) = explained(snippet(invariant), **spec).invariants
    return found.sentences
