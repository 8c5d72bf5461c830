"""The status of a rule: what the leader says of it. Kept by our own invariants, as any status should be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from rules.model import Model

ConditionType = Literal["Compiled", "Served", "Ready"]


class Condition(Model):
    """A condition, as the Kubernetes conventions say."""

    type: str = Field(description="Compiled: it is a valid rule. Served: it judges. Ready: the API server asks for it.")
    status: Literal["True", "False", "Unknown"] = Field(description="Whether it is so.")
    reason: str = Field(description="One word for why.")
    message: str = Field(description="A sentence for people: what is wrong and where.")
    last_transition_time: str = Field(
        description="When the status last changed.", json_schema_extra={"format": "date-time"}
    )
    observed_generation: int = Field(default=0, description="The generation of the rule that the condition is about.")


class PrefilterStatus(Model):
    """What the API server can decide without calling us."""

    mode: Literal["Full", "Partial", "Off"] = Field(
        description="Full: it calls for suspects only. Partial: also for what it cannot tell. Off: always.",
    )
    reason: str = Field(default="", description="Why it is not Full.")


_MAP_BY_TYPE: dict[str, Any] = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}


class RuleStatus(Model):
    """What became of the rule. Counts are in the metrics, where every replica's add up."""

    observed_generation: int = Field(default=0, description="The generation of the rule that the status is about.")
    conditions: Annotated[list[Condition], Field(max_length=8)] = Field(
        default_factory=list,
        description="Compiled, Served and Ready.",
        json_schema_extra=_MAP_BY_TYPE,
    )
    prefilter: PrefilterStatus | None = Field(default=None, description="What the API server decides by itself.")
