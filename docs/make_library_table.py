"""Makes two pages of docs/library from the library: `make docs`. Tests compare them with what this gives.

README.md lists the files. mutations.md shows which mutations of honest writes each invariant notices.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from rules.documents import Document, parse
from rules.mutation.claims import Why
from rules.mutation.mutants import Mutation
from rules.mutation.trials import Row, honest_writes, rows
from rules.suite import Suite, is_suite, load
from webhook.library import LibraryFile, library

FOLDER = Path(__file__).parent / "library"

INDEX = """\
# The library

Ready-made rules, one file a system, each with its suite beside it. The list is made by `make docs` from the files.

```console
$ statusguard library                                     # lists them
$ statusguard library cluster-api | kubectl apply -f -    # writes one out, comments included
$ statusguard library cluster-api --test                  # and its suite
```

Everything in a file holds for every honest write of that system's controllers, in the versions that the file names: the
comment before each invariant says where it comes from and which ways around it were looked for. What is only likely has a
weaker form and says so. What looks right and is not, each page says too. [What the library notices](mutations.md) is a table of
every invariant and every way in which a write can be spoilt.

All rules only report (`Audit`). To refuse, watch first: [from observation to Deny](../from-observation-to-deny.md). To change a
file, write it out, change it and run its suite:

```console
$ statusguard library flux > my-rules/flux.yaml
$ statusguard library flux --test > my-rules/flux.test.yaml
$ statusguard test my-rules/
```

Optional ones are for resources that are written so often that it costs more to judge them than most clusters gain.

| file | for | rules | invariants | |
|---|---|---|---|---|
"""

HEAD = """\
# What the library notices

Made by `make docs` from the rules and their suites; do not edit. For every invariant a program takes the honest writes of
the suite beside the file, as they are and as what follows them, spoils in the new object one thing that the invariant reads,
and lets the rule judge. Each part of an invariant (a field, a relation, a demand) must notice by itself what its kind and its
words say it notices. One that does not, or for which no honest write holds what would be spoilt, is a **HOLE**, and a test
fails.

| column | what is spoilt |
|---|---|
| decreased | a counter, a generation, a time or a number as text is smaller than it was |
| increased | it is larger; of a generation: ahead of `metadata.generation` |
| cleared | a field is gone |
| item dropped | an item of a list, or the value of a map, is gone |
| changed | a field has another value: a latch is cleared, a state is one where it may not go, what is frozen moves |
| time alone moved | `lastTransitionTime` of a condition moves, forwards or back, and nothing else does |
| doubled | a condition is there twice |
| claimed too early | the status says what the invariant's `when` asks, and the rest is not so yet |

A cell says **raised**, or why the invariant need not notice:

"""


@cache
def table() -> dict[str, list[Row]]:
    """Return the rows of each file."""
    return {file.name: _rows(file) for file in library()}


def index() -> str:
    """Return the page that lists the files, each with a link to its page."""
    return INDEX + "".join(f"{_entry(file)}\n" for file in library())


def _entry(file: LibraryFile) -> str:
    summary = file.summary()
    note = "optional" if file.optional else ""
    counts = f"{summary['rules']} | {summary['invariants']}"
    return f"| [{file.name}]({file.name}.md) | {file.title} | {counts} | {note} |".replace("|  |", "| |")


def mutations() -> str:
    """Return the page of the mutations."""
    whys = "".join(f"| {why.value[0]} | {why.value[1]} |\n" for why in Why)
    sections = "\n".join(f"## {name}\n\n{_section(found)}" for name, found in table().items())
    return f"{HEAD}| word | meaning |\n|---|---|\n{whys}\n{sections}"


def holes() -> list[str]:
    """Return in words what is not noticed and must be."""
    return [
        f"{name}: {row.rule}/{row.invariant}: {mutation.value}: {part} ({row.honest} honest writes)"
        for name, found in table().items()
        for row in found
        for mutation, parts in row.holes.items()
        for part in parts
    ]


def _rows(file: LibraryFile) -> list[Row]:
    def read_rules(_: str) -> list[Document]:
        return parse(file.rules.read_bytes(), file.rules.name)

    documents = parse(file.suite.read_bytes(), file.suite.name)
    suites: list[Suite] = [load(document, read_rules) for document in documents if is_suite(document.data)]
    honest = honest_writes(case for suite in suites for case in suite.cases)
    return [row for rule in suites[0].rules.rules for row in rows(rule, honest)]


def _section(found: list[Row]) -> str:
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: list[Row]) -> Iterator[str]:
    headings = ["rule", "invariant", "kind", *(mutation.value for mutation in Mutation)]
    yield f"| {' | '.join(headings)} |"
    yield "|---" * len(headings) + "|"
    for row in found:
        cells = [f"`{row.rule}`", f"`{row.invariant}`", row.kind]
        yield f"| {' | '.join([*cells, *(_cell(row, mutation) for mutation in Mutation)])} |"


def _cell(row: Row, mutation: Mutation) -> str:
    if mutation in row.holes:
        return "**HOLE**"
    return "**raised**" if mutation in row.raised else row.whys[mutation].value[0]


if __name__ == "__main__":
    (FOLDER / "README.md").write_text(index(), encoding="utf-8")
    (FOLDER / "mutations.md").write_text(mutations(), encoding="utf-8")
    for hole in holes():
        print(hole)
