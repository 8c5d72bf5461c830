"""What `serve` says once it listens: a line for a person, or an event where programs read the log."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from webhook.output import error_line

TRY = '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"try"}}'
"""A review that needs no file, and of which every server can say something: no rule is about it, so it is allowed."""

_logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Greeting:
    """Says that the server listens. `for_people`: whether the log is for people."""

    for_people: bool

    def of_files(self, host: str, port: int, ops_port: int, rules: int) -> None:
        """Say where reviews are judged by so many rules from files, and to people how to try that."""
        name = "localhost" if host in {"0.0.0.0", "::"} else host  # noqa: S104  compared, not bound
        url = f"https://{f'[{name}]' if ':' in name else name}:{port}/validate"
        if self.for_people:
            error_line(
                f"Statusguard judges by {rules} rules at {url} (metrics and health on port {ops_port}); try: "
                f"curl -k -H 'Content-Type: application/json' -d '{TRY}' {url}"
            )
        else:
            _logger.info("serving", rules=rules, url=url, ops_port=ops_port)

    def of_cluster(self, port: int, ops_port: int) -> None:
        """Say where reviews are judged by the rules of the cluster."""
        if self.for_people:
            error_line(
                f"Statusguard judges by the rules of the cluster on port {port}, metrics and health on {ops_port}"
            )
        else:
            _logger.info("serving", port=port, ops_port=ops_port)
