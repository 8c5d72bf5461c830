"""A real Prometheus, and what it scrapes beside the server under test."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeAlias
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import yaml

from tests.command import PATIENCE
from tests.e2e.process import Process, running

from .monitoring import RULES

PROGRAM = shutil.which("prometheus")

SCRAPE_INTERVAL = "250ms"

JOB = "statusguard-metrics"
"""What the operator makes of our ServiceMonitor."""

Page: TypeAlias = Callable[[int], bytes]
"""Returns a page for the first, second, third ... scrape of it."""

_LISTENS = re.compile(r'msg="Listening on" address=127\.0\.0\.1:(\d+)')

_OF_THE_API_SERVER = """\
# TYPE apiserver_admission_match_condition_exclusions_total counter
apiserver_admission_match_condition_exclusions_total{kind="webhook",name="NAME",operation="UPDATE",type="validate"} 9
# TYPE apiserver_admission_match_condition_evaluation_errors_total counter
apiserver_admission_match_condition_evaluation_errors_total{kind="webhook",name="NAME",operation="UPDATE",type="validate"} 1
# TYPE apiserver_admission_webhook_admission_duration_seconds histogram
apiserver_admission_webhook_admission_duration_seconds_bucket{LABELS,le="0.005"} 2
apiserver_admission_webhook_admission_duration_seconds_bucket{LABELS,le="0.025"} 3
apiserver_admission_webhook_admission_duration_seconds_bucket{LABELS,le="+Inf"} 3
apiserver_admission_webhook_admission_duration_seconds_sum{LABELS} 0.02
apiserver_admission_webhook_admission_duration_seconds_count{LABELS} 3
# TYPE apiserver_admission_webhook_fail_open_count counter
apiserver_admission_webhook_fail_open_count{name="NAME",type="validating"} 1
# TYPE container_cpu_usage_seconds_total counter
container_cpu_usage_seconds_total{container="statusguard",namespace="statusguard",pod="statusguard-a"} 0.1
# TYPE container_memory_working_set_bytes gauge
container_memory_working_set_bytes{container="statusguard",namespace="statusguard",pod="statusguard-a"} 100000000
"""
"""What one second adds; with it that of the kubelet, since one target is enough."""

HOOK = "widgets-status.v1.example.test.ignore.0a1b2c3d.statusguard.dev"


def of_the_api_server(scrapes: int) -> bytes:
    """Return the metrics of an API server that has called us, and has done without, before each scrape."""
    text = _OF_THE_API_SERVER.replace("LABELS", 'name="NAME",operation="UPDATE",rejected="false",type="validating"')
    lines = (line.rpartition(" ") for line in text.replace("NAME", HOOK).splitlines())
    grown = (f"{what} {value if what.startswith('#') else float(value) * scrapes}" for what, _, value in lines)
    return "".join(f"{line}\n" for line in grown).encode()


class Pages(ThreadingHTTPServer):
    """Serves metrics that are not those of a process: of a stand-in for the API server, and of a second replica."""

    daemon_threads = True

    def __init__(self, pages: Mapping[str, Page]) -> None:
        """Give the pages by their path."""
        self.pages = pages
        self.scrapes = dict.fromkeys(pages, 0)
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: Pages

    def do_GET(self) -> None:
        self.server.scrapes[self.path] += 1
        body = self.server.pages[self.path](self.server.scrapes[self.path])
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Say nothing."""


@contextmanager
def serving_pages(pages: Mapping[str, Page]) -> Iterator[str]:
    """Serve metrics by path; yield the address."""
    with Pages(pages) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True)
class Prometheus:
    """A running Prometheus."""

    process: Process
    port: int

    def get(self, path: str, **parameters: str) -> Any:
        """Return the data of an answer; an AssertionError says what Prometheus does not like."""
        address = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urlencode(parameters)}"
        try:
            with urlopen(address, timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error

    def values(self, expr: str, at: float | None = None) -> list[float]:
        """Return the values of all series that a query finds at a time, else now."""
        found = self.get("query", query=expr, **({} if at is None else {"time": str(at)}))["result"]
        return [float(each["value"][1]) for each in found]

    def values_over_time(self, expr: str, start: float, end: float) -> list[float]:
        """Return the values of all series that a query finds in a range, one a second."""
        found = self.get("query_range", query=expr, start=str(start), end=str(end), step="1")["result"]
        return [float(value) for each in found for _, value in each["values"]]


@contextmanager
def prometheus(folder: Path, targets: list[dict[str, str]]) -> Iterator[Prometheus]:
    """Run a Prometheus with our alerts; each target is its labels, `__address__` among them."""
    assert PROGRAM is not None
    jobs = [
        {"targets": [each["__address__"]], "labels": {k: v for k, v in each.items() if k != "__address__"}}
        for each in targets
    ]
    config = {
        "global": {"scrape_interval": SCRAPE_INTERVAL, "evaluation_interval": "1s"},
        "rule_files": [str(RULES)],
        "scrape_configs": [{"job_name": "all", "static_configs": jobs}],
    }
    file, log = folder / "prometheus.yaml", folder / "prometheus.log"
    file.write_text(yaml.safe_dump(config))
    words = [
        PROGRAM,
        f"--config.file={file}",
        f"--storage.tsdb.path={folder / 'data'}",
        "--web.listen-address=127.0.0.1:0",
    ]
    with running(words, log) as process:
        process.until(lambda: "Server is ready to receive web requests" in log.read_text())
        found = _LISTENS.search(log.read_text())
        assert found is not None
        yield Prometheus(process, int(found[1]))
