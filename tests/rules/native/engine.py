"""A CEL engine for what is said natively: that of the rules, with what the API server has beside it.

The macro with two variables is written out, `sum`, `isQuantity` and `quantity` are ours. What the API server itself says is
asked in `tests/e2e`.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional, ext_strings

from rules.native.expression import Expression
from rules.native.vap import Policy
from rules.quantities import quantity

from .syntax import Both, Choice, Either, Let, Not, closing, operand_before, parsed

_TWO_VARIABLES: Final = re.compile(r"\.all\(([a-z][0-9]*), ([a-z][0-9]*), ")


class NativeError(Exception):
    """An expression that has no value."""


def _function(name: str, parameters: list[Any], result: Any, implementation: Any, *, member: bool = False) -> Any:
    overload = cel.Overload(f"test_{name}", result, parameters, member, implementation)
    return cel.FunctionDecl(name, [overload])


def _sum(values: list[Any]) -> Any:
    total = sum(value.plain_value() if hasattr(value, "plain_value") else value for value in values)
    if not -(2**63) <= total < 2**63:
        raise ValueError("integer overflow")
    return total


def _index_of(items: list[Any], wanted: Any) -> int:
    values = [item.plain_value() if hasattr(item, "plain_value") else item for item in items]
    return values.index(wanted) if wanted in values else -1


def _order(left: str, right: str) -> int:
    one, other = _amount(left), _amount(right)
    return int(one > other) - int(one < other)


def _sign(text: str) -> int:
    return _order(text, "0")


def _amount(text: str) -> Any:
    found = quantity(text)
    assert found is not None
    return found


_EXTENSIONS: Final = [
    ext_optional.ExtOptional(),
    ext_strings.ExtStrings(),
    cel.CelExtension(
        "api-server",
        [
            _function("indices", [cel.Type.DYN], cel.Type.LIST, lambda items: list(range(len(items)))),
            _function("sum", [cel.Type.LIST], cel.Type.INT, _sum, member=True),
            _function("indexOf", [cel.Type.LIST, cel.Type.DYN], cel.Type.INT, _index_of, member=True),
            _function("isQuantity", [cel.Type.DYN], cel.Type.BOOL, lambda text: quantity(text) is not None),
            _function("quantity", [cel.Type.STRING], cel.Type.STRING, lambda text: text),
            _function("compareTo", [cel.Type.STRING, cel.Type.STRING], cel.Type.INT, _order, member=True),
            _function("sign", [cel.Type.STRING], cel.Type.INT, _sign, member=True),
        ],
    ),
]


@lru_cache(maxsize=256)
def _environment(names: frozenset[str]) -> Any:
    return cel.NewEnv(variables=dict.fromkeys(names, cel.Type.DYN), extensions=_EXTENSIONS)


@lru_cache(maxsize=4_096)
def _compiled(expression: str, names: frozenset[str]) -> Any:
    return _environment(names).compile(_written_out(expression))


def evaluate(expression: str, variables: Mapping[str, Any]) -> Any:
    """Return the value of an expression; raises NativeError.

    What is outermost (`||`, `&&`, `!`, `?:` and what is bound) is evaluated here, in CEL's order, because the engine takes no
    deep expressions; the API server takes them.
    """
    match parsed(expression):
        case Either(parts):
            return any(evaluate(part, variables) for part in parts)
        case Both(parts):
            return all(evaluate(part, variables) for part in parts)
        case Not(part):
            return not evaluate(part, variables)
        case Choice(condition, then, otherwise):
            return evaluate(then if evaluate(condition, variables) else otherwise, variables)
        case Let(name, value, body):
            return evaluate(body, {**variables, name: evaluate(value, variables)})
    try:
        found = _compiled(expression, frozenset(variables)).eval(data=dict(variables))
    except RuntimeError as error:
        raise NativeError(f"{error}"[:2_000]) from None
    if found.type().name() == "ERROR":
        raise NativeError(f"{found.plain_value()} in {expression}")
    return _owned(found.plain_value())


def _owned(value: Any) -> Any:
    """Return a value of the engine, which gives up one reference to None for each null: in the end CPython would abort."""
    if value is None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(None))
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for member in members:
        _owned(member)
    return value


def is_suspect(expression: Expression, old: Any, new: Any) -> bool:
    found = evaluate(expression.text, {"object": in_memory(new), "oldObject": in_memory(old)})
    assert isinstance(found, bool)
    return found


def denied(policy: Policy, old: Any, new: Any) -> list[int]:
    """Return which validations of a policy an update breaks."""
    known: dict[str, Any] = {}
    data = {"object": in_memory(new), "oldObject": in_memory(old), "variables": known}
    for name, value in policy.variables.items():
        known[name] = evaluate(value.text, data)
    return [index for index, each in enumerate(policy.validations) if not evaluate(each.holds.text, data)]


def in_memory(value: Any) -> Any:
    """Return an object as the API server holds it: decimals are doubles."""
    if isinstance(value, dict):
        return {key: in_memory(member) for key, member in value.items()}
    if isinstance(value, list):
        return [in_memory(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value


def _written_out(expression: str) -> str:
    while match := _TWO_VARIABLES.search(expression):
        target = operand_before(expression, match.start())
        end = closing(expression, match.end())
        index, each = match.groups()
        items = expression[target : match.start()]
        body = expression[match.end() : end]
        written = f"indices({items}).all({index}, [{items}[{index}]].all({each}, {body}))"
        expression = expression[:target] + written + expression[end + 1 :]
    return expression
