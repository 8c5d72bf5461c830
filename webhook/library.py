"""The ready-made rules that the package brings along: one file a system, each with its suite beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from rules.documents import parse
from rules.suite import is_rule, is_suite

_SUFFIX: Final = ".yaml"
_SUITE: Final = ".test.yaml"

OPTIONAL: Final = "optional"
"""The folder of files that cost more than they find in most clusters: nobody gets them who does not ask for them."""


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file of rules, and the suite beside it."""

    name: str
    optional: bool
    rules: Traversable
    suite: Traversable

    @property
    def title(self) -> str:
        """The system that the rules are for: the file's first comment as far as its first colon."""
        first = self.rules.read_text("utf-8").partition("\n")[0]
        return first.removeprefix("#").partition(":")[0].strip()

    def summary(self) -> dict[str, Any]:
        """Return what there is to know before one looks inside, as `--output json` has it."""
        rules = [document for document in self._documents(self.rules) if is_rule(document)]
        suites = [document for document in self._documents(self.suite) if is_suite(document)]
        return {
            "name": self.name,
            "title": self.title,
            "optional": self.optional,
            "rules": len(rules),
            "invariants": sum(len(rule["spec"]["invariants"]) for rule in rules),
            "cases": sum(len(suite["cases"]) for suite in suites),
        }

    @staticmethod
    def _documents(file: Traversable) -> Iterator[Any]:
        return (document.data for document in parse(file.read_bytes(), file.name))


def library() -> list[LibraryFile]:
    """Return all files by name, the optional ones last."""
    folder = files("rules") / "library"
    return [*_found(folder, optional=False), *_found(folder / OPTIONAL, optional=True)]


def _found(folder: Traversable, *, optional: bool) -> list[LibraryFile]:
    # A folder without files is in no package.
    entries = {entry.name: entry for entry in folder.iterdir()} if folder.is_dir() else {}
    stems = sorted(name.removesuffix(_SUITE) for name in entries if name.endswith(_SUITE))
    return [LibraryFile(stem, optional, entries[f"{stem}{_SUFFIX}"], entries[f"{stem}{_SUITE}"]) for stem in stems]
