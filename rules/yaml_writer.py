"""A document -> YAML that `rules.yaml_reader` reads as the same document, and other readers too."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import yaml

from rules.scalars import plain_scalar

_WIDTH: Final = 160
_TEXT: Final = "tag:yaml.org,2002:str"


class _Dumper(yaml.SafeDumper):
    """Writes values in full each time: aliases are hard to read in examples."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  PyYAML's own name
        return True


def write_yaml(value: Any, *, in_blocks: bool = False) -> str:
    """Return YAML of a document, all of it ASCII.

    The innermost mappings and lists stand on one line each, unless all is to be `in_blocks`; text of several lines stands on as
    many, as it is.
    """
    flow = False if in_blocks else None
    written = yaml.dump(value, Dumper=_Dumper, sort_keys=False, default_flow_style=flow, width=_WIDTH)
    return str(written)


def _write_text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    if "\n" in value:
        return dumper.represent_scalar(_TEXT, value, style="|")
    # PyYAML itself quotes what is no text in YAML 1.1; 1e3 and 0o7 are text there, and not in YAML 1.2.
    is_quoted = dumper.resolve(yaml.ScalarNode, value, (True, False)) != _TEXT  # type: ignore[no-untyped-call]
    return dumper.represent_scalar(_TEXT, value, style=None if is_quoted or _is_text(value) else '"')


def _is_text(written: str) -> bool:
    try:
        return isinstance(plain_scalar(written), str)
    except ValueError:
        return False


def _write_decimal(dumper: _Dumper, value: Decimal) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:float", str(value))


_Dumper.add_representer(str, _write_text)
_Dumper.add_representer(Decimal, _write_decimal)
