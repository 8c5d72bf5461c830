"""Declarative test suites: the document type, and how one is made ready to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from rules.api import RULE_KINDS
from rules.compile import CompiledRule, compile_rule
from rules.diagnosis import problems, shown, suggestion
from rules.documents import Document
from rules.located import LocatedProblem, locate
from rules.model import Model
from rules.problem import InvalidRuleError, Location, Problem
from rules.ruleset import RuleSet

KIND: Final = "StatusRuleTest"

API_GROUP: Final = "statusguard.dev"
"""The group of the apiVersion of rules and suites."""


class User(Model):
    """Who writes."""

    username: str = Field(default="statusguard-test", description="The user name.")
    groups: list[str] = Field(default_factory=list, description="The user's groups.")


class ResourceName(Model):
    """What is written to, in full."""

    group: str | None = Field(default=None, description="By default the object's.")
    version: str | None = Field(default=None, description="By default the object's.")
    resource: str = Field(description="The plural.")


def _resource(value: Any) -> Any:
    return {"resource": value} if isinstance(value, str) else value


class CaseRequest(Model):
    """The request of a case; every part has a default that follows from the objects."""

    resource: Annotated[ResourceName, BeforeValidator(_resource)] | None = Field(
        default=None,
        description="A plural, or group, version and resource; by default from the object's apiVersion and kind.",
    )
    subresource: str | None = Field(
        default=None,
        description='"status" by default, "" if the write creates the object.',
    )
    operation: Literal["UPDATE", "CREATE"] | None = Field(
        default=None, description="CREATE by default if `old` is absent."
    )
    user: User = Field(default_factory=User, description="Who writes.")
    field_manager: str = Field(default="", description="The field manager that the writer named.")
    dry_run: bool = Field(default=False, description="Whether the write is a dry run.")
    namespace_labels: dict[str, str] | None = Field(default=None, description="Labels of the object's namespace.")


class ExpectedViolation(Model):
    """A violation that is expected; without `field` any field of the invariant will do."""

    rule: str = Field(description="The rule's name (of a StatusRule: namespace/name).")
    invariant: str = Field(description="The invariant's name.")
    field: str | None = Field(default=None, description="The concrete field.")


class Expectation(Model):
    """What must come out; what is left out is not compared."""

    allowed: bool | None = Field(default=None, description="Whether the write passes.")
    code: int | None = Field(default=None, description="The code of the denial.")
    warnings: int | None = Field(default=None, description="How many warnings the writer gets.")
    violations: list[ExpectedViolation] | None = Field(
        default=None,
        description="Exactly the violations, in any order.",
    )


class Case(Model):
    """One write and what must come of it."""

    name: str = Field(description="What the case shows.")
    source: Literal["admission", "audit"] = Field(
        default="admission",
        description="Where the write is seen. audit: `patch` is the body in the audit event, and coUpdate.patch is judged too.",
    )
    old: dict[str, Any] | None = Field(default=None, description="The object before; absent if the write creates it.")
    object: dict[str, Any] | None = Field(default=None, description="The whole object after the write.")
    patch: dict[str, Any] | None = Field(
        default=None,
        description="A JSON merge patch onto `old`, metadata too, from which the object follows.",
    )
    request: CaseRequest = Field(default_factory=CaseRequest, description="Who wants what.")
    expect: Expectation = Field(description="What must come out.")

    @model_validator(mode="after")
    def _says_the_write(self) -> Case:
        if (self.object is None) == (self.patch is None):
            raise PydanticCustomError("case", "needs `object` or `patch`, one of them")
        if self.patch is not None and self.old is None:
            raise PydanticCustomError("case", "`patch` needs an `old` that it is a patch of")
        others = (self.expect.allowed, self.expect.code, self.expect.warnings)
        if self.source == "audit" and any(other is not None for other in others):
            raise PydanticCustomError(
                "case", "seen in the audit log a write has happened: expect `violations` only", {"below": ("expect",)}
            )
        return self


class SuiteMetadata(Model):
    """The suite's metadata, of which only the name is read."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(description="The suite's name.")


class StatusRuleTest(Model):
    """A suite: rules, and cases that show what they do."""

    api_version: Literal["statusguard.dev/v1alpha1"]
    kind: Literal["StatusRuleTest"]
    metadata: SuiteMetadata = Field(description="Its name.")
    rules: list[dict[str, Any] | str] = Field(min_length=1, description="Rule documents, or paths of rule files.")
    cases: list[Case] = Field(min_length=1, description="The cases.")


class SuiteError(Exception):
    """A suite that cannot be run; `problems` says where and why."""

    def __init__(self, found: tuple[LocatedProblem, ...]) -> None:
        super().__init__("; ".join(map(str, found)))
        self.problems = found


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite that is ready to run; cases with where they are in the document."""

    name: str
    rules: RuleSet
    cases: tuple[Case, ...]
    document: Document


def load(document: Document, read_rules: Callable[[str], list[Document]]) -> Suite:
    """Return the suite in a document.

    `read_rules` returns the documents of a rule file that the suite names. Raises SuiteError, and DocumentError and OSError of
    `read_rules`.
    """
    try:
        suite = StatusRuleTest.model_validate(document.data)
    except ValidationError as error:
        raise SuiteError(tuple(locate(each, document) for each in problems(error, StatusRuleTest))) from None
    compiled: list[CompiledRule] = []
    for index, rule in enumerate(suite.rules):
        if isinstance(rule, str):
            found = [_compiled(each, ()) for each in read_rules(rule) if is_rule(each.data)]
            if not found:
                raise SuiteError(
                    (locate(Problem(("rules", index), "there is no rule in this file", "no-rule"), document),)
                )
            compiled += found
        else:
            compiled.append(_compiled(document, ("rules", index)))
    titles = [rule.title for rule in compiled]
    twice = next((title for title in titles if titles.count(title) > 1), None)
    if twice is not None:
        raise SuiteError((locate(Problem(("rules",), f"two rules are named {twice}", "duplicate-rule"), document),))
    return Suite(suite.metadata.name, RuleSet(compiled), tuple(suite.cases), document)


def _compiled(document: Document, below: Location) -> CompiledRule:
    data = document.data
    for step in below:
        data = data[step]
    try:
        return compile_rule(data)
    except InvalidRuleError as error:
        raise SuiteError(tuple(locate(problem, document, below) for problem in error.problems)) from None


def is_rule(data: Any) -> bool:
    """Whether a document says of itself that it is one of our rules, valid or not."""
    kind = data.get("kind") if isinstance(data, Mapping) else None
    return isinstance(kind, str) and kind in RULE_KINDS


def misnamed(document: Document) -> LocatedProblem | None:
    """Return what is wrong with a document of our API group that is of none of its kinds, as a misspelt rule or suite is.

    Such a document is nobody else's, so passing it over would leave out a rule in silence.
    """
    data = document.data
    if not isinstance(data, Mapping) or is_rule(data) or is_suite(data):
        return None
    api_version = data.get("apiVersion")
    if not isinstance(api_version, str) or api_version.partition("/")[0] != API_GROUP:
        return None
    kinds = [*RULE_KINDS, KIND]
    kind = data.get("kind")
    hint = suggestion(kind, kinds) if isinstance(kind, str) else ""
    return locate(Problem(("kind",), f"kind is {shown(kind)}, expected {' or '.join(kinds)}{hint}", "kind"), document)


def is_suite(data: Any) -> bool:
    """Whether a document says of itself that it is a suite, valid or not."""
    return isinstance(data, Mapping) and data.get("kind") == KIND
