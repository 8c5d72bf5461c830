"""cel: the escape hatch: an expression over the objects, the request and the namespace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from rules.cel.program import CelRuntimeError, Program, compile_cel
from rules.cel.reads import Parts, field_paths, path_of
from rules.cel.types import BoolExpression, StringExpression
from rules.check import Check, Checks, Finding, literal
from rules.invariants.kind import Kind
from rules.native.expression import Expression, all_of
from rules.native.form import Clause, Form
from rules.native.value import Single
from rules.pairing import Pair
from rules.problem import Problem
from rules.reading import Tally
from rules.relations import first_changed
from rules.samples import Samples, compared
from rules.write import Roots, UndecodableError, Write


class Cel(Kind):
    """A CEL expression is true, as in ValidatingAdmissionPolicy."""

    name: ClassVar[str] = "cel"
    cured_by_waiting: ClassVar[bool] = False

    expression: BoolExpression = Field(
        description="True if the write is fine. Variables: object, oldObject (null when the object is created), request, "
        "namespaceObject. An expression that has no value (a field that is not there) is an error: the failurePolicy decides.",
    )
    message_expression: StringExpression | None = Field(
        default=None,
        description="A CEL expression that gives the message of a violation.",
    )

    def compile(self) -> Checks:
        """Return the check of the expression: it reads the parts of the objects that the expression names."""
        program = compile_cel(self.expression, "bool")
        message = compile_cel(self.message_expression, "string") if self.message_expression else None
        parts = program.reads.parts
        fields = [path_of(part) for part in parts] or ["object"]
        demand = literal(self.expression)
        remark_reads = tuple(map(path_of, message.reads.parts)) if message else ()

        def read(write: Write, tally: Tally) -> list[Pair]:
            return [Pair((), [_part(write.old, part) for part in parts], [_part(write.new, part) for part in parts])]

        def judge(pair: Pair, write: Write, tally: Tally) -> Finding | None:
            if program.evaluate(write):
                return None
            first = first_changed(pair)
            # Of a whole object no value is shown: nobody can say what is in it.
            old, new = (pair.old[first], pair.new[first]) if parts and parts[first] else (None, None)
            remark = _remark(message, write)
            return Finding(fields[first], f"breaks {demand}", old, new, remark=remark, remark_reads=remark_reads)

        return Checks((Check(read, judge, on_create=True),), tuple(field_paths(parts)))

    def in_cel(self, form: Form) -> Iterator[Clause]:
        """Yield the expression, asked only if what it reads changed."""
        parts = compile_cel(self.expression, "bool").reads.parts
        paths = field_paths(parts)
        if len(paths) < len(parts):
            yield Clause(partial(form.expression, self.expression, None), self.sentences()[0], (), on_create=True)
            return

        def holds(singles: list[Single]) -> Expression:
            same = all_of(*(form.same_deep(single.old, single.new, depth=2) for single in singles))
            return form.expression(self.expression, same)

        yield Clause(partial(form.singles, paths, holds), self.sentences()[0], tuple(paths), on_create=True)

    def sentences(self) -> list[str]:
        """Return the expression."""
        return [f"{self.expression} is true."]

    def samples(self) -> list[Samples]:
        """Return what the expression reads, with the values that it compares with and others."""
        parts = compile_cel(self.expression, "bool").reads.parts
        return [{path: compared(path, self.expression) for path in field_paths(parts)}]

    def warnings(self) -> Iterator[Problem]:
        """Say that an expression without objects is never asked."""
        if not compile_cel(self.expression, "bool").reads.parts:
            yield Problem(
                ("expression",),
                "reads neither object nor oldObject: it is judged only when what `when` reads changes",
                "never-judged",
                "warning",
            )


def _remark(message: Program | None, write: Write) -> str:
    """Return what messageExpression says; as in ValidatingAdmissionPolicy nothing if it fails or is not one line of text."""
    if message is None:
        return ""
    try:
        said = str(message.evaluate(write)).strip()
    except (CelRuntimeError, UndecodableError):
        return ""
    return "" if "\n" in said else said


def _part(roots: Roots, part: Parts) -> Any:
    if not part:
        return {name: roots[name] for name in roots.names()}
    value = roots[part[0]]
    for name in part[1:]:
        value = value.get(name) if type(value) is dict else None
    return value
