"""Status patches a second on a real API server: without a webhook, behind a prefilter, with a native policy, with calls.

    python benchmarks/prefilter.py --writers 8 --rounds 1500 --seconds 0.1

All four are asked in one run on one API server, in slices so short that whatever else slows the machine down slows all of them
down: its speed may differ by a sixth from second to second, which is more than what is to be seen. Without a webhook and behind
the prefilter come in each round, one after the other, the others in each third, in an order that is drawn anew. The programs of
a control plane are where the tests look for them (KUBEBUILDER_ASSETS). Writers, API server, etcd and webhook share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from rules.compile import compile_rule
from rules.native.vap import policy
from tests.e2e.api import MERGE, Api, done
from tests.e2e.control_plane import CONTROLLER, ControlPlane
from tests.e2e.install import apply, install
from tests.e2e.kept import KeptApi, kept
from tests.e2e.process import eventually
from tests.e2e.replica import Replica, replica
from tests.e2e.rules import Rules, rule

GROUP: Final = "bench.example.test"
NAMESPACE: Final = "bench"
WAYS: Final = {
    "nothings": "no webhook",
    "prefiltereds": "behind the prefilter",
    "policies": "ValidatingAdmissionPolicy",
    "calleds": "a webhook that is always called",
}
"""A kind for each way, and what it is."""

OTHERS: Final = 3
"""The others than the first two are asked in each such round."""

WARM_UP: Final = 3.0
"""Seconds."""

CONDITIONS: Final = 8
_FIELDS: Final[tuple[dict[str, Any], ...]] = (
    {"name": "generation", "observedGeneration": {"fields": ["status.observedGeneration"]}},
    {"name": "counters", "relation": {"holds": ["status.readyReplicas <= status.replicas"]}},
    {"name": "phase", "transitions": {"field": "status.phase", "terminal": ["Done"]}},
)
RULES: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "fields": _FIELDS,
    "conditions": (*_FIELDS, {"name": "generations", "observedGeneration": {}}, {"name": "times", "conditions": {}}),
}
"""What is demanded: of three fields, or of all conditions as well, each of which every write changes."""


def define(api: Api) -> None:
    """Define a kind for each way, all alike."""
    apply(api, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    loose = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": loose, "status": loose}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    for plural in WAYS:
        kind = plural.removesuffix("s").title()
        names = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"}
        versions = [{**version, "subresources": {"status": {}}}]
        spec = {"group": GROUP, "scope": "Namespaced", "names": names, "versions": versions}
        metadata = {"name": f"{plural}.{GROUP}"}
        definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata}
        apply(api, definition | {"spec": spec})
    eventually(lambda: all(api.exists(collection(plural)) for plural in WAYS))


def collection(plural: str) -> str:
    return f"/apis/{GROUP}/v1/namespaces/{NAMESPACE}/{plural}"


def judged(plural: str, demands: str, **spec: Any) -> dict[str, Any]:
    """Return the rule for a kind."""
    resources = [{"apiGroups": [GROUP], "apiVersions": ["v1"], "resources": [f"{plural}/status"]}]
    return rule(plural, GROUP, *RULES[demands], matchConstraints={"resourceRules": resources}, **spec)


def guard(api: Api, rules: Rules, demands: str) -> None:
    """Put the rule in force three ways, and wait until each of them refuses a bad write."""
    rules.serve(judged("prefiltereds", demands))
    rules.serve(judged("calleds", demands, prefilter="Off"))
    for document in policy(compile_rule(judged("policies", demands)).source).documents():
        apply(api, document)
    for plural in list(WAYS)[1:]:
        path = f"{collection(plural)}/writer-0/status"
        eventually(partial(_is_refused, api, path))


def _is_refused(api: Api, path: str) -> bool:
    bad = {"status": {"readyReplicas": 1_000_000_000}}
    return api.call("PATCH", path, bad, MERGE, {"dryRun": "All"}).code in (409, 422)


def status(number: int, size: int) -> dict[str, Any]:
    """Return an honest status, another one for each number, of about that many bytes."""
    texts = {"reason": "AsExpected", "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1}
    message = "x" * max(0, size // CONDITIONS - 160)
    conditions = [
        {"type": f"Type{each}", "status": "True", "message": f"{message}{number}", **texts}
        for each in range(CONDITIONS)
    ]
    counters = {"replicas": 5 + number, "readyReplicas": 3, "observedGeneration": 1, "phase": "Running"}
    return {**counters, "conditions": conditions}


@dataclass
class Writer:
    """One controller: its connection, and its object of each kind."""

    api: KeptApi
    name: str
    size: int
    numbers: Iterator[int]

    def create(self) -> None:
        for plural in WAYS:
            kind = plural.removesuffix("s").title()
            body = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": self.name}, "spec": {"size": 1}}
            self.api.create(collection(plural), body)
            done(self.api.merge(f"{collection(plural)}/{self.name}/status", {"status": status(0, self.size)}))

    def write_until(self, plural: str, end: float) -> int:
        """Patch the status again and again; return how often."""
        path, written = f"{collection(plural)}/{self.name}/status", 0
        while time.perf_counter() < end:
            answer = self.api.call("PATCH", path, {"status": status(next(self.numbers), self.size)}, MERGE)
            assert answer.code == 200, answer
            written += 1
        return written


@dataclass(frozen=True)
class Slice:
    """What was seen in a slice of time: patches a second, and milliseconds of the API server's processors for each."""

    speed: float
    milliseconds: float


