"""The library's suites as real writes: what they say of objects, on a real API server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rules.case_write import merge_patch, write_of
from rules.documents import Document, parse
from rules.suite import Case, is_suite, load
from rules.write import Resource
from tests.library import LIBRARY

from .api import Answer, Api, Object, done
from .widgets import LOOSE

NAMESPACE: Final = "exported"
STEP: Final = "e2e"
"""A member of the objects that nobody reads: each change of it is a new generation."""


@dataclass(frozen=True)
class Played:
    """A case of a suite, with an object of its own."""

    suite: str
    case: Case
    resource: Resource
    number: int

    @property
    def new(self) -> Object:
        """The object after the write."""
        found: Object = self.case.object or merge_patch(self.case.old, self.case.patch)
        return found

    @property
    def broken(self) -> set[tuple[str, str]]:
        """The rules and invariants that the suite says are broken."""
        return {(each.rule, each.invariant) for each in self.case.expect.violations or ()}

    @property
    def is_going(self) -> bool:
        """Whether the object is being deleted, while which a rule only reports."""
        return "deletionTimestamp" in (self.case.old or {}).get("metadata", {})

    def path(self, subresource: str = "") -> str:
        of = self.resource
        base = f"/apis/{of.group}/{of.version}/namespaces/{NAMESPACE}/{of.resource}/{self.name}"
        return f"{base}/{subresource}" if subresource else base

    @property
    def name(self) -> str:
        return f"case-{self.number}"

    def prepare(self, api: Api) -> None:
        """Create the object as it is before the write: of its generation, and being deleted if it is."""
        old = dict(self.case.old or {})
        metadata = dict(old.pop("metadata"))
        status = old.pop("status", None)
        generation = metadata.pop("generation", 1)
        kept = {key: metadata[key] for key in ("labels", "annotations", "finalizers") if key in metadata}
        collection = self.path().rpartition("/")[0]
        created = api.create(collection, {**old, "metadata": {**kept, "name": self.name}})
        for step in range(created["metadata"]["generation"], generation):
            done(api.merge(self.path(), {STEP: step}))
        if status is not None:
            done(api.call("PUT", self.path("status"), {**api.get(self.path()), "status": status}))
        if self.is_going:
            api.delete(self.path())

    def write(self, api: Api) -> Answer:
        """Try the write, as a dry run."""
        present = api.get(self.path())
        new = self.new
        if self.resource.subresource:
            body = {**present, "status": new.get("status", {})}
        else:
            changed = {key: new["metadata"].get(key, {}) for key in ("labels", "annotations")}
            body = {
                **present,
                **new,
                "status": present.get("status", {}),
                "metadata": {**present["metadata"], **changed},
            }
        return api.call("PUT", self.path(self.resource.subresource), body, query={"dryRun": "All"})


def cases(*names: str) -> Iterator[Played]:
    """Yield the updates of the suites of these files of the library, as far as they are seen at admission."""
    number = 0
    for name in names:
        path = LIBRARY / f"{name}.test.yaml"
        for document in parse(path.read_bytes(), path.name):
            if not is_suite(document.data):
                continue
            for case in load(document, _rules).cases:
                request = write_of(case).request
                if case.source == "admission" and request.operation == "UPDATE":
                    number += 1
                    yield Played(document.data["metadata"]["name"], case, request.resource, number)


def _rules(name: str) -> list[Document]:
    return parse((LIBRARY / name).read_bytes(), name)


def definitions(played: list[Played]) -> Iterator[Object]:
    """Yield minimal CRDs for the objects: their status, and everything else, takes anything."""
    kinds = {(each.resource.group, each.resource.resource): each.new["kind"] for each in played}
    for (group, plural), kind in kinds.items():
        of_kind = (each.resource for each in played if (each.resource.group, each.resource.resource) == (group, plural))
        versions = sorted({resource.version for resource in of_kind})
        schema = {**LOOSE, "properties": {"spec": LOOSE, "status": LOOSE}}
        served = {"served": True, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}
        yield {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {
                "name": f"{plural}.{group}",
                "annotations": {"api-approved.kubernetes.io": "https://example.test/a-test"},
            },
            "spec": {
                "group": group,
                "scope": "Namespaced",
                "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
                "versions": [{"name": each, "storage": each == versions[-1], **served} for each in versions],
            },
        }
