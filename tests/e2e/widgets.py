"""A kind of one's own for each test, in an API group of its own: `widgets` of two versions, and writes to their status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from .api import APPLY, JSON, JSON_PATCH, MERGE, Answer, Api, Object, done
from .install import apply
from .process import eventually

LOOSE: Final = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def definition(group: str) -> Object:
    """Return the CRD: no conversion webhook, both versions hold the same."""
    schema = {"type": "object", "properties": {"spec": LOOSE, "status": LOOSE}}
    version = {"served": True, "schema": {"openAPIV3Schema": schema}, "subresources": {"status": {}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [
                {"name": "v1", "storage": True, **version},
                {"name": "v1beta1", "storage": False, **version},
            ],
        },
    }


@dataclass(frozen=True)
class Widgets:
    """The widgets of one test, as a controller sees them."""

    api: Api
    group: str
    namespace: str

    @classmethod
    def defined(cls, api: Api, group: str) -> Widgets:
        """Define the kind, and make a namespace for it, of the name that the group begins with; `until_served` waits for it."""
        apply(api, definition(group))
        return cls(api, group, "").add_namespace(group.partition(".")[0])

    def until_served(self) -> None:
        paths = [self.path(version=version) for version in ("v1", "v1beta1")]
        eventually(lambda: all(self.api.exists(path) for path in paths))

    def add_namespace(self, name: str) -> Widgets:
        """Return the same kind in another namespace."""
        apply(self.api, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        return Widgets(self.api, self.group, name)

    def path(self, name: str = "", subresource: str = "", version: str = "v1") -> str:
        parts = [f"/apis/{self.group}/{version}/namespaces/{self.namespace}/widgets", name, subresource]
        return "/".join(part for part in parts if part)

    def new(self, name: str = "w", status: Object | None = None, **metadata: Any) -> Object:
        """Create a widget, with a status if there is to be one."""
        # Who wrote what is tracked of objects only that were created with anything in them.
        body = self.body(name, spec={"size": 1})
        body["metadata"] |= metadata
        created = done(self.api.call("POST", self.path(), body))
        return created if status is None else done(self.put(name, status))

    def read(self, name: str = "w") -> Object:
        return self.api.get(self.path(name))

    def body(self, name: str, version: str = "v1", **members: Any) -> Object:
        return {"apiVersion": f"{self.group}/{version}", "kind": "Widget", "metadata": {"name": name}, **members}

    def put(self, name: str, status: Object, **query: str) -> Answer:
        return self._write("PUT", name, {**self.read(name), "status": status}, JSON, **query)

    def merge(self, name: str, status: Object, *, version: str = "v1", **query: str) -> Answer:
        return self._write("PATCH", name, {"status": status}, MERGE, version, **query)

    def json_patch(self, name: str, status: Object, **query: str) -> Answer:
        patch = [{"op": "replace", "path": f"/status/{field}", "value": value} for field, value in status.items()]
        return self._write("PATCH", name, patch, JSON_PATCH, **query)

    def apply(self, name: str, status: Object, **query: str) -> Answer:
        return self._write("PATCH", name, self.body(name, status=status), APPLY, force="true", **query)

    def _write(self, method: str, name: str, body: Any, content_type: str, version: str = "v1", **query: str) -> Answer:
        query = {"fieldManager": "widget-controller", **query}
        return self.api.call(method, self.path(name, "status", version), body, content_type, query)
