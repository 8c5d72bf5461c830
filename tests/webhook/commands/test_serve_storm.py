"""What a storm of bad writes leaves of a real server: few lines, bounded memory and series, and exact counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.webhook.serving_process import ServeProcess, serve_process
from tests.widgets import review, rule
from webhook.observe.turns import MAX_BREACHES, MAX_OBJECTS
from webhook.observe.writer_counts import MAX_WRITERS

WRITES = 10_000
WARM_UP = 500
"""Writes after which what a server needs at all is there."""

ROOM = 8_000_000
"""Bytes by which a server may grow."""

_TEMPLATE = review(5, 2, name="NAME", userInfo={"username": "WRITER"})


def bad(name: str = "w", writer: str = "controller") -> bytes:
    return _TEMPLATE.replace(b'"NAME"', json.dumps(name).encode()).replace(b'"WRITER"', json.dumps(writer).encode())


def one_object(number: int) -> bytes:
    return bad()


def many_objects(number: int) -> bytes:
    return bad(name=f"w-{number}")


def many_writers(number: int) -> bytes:
    return bad(writer=f"{number}\n\x1b[2J\u202e{'x' * 1_000}")


def memory(server: ServeProcess) -> int:
    """Return the bytes of memory that a process has."""
    status = Path(f"/proc/{server.process.pid}/status")
    if not status.exists():
        pytest.skip("no /proc")
    return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith("VmRSS"))


def scrape(server: ServeProcess) -> dict[str, float]:
    """Return the value of every series."""
    samples = (line.rpartition(" ") for line in server.metrics() if not line.startswith("#"))
    return {series: float(value) for series, _, value in samples}


def total(scraped: dict[str, float], name: str) -> float:
    return sum(value for series, value in scraped.items() if series.partition("{")[0] == f"statusguard_{name}_total")


@pytest.mark.parametrize(
    ("storm", "lines", "writers"),
    [(one_object, 1, 1), (many_objects, MAX_OBJECTS, 1), (many_writers, MAX_BREACHES, MAX_WRITERS)],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_ten_thousand_bad_writes_leave_few_lines_little_memory_and_exact_counts(
    storm: Callable[[int], bytes], lines: int, writers: int, tmp_path: Path
) -> None:
    (tmp_path / "rule.yaml").write_text(rule("widgets"))
    with serve_process("--rules", tmp_path) as server:
        for reply in server.replies(map(storm, range(WARM_UP))):
            assert reply.status == 200
        before, needed = scrape(server), memory(server)
        for reply in server.replies(map(storm, range(WARM_UP, WRITES))):
            assert reply.status == 200
        assert memory(server) < needed + ROOM
        after = scrape(server)
        server.stop()
    assert len(after) == len(before)
    assert sum(series.startswith("statusguard_writer_violations_total") for series in after) == writers + 1
    for name in ("requests", "violations", "writer_violations"):
        assert total(after, name) == WRITES
    assert after['statusguard_regression_generations_sum{rule="widgets"}'] == 3 * WRITES
    assert total(after, "queue_dropped") == 0
    said = len(server.events("violation"))
    held_back = [event["count"] for event in server.events("violations held back")]
    assert said + sum(held_back) == WRITES
    # A machine on which this takes longer than the window says it twice.
    assert said <= 2 * lines
    assert len(held_back) <= 2 * lines + 2
