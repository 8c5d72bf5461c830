from __future__ import annotations

import pytest

from rules.cel.program import CelSyntaxError, compile_cel
from rules.cel.subset import check_tree
from rules.cel.tree import Call, Select

ZONE = 'the time zone must be a literal here, as "Europe/Berlin", "UTC" or "+01:00"'
PATTERN = "matches takes its pattern as a literal here: compiling one may take long"


@pytest.mark.parametrize(
    ("expression", "offset", "message"),
    [
        ("object.a.matches(object.b)", 16, PATTERN),
        ("matches(object.a, 'a' + 'b')", 7, PATTERN),
        ("object.a.matches('(a')", 16, "pattern '(a' at character 1: this ( is not closed"),
        ("object.a.matches('a(?=b)')", 16, "pattern 'a(?=b)' at character 2: look-around is not supported"),
        ("object.a.matches('(((a{10}){10}){10}){10}')", 16, None),
        ("timestamp(object.a).getHours(object.b) == 1", 28, ZONE),
        ("timestamp(object.a).getHours('/proc/self/fd/0') == 1", 28, ZONE),
        ("timestamp(object.a).getDayOfWeek('../../dev/stdin') == 1", 32, ZONE),
        ("timestamp(object.a).getHours('file:/dev/stdin') == 1", 28, ZONE),
        ("google.protobuf.Value{} == null", 0, "messages such as google.protobuf.Value are not available here"),
        ("google.protobuf.Int64Value{value: 1} == 1", 0, None),
    ],
)
def test_what_is_refused(expression: str, offset: int, message: str | None) -> None:
    with pytest.raises(CelSyntaxError) as caught:
        compile_cel(expression, "bool")
    assert caught.value.offset == offset
    assert message in {None, caught.value.message}


@pytest.mark.parametrize(
    "zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "-03:30", "1:00"]
)
def test_time_zones(zone: str) -> None:
    compile_cel(f"timestamp(object.a).getHours('{zone}') == 1", "bool")


def test_optional_maps_are_few() -> None:
    step = ".optMap(x, x)"
    compile_cel(f"object.?a{step * 4}.hasValue()", "bool")
    with pytest.raises(CelSyntaxError, match="at most 4 optMap and optFlatMap in one expression") as caught:
        compile_cel(f"object.?a{step * 50}.hasValue()", "bool")
    assert caught.value.offset == len(f"object.?a{step * 4}.")


def test_a_function_that_nobody_has_priced_is_refused() -> None:
    with pytest.raises(CelSyntaxError, match="launch is not available here") as caught:
        check_tree(Select(Call("launch", (), 7), "a"))
    assert caught.value.offset == 7
