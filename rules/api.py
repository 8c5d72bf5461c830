"""The types of `statusguard.dev/v1alpha1`: what a rule document may say.

The words are those of ValidatingAdmissionPolicy wherever it has one. Whatever parses as these types compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field, create_model, field_validator, model_validator
from pydantic_core import PydanticCustomError

from rules.denial import Denial
from rules.invariants import KINDS
from rules.invariants.kind import Kind
from rules.match_conditions import MatchConditions
from rules.matching import LabelSelector, MatchConstraints
from rules.model import MAP_BY_NAME, MAX_INVARIANTS, MAX_PREDICATES, Model, ObjectName, Text, also_in_cel
from rules.predicates import Predicate

GROUP: Final = "statusguard.dev"
API_VERSION: Final = f"{GROUP}/v1alpha1"

Action: TypeAlias = Literal["Deny", "Warn", "Audit"]


class Exemptions(Model):
    """Writers who may repair: their writes are never judged, but counted."""

    users: Annotated[list[Text], Field(max_length=64)] = Field(default_factory=list, description="User names, whole.")
    groups: Annotated[list[Text], Field(max_length=64)] = Field(
        default_factory=list, description="Groups, whole names."
    )


class InvariantBase(Model):
    """One invariant: a name, when it is judged, and exactly one kind."""

    model_config = also_in_cel(
        (
            f"[{', '.join(f'has(self.{name})' for name in KINDS)}].filter(given, given).size() == 1",
            "holds exactly one kind",
        )
    )
    name: ObjectName = Field(description="The name of the invariant, in messages and metrics; unique in the rule.")
    when: Annotated[list[Predicate], Field(max_length=MAX_PREDICATES)] = Field(
        default_factory=list,
        description="Predicates that must all hold for the invariant to be judged.",
    )
    message: Text = Field(default="", description="A sentence before the default message of a violation.")

    @model_validator(mode="after")
    def _has_one_kind(self) -> InvariantBase:
        found = [name for name in KINDS if getattr(self, f"kind_{name}") is not None]
        if len(found) == 1:
            return self
        names = ", ".join(KINDS)
        empty = next((name for name in KINDS if f"kind_{name}" in self.model_fields_set), None)
        if not found and empty is not None:
            raise PydanticCustomError(
                "kind",
                "{name} has no value: one without settings is written {name}: {object}",
                {"name": empty, "object": "{}"},
            )
        if not found:
            raise PydanticCustomError("kind", "needs exactly one kind of: {names}", {"names": names})
        raise PydanticCustomError(
            "kind",
            "has {count} kinds ({found}), but an entry holds exactly one: make it several entries",
            {"count": len(found), "found": ", ".join(found)},
        )

    @property
    def spec(self) -> Kind:
        """The spec of the invariant's one kind."""
        found = (getattr(self, f"kind_{name}") for name in KINDS)
        return next(spec for spec in found if isinstance(spec, Kind))


def _invariant() -> type[InvariantBase]:
    fields: dict[str, Any] = {
        f"kind_{name}": (kind | None, Field(default=None, alias=name, description=(kind.__doc__ or "").splitlines()[0]))
        for name, kind in KINDS.items()
    }
    return create_model("Invariant", __base__=InvariantBase, __doc__=InvariantBase.__doc__, **fields)


if TYPE_CHECKING:
    Invariant: TypeAlias = InvariantBase
else:
    Invariant = _invariant()
    """`InvariantBase` with one optional member for each kind there is."""


def _audit() -> list[Action]:
    return ["Audit"]


