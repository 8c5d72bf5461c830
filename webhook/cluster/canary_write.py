"""The canary's way through the API server: a known bad write, as a dry-run, that we must be asked about and refuse.

The canary in readiness tells that this process judges. This one tells that the API server asks: that the configuration is in
force, the prefilter lets suspects through, and the call arrives. It is the status of one of our own rules that is written,
because that we may; an entry of its own, for this write only, brings it to us.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

import structlog

from rules.api import API_VERSION, GROUP
from rules.compile import compile_rule
from rules.native.prefilter import CONDITION, suspect
from rules.ruleset import RuleSet
from webhook.cluster.client import ClusterClient
from webhook.cluster.complaint import Complaint
from webhook.cluster.errors import ApiError, ClusterError

ENTRY: Final = "canary"
"""The last part of the path at which the API server brings us the canary's write."""

MANAGER: Final = "statusguard-canary"
"""The field manager by which the canary's entry knows its write."""

PERIOD: Final = 60.0
"""Seconds between two writes. Each leaves two lines in the API server's audit log."""

PATIENCE: Final = 3
"""Writes that must pass before that is said: a configuration is in force about a second after it was written."""

PAUSE: Final = 5.0
"""Seconds between those."""

RULE: Final = compile_rule(
    {
        "apiVersion": API_VERSION,
        "kind": "ClusterStatusRule",
        "metadata": {"name": MANAGER},
        "spec": {
            "matchConstraints": {
                "resourceRules": [
                    {"apiGroups": [GROUP], "apiVersions": ["v1alpha1"], "resources": ["clusterstatusrules/status"]}
                ]
            },
            "validationActions": ["Deny"],
            "invariants": [{"name": "generation", "observedGeneration": {"fields": ["status.observedGeneration"]}}],
        },
    }
)

RULES: Final = RuleSet([RULE])

_logger = structlog.stdlib.get_logger(__name__)


def match_conditions() -> list[dict[str, str]]:
    """Return the conditions of the canary's entry: its own writes only, and the prefilter that it tries."""
    options = "request.options"
    own = (
        f"has(request.dryRun) && request.dryRun && has({options}.fieldManager) && {options}.fieldManager == '{MANAGER}'"
    )
    return [
        {"name": "only-the-canary", "expression": own},
        {"name": CONDITION, "expression": suspect([RULE.source.spec]).text},
    ]


class CanaryWrite:
    """Sends the write now and then; `refused` says how the last one went: 1 refused by us, 0 let through, NaN unknown."""

    def __init__(self, client: ClusterClient, rules: Callable[[], Mapping[str, Any] | None]) -> None:
        """`rules` returns the manifest of any ClusterStatusRule, None if there is none to write to."""
        self._client = client
        self._any_rule = rules
        self._complaint = Complaint("the canary's write cannot be sent")
        self.refused = math.nan

    async def run(self) -> None:
        """Write until cancelled."""
        try:
            while True:
                await self._try()
                await asyncio.sleep(PAUSE if self._any_rule() is None else PERIOD)
        finally:
            self.refused = math.nan

    async def _try(self) -> None:
        for _ in range(PATIENCE):
            found = await self._send()
            if found != 0:
                self.refused = found
                return
            await asyncio.sleep(PAUSE)
        self.refused = 0.0
        _logger.error("a known bad write passed: the API server does not ask us, or its prefilter misses it")

    async def _send(self) -> float:
        """Write once, and return what became of it."""
        manifest = self._any_rule()
        if manifest is None:
            return math.nan
        metadata = manifest["metadata"]
        path = f"/apis/{API_VERSION}/clusterstatusrules/{metadata['name']}/status"
        body = {"status": {"observedGeneration": int(metadata.get("generation") or 0) + 1_000}}
        try:
            await self._client.merge(path, body, manager=MANAGER, dry_run=True)
        except ApiError as error:
            if error.status == HTTPStatus.CONFLICT and RULE.title in str(error):
                return 1.0
            self._complaint.make(error)
            return math.nan
        except ClusterError as error:
            self._complaint.make(error)
            return math.nan
        return 0.0
