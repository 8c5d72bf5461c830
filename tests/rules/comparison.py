"""What the compiled rules and what the oracle say of a write."""

from __future__ import annotations

from collections import Counter

from rules.compile import compile_rule
from rules.ruleset import judge as judge_compiled
from rules.values import MISSING
from rules.write import Request, Resource, Roots
from rules.write import Write as CompiledWrite
from tests.oracle import NO_PATCH, Write, judge

from .strategies import Case
from .strategies.invariants import Json

Broken = Counter[tuple[str, str]]


def said_by_rules(rule: Json, write: CompiledWrite) -> Broken:
    operations = ["CREATE", "UPDATE"]
    match = {"apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["things/status"], "operations": operations}
    document: Json = {
        "apiVersion": "statusguard.dev/v1alpha1",
        "kind": "ClusterStatusRule",
        "metadata": {"name": "r"},
        "spec": {"matchConstraints": {"resourceRules": [match]}, **rule},
    }
    [verdict] = judge_compiled([compile_rule(document)], write)
    if verdict.defect:
        raise verdict.defect
    assert verdict.error is None
    return Counter((violation.invariant, violation.field) for violation in verdict.violations)


def said_by_oracle(case: Case) -> Broken:
    return Counter((broken.invariant, broken.field) for broken in judge(case.rule, case.write))


def compiled(write: Write) -> CompiledWrite:
    request = Request(Resource("g", "v1", "things", "status"), operation=write.operation)
    patch = MISSING if write.patch is NO_PATCH else write.patch
    return CompiledWrite(request, Roots(write.new), Roots(write.old), patch)