class RuleSpec(Model):
    """What is judged, how, and what happens when it is broken."""

    model_config = also_in_cel(
        ("!('Deny' in self.validationActions && 'Warn' in self.validationActions)", "Deny and Warn exclude each other")
    )
    match_constraints: MatchConstraints = Field(description="Which writes the rule is about.")
    exemptions: Exemptions = Field(default_factory=Exemptions, description="Writers who are never judged.")
    match_conditions: MatchConditions = Field(
        default_factory=list,
        description="CEL conditions: all must hold, else the rule is skipped.",
        json_schema_extra=MAP_BY_NAME,
    )
    validation_actions: Annotated[list[Action], Field(min_length=1, max_length=3)] = Field(
        default_factory=_audit,
        json_schema_extra={"default": ["Audit"]},
        description="What a violation does: Deny refuses the write, Warn warns the writer, Audit only reports. Deny and Warn "
        "exclude each other.",
    )
    failure_policy: Literal["Ignore", "Fail"] = Field(
        default="Ignore",
        description="What happens to a write that cannot be judged. Ignore: it passes with a warning. Fail: it is refused.",
    )
    denial: Denial | None = Field(
        default=None,
        description="The code and reason of a denial. By default 409 Conflict where waiting for the cache cures what was "
        "broken, else 422 Invalid.",
    )
    enforce_while_deleting: bool = Field(
        default=False,
        description="Whether Deny and Warn stay what they are on an object that is being deleted; otherwise they become Audit.",
    )
    prefilter: Literal["Auto", "Off"] = Field(
        default="Auto",
        description="Auto: the API server calls the webhook for suspects only. Off: for every write, to count them; in quotes, "
        "because kubectl takes a bare Off for false.",
    )
    invariants: Annotated[list[Invariant], Field(min_length=1, max_length=MAX_INVARIANTS)] = Field(
        description="What must hold.",
        json_schema_extra=MAP_BY_NAME,
    )

    @field_validator("validation_actions")
    @classmethod
    def _actions_fit(cls, actions: list[Action]) -> list[Action]:
        if len(set(actions)) < len(actions):
            raise PydanticCustomError("actions", "an action is named twice")
        if {"Deny", "Warn"} <= set(actions):
            raise PydanticCustomError("actions", "Deny and Warn exclude each other: a denial says it already")
        return actions

    @field_validator("invariants")
    @classmethod
    def _names_differ(cls, invariants: list[InvariantBase]) -> list[InvariantBase]:
        names = [invariant.name for invariant in invariants]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise PydanticCustomError(
                    "duplicate-name", "two invariants are named {name}", {"name": name, "below": (index, "name")}
                )
        return invariants

    @property
    def action(self) -> Action:
        """The strongest of the actions: what a violation of the rule is counted as."""
        return next(action for action in ("Deny", "Warn", "Audit") if action in self.validation_actions)


class Metadata(Model):
    """The object's metadata, of which only the name and the namespace are read."""

    model_config = ConfigDict(extra="ignore")

    name: ObjectName = Field(description="The rule's name.")
    namespace: ObjectName | None = Field(default=None, description="The namespace of a StatusRule.")
    generation: int = 0


class _Rule(Model):
    api_version: Literal["statusguard.dev/v1alpha1"]
    metadata: Metadata
    spec: RuleSpec
    status: Any = None

    @property
    def title(self) -> str:
        """The rule's name as messages, metrics and suites say it: of a StatusRule with its namespace."""
        return f"{self.metadata.namespace}/{self.metadata.name}" if self.metadata.namespace else self.metadata.name


class ClusterStatusRule(_Rule):
    """A rule for objects of the whole cluster."""

    kind: Literal["ClusterStatusRule"]

    @field_validator("metadata")
    @classmethod
    def _has_no_namespace(cls, metadata: Metadata) -> Metadata:
        if metadata.namespace is not None:
            raise PydanticCustomError("namespace", "a ClusterStatusRule has no namespace; a StatusRule has one")
        return metadata


class StatusRule(_Rule):
    """A rule for objects of its own namespace only."""

    kind: Literal["StatusRule"]

    @field_validator("metadata")
    @classmethod
    def _has_namespace(cls, metadata: Metadata) -> Metadata:
        return metadata if metadata.namespace else metadata.model_copy(update={"namespace": "default"})

    @field_validator("spec")
    @classmethod
    def _may_not_fail(cls, spec: RuleSpec) -> RuleSpec:
        if spec.failure_policy == "Fail":
            raise PydanticCustomError(
                "failure-policy",
                "a StatusRule has failurePolicy Ignore: a namespace's owner may not block its writes",
                {"below": ("failurePolicy",)},
            )
        if spec.match_constraints.namespace_selector != LabelSelector():
            raise PydanticCustomError(
                "namespace-selector",
                "a StatusRule applies to its own namespace and takes no namespaceSelector",
                {"below": ("matchConstraints", "namespaceSelector")},
            )
        return spec


Rule: TypeAlias = ClusterStatusRule | StatusRule
RULE_KINDS: Final[dict[str, type[ClusterStatusRule | StatusRule]]] = {
    "ClusterStatusRule": ClusterStatusRule,
    "StatusRule": StatusRule,
}