def measure(writers: Sequence[Writer], threads: ThreadPoolExecutor, plural: str, seconds: float, pid: int) -> Slice:
    """Let all writers write at once."""
    used, start = processor_time(pid), time.perf_counter()
    written = sum(threads.map(lambda each: each.write_until(plural, start + seconds), writers))
    took = time.perf_counter() - start
    return Slice(written / took, 1_000 * (processor_time(pid) - used) / written)


def processor_time(pid: int) -> float:
    """Return the seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interval(slices: Sequence[Slice], nothings: Sequence[Slice]) -> tuple[float, float, float]:
    """Return how fast slices are, of those without a webhook, and between what bounds that lies with 95 % (bootstrap)."""
    draw, pairs = random.Random(1), list(zip(slices, nothings, strict=True))

    def ratio(drawn: Sequence[tuple[Slice, Slice]]) -> float:
        return sum(one.speed for one, _ in drawn) / sum(none.speed for _, none in drawn)

    drawn = statistics.quantiles((ratio(draw.choices(pairs, k=len(pairs))) for _ in range(1_000)), n=40)
    return ratio(pairs), drawn[0], drawn[-1]


def calls(running: Replica) -> dict[str, float]:
    return {each: running.count("statusguard_requests_total", group=GROUP, resource=each) for each in WAYS}


@contextmanager
def cluster() -> Iterator[tuple[ControlPlane, Replica]]:
    """Run a control plane, and Statusguard as a process that it reaches through a Service."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        plane = ControlPlane(folder, stack)
        install(plane.admin)
        define(plane.admin)
        yield plane, stack.enter_context(replica(plane, folder / "statusguard.log"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=1_500)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--bytes", type=int, default=3_000)
    parser.add_argument(
        "--rule", choices=RULES, default="fields", help="what is demanded: of fields, or of conditions too"
    )
    arguments = parser.parse_args()
    found: dict[str, list[Slice]] = {plural: [] for plural in WAYS}
    with cluster() as (plane, running), ExitStack() as stack:
        numbers = count(1)
        writers = [
            Writer(stack.enter_context(closing(kept(plane, CONTROLLER))), f"writer-{each}", arguments.bytes, numbers)
            for each in range(arguments.writers)
        ]
        threads = stack.enter_context(ThreadPoolExecutor(arguments.writers))
        list(threads.map(Writer.create, writers))
        guard(plane.admin, Rules(plane.admin), arguments.rule)
        stored = len(json.dumps(plane.admin.get(f"{collection('nothings')}/writer-0")))
        for plural in WAYS:
            measure(writers, threads, plural, WARM_UP, plane.pid)
        before, order = calls(running), random.Random(arguments.rounds)
        for turn in range(arguments.rounds):
            pair, others = order.sample(list(WAYS)[:2], 2), order.sample(list(WAYS)[2:], 2)
            for plural in [*pair, *(others if turn % OTHERS == 0 else ())]:
                found[plural].append(measure(writers, threads, plural, arguments.seconds, plane.pid))
        called = {plural: number - before[plural] for plural, number in calls(running).items()}
    print(
        f"{arguments.writers} writers, objects of {stored} bytes, {arguments.rounds} rounds, slices of {arguments.seconds:g} s,"
    )
    print(f"load average at the end {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"{'':32} patches/s   of no webhook (95 %)       API server     calls")
    for plural, way in WAYS.items():
        beside = found["nothings"] if plural in list(WAYS)[:2] else found["nothings"][::OTHERS]
        ratio, low, high = interval(found[plural], beside)
        speed = statistics.mean(each.speed for each in found[plural])
        cost = statistics.mean(each.milliseconds for each in found[plural])
        told = f"{ratio:.3f} ({low:.3f} to {high:.3f})"
        print(f"{way:32} {speed:9.0f}   {told:26} {cost:6.3f} ms {called[plural]:9.0f}")


if __name__ == "__main__":
    main()
