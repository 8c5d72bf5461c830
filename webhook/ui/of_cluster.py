"""What is served by rules from the cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rules.api import API_VERSION
from webhook.cluster.cluster_rules import ClusterRule, Identity
from webhook.cluster.leader import Leader
from webhook.cluster.rule_source import RuleSource
from webhook.ui.inventory import Fact, Inventory, ShownRule, State, readiness
