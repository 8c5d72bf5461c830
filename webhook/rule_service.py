"""Rules from files into the running server, and again whenever they change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog

from rules.api import Action
from rules.located import LocatedProblem, unreadable
from rules.ruleset import RuleSet
from webhook.observe.metrics import Metrics
from webhook.observe.rule_labels import labels_of
from webhook.reviewer import RuleReviewer
from webhook.rule_catalog import RuleCatalog
from webhook.rule_files import RuleFiles, Scan
from webhook.rule_loading import documents_of

INTERVAL: Final = 1.0
"""Seconds between two looks at the files: a change is served within two."""

_logger = structlog.get_logger()


class RuleService:
    """Keeps a reviewer's rules what the files say."""

    def __init__(self, paths: Sequence[Path], action: Action | None, metrics: Metrics) -> None:
        self._files = RuleFiles(paths)
        self._catalog = RuleCatalog()
        self._action = action
        self._metrics = metrics
        self.rules = RuleSet(())
        self.problems: tuple[LocatedProblem, ...] = ()

    def load(self) -> bool:
        """Look at the files, blocking; take up what changed. Returns whether anything did."""
        scan = self._files.scan()
        if scan.changed:
            self._take_up(scan)
        return scan.changed

    def _take_up(self, scan: Scan) -> None:
        served = self._catalog.update(documents_of(scan.files))
        rules = [rule.with_action(self._action) for rule in served.rules]
        self.rules = RuleSet(rules)
        self.problems = (*map(unreadable, scan.errors), *served.problems)
        self._metrics.declare_rules(labels_of(rules))
        self._metrics.rules(served=len(rules), broken=served.broken + len(scan.errors))
        self._metrics.reload(success=not self.problems)

    async def follow(self, reviewer: RuleReviewer) -> None:
        """Look at the files until cancelled, and exchange the reviewer's rules whole when they changed."""
        while True:
            await asyncio.sleep(INTERVAL)
            try:
                changed = await asyncio.to_thread(self.load)
            except Exception:
                _logger.exception("rules could not be loaded, the last good ones are served")
                continue
            if changed:
                reviewer.rules = self.rules
                self.report()

    def report(self) -> None:
        """Log what is served, and each problem once."""
        _logger.info("rules loaded", served=len(self.rules.rules), problems=len(self.problems))
        for problem in self.problems:
            _logger.error("broken rule", place=str(problem.place), problem=problem.message)
