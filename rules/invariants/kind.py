"""What a kind of invariant is: one class in one file of this package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from rules.check import Checks
from rules.model import Model
from rules.native.form import Clause, Form
from rules.problem import Problem
from rules.samples import Samples, plausible


class Kind(Model, ABC):
    """The spec of one kind of invariant, and everything that the kind knows about itself.

    A subclass is the type of the member `name` of an invariant in a rule document. Its docstring is the kind's summary in the
    reference; its fields are described where they are declared.
    """

    name: ClassVar[str]
    """The member of an invariant that holds the spec: `coUpdate`."""

    cured_by_waiting: ClassVar[bool]
    """Whether a violation goes away when the writer's cache has caught up: then a denial is 409 Conflict, else 422 Invalid."""

    @abstractmethod
    def compile(self) -> Checks:
        """Return the checks that the spec asks for."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """Return what the spec demands, in plain sentences."""

    @abstractmethod
    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield what the spec demands in CEL, in whatever form is asked for."""

    def judges_patches(self) -> bool:
        """Tell whether the body of a patch, which only an audit log has, is evidence."""
        return False

    def samples(self) -> list[Samples]:
        """Return values by which `explain` finds examples: fields that a check reads together, each with values to try.

        By default each field by itself, with values that fit its name.
        """
        return [{path: plausible(path)} for path in self.compile().paths]

    def warnings(self) -> Iterator[Problem]:
        """Yield what the spec cannot see or may judge wrongly; locations start at the spec."""
        yield from ()
