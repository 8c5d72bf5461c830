"""What it costs to decode a review and judge it, on one core: `make bench`.

Three reviews: one that no rule matches, one of 4 KB as a Pulumi operator sends it, and one with two lists of 200 conditions.
Each figure is the best of several runs, in microseconds of processor time for one review.
"""

from __future__ import annotations

import json
import time
import timeit
from collections.abc import Callable
from importlib.resources import as_file, files
from typing import Any

from rules.ruleset import RuleSet
from webhook.commands.demo import recorded_writes
from webhook.display import Display
from webhook.message import Wording
from webhook.observe.metrics import Metrics
from webhook.observe.rule_labels import labels_of
from webhook.review import decode
from webhook.reviewer import RuleReviewer
from webhook.rule_loading import load_good

ROUNDS, REVIEWS = 7, 1_000


def conditions(count: int, generation: int) -> list[dict[str, Any]]:
    return [
        {
            "type": f"Condition{index}",
            "status": "True",
            "reason": "Done",
            "message": "a message of usual length that says what was done",
            "observedGeneration": generation,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for index in range(count)
    ]


def large(review: bytes) -> bytes:
    """Return a review with 200 conditions on either side, of which one changed."""
    document = json.loads(review)
    for side in ("oldObject", "object"):
        document["request"][side]["status"]["conditions"] = conditions(200, 2)
    document["request"]["object"]["status"]["conditions"][100]["reason"] = "DoneAgain"
    return json.dumps(document, separators=(",", ":")).encode()


def unmatched(review: bytes) -> bytes:
    document = json.loads(review)
    document["request"]["resource"]["resource"] = "widgets"
    document["request"]["subResource"] = "scale"
    return json.dumps(document, separators=(",", ":")).encode()


def measure(name: str, body: bytes, call: Callable[[], object]) -> None:
    best = min(timeit.repeat(call, timer=time.process_time, number=REVIEWS, repeat=ROUNDS)) / REVIEWS
    print(f"{name:<44} {len(body):>8,} bytes {best * 1e6:>9.1f} us")


def main() -> None:
    with as_file(files("rules") / "library") as library:
        rules = load_good([library])
    metrics = Metrics()
    metrics.declare_rules(labels_of(rules))
    reviewer = RuleReviewer(RuleSet(rules), Wording(Display()), metrics)
    writes = list(recorded_writes())
    honest = bytes(next(write.review for write in writes if write.write == "one replica is lost"))
    bad = bytes(next(write.review for write in writes if write.write.startswith("a forced apply")))
    many = large(honest)
    other = unmatched(honest)
    print(f"{len(rules)} rules; best of {ROUNDS} runs of {REVIEWS} reviews, one core")
    measure("decode only", honest, lambda: decode(honest))
    measure("no rule matches", other, lambda: reviewer.review(other, None))
    measure("honest write, allowed", honest, lambda: reviewer.review(honest, None))
    measure("stale write, three violations, reported", bad, lambda: reviewer.review(bad, None))
    measure("honest write, 200 conditions on either side", many, lambda: reviewer.review(many, None))


if __name__ == "__main__":
    main()
