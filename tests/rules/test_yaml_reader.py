from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules import yaml_reader
from rules.documents import DocumentError, parse

PIECES = [
    *(
        "a",
        "b",
        ": ",
        "- ",
        "\n",
        "  ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "&x ",
        "*x",
        "!!int ",
        "!t ",
        '"',
        "'",
        "|",
        ">",
        "? ",
    ),
    *(
        "#",
        "\n---\n",
        "\n...\n",
        "\\",
        "\t",
        "<<",
        "1",
        "012",
        "1.5",
        "\n%TAG ",
        "%YAML 1.1\n",
        "\u2028",
        "😀",
        "\\uD800",
    ),
]


@pytest.fixture(params=[yaml.CSafeLoader, yaml.SafeLoader], ids=["libyaml", "python"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_reader, "_LOADER", request.param)


def read(text: str) -> list[Any]:
    return [document.data for document in parse(text.encode(), "r.yaml")]


def error(text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(text.encode(), "r.yaml")
    return str(caught.value)


def test_values_of_the_core_schema() -> None:
    text = "on: yes\nd: 2026-01-01\nt: 1:30\nn: [null, ~, ]\nb: true\ni: 0x10\nf: 1.10\nq: [\"1\", '~']\n"
    assert read(text) == [
        {
            "on": "yes",
            "d": "2026-01-01",
            "t": "1:30",
            "n": [None, None],
            "b": True,
            "i": 16,
            "f": Decimal("1.10"),
            "q": ["1", "~"],
        }
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!str 12", "12"),
        ('!!int "12"', 12),
        ("!!float 1", 1),
        ("!!bool true", True),
        ("!!null ''", None),
        ("!!map {a: !!seq [1]}", {"a": [1]}),
    ],
)
def test_tags_of_json_types(text: str, value: object) -> None:
    assert read(text) == [value]


def test_an_alias_is_what_its_anchor_names() -> None:
    assert read("a: &x {k: [1]}\nb: *x\nc: &key d\n*key : [*key]") == [
        {"a": {"k": [1]}, "b": {"k": [1]}, "c": "d", "d": ["d"]}
    ]


def test_anchors_end_with_their_document() -> None:
    assert error("a: &x 1\n---\nb: *x") == "r.yaml:3:4: alias 'x' has no anchor before it"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3", "3:1: key 'a' is there twice in one mapping"),
        ("{a: {b: 1, b: 2}}", "1:12: key 'b' is there twice in one mapping"),
        ("1: a", "1:1: a key must be a string: put it in quotes"),
        ("null: a", "1:1: a key must be a string: put it in quotes"),
        ("x: &n 1\n*n : a", "2:1: a key must be a string: put it in quotes"),
        ("x: &n [a]\n*n : a", "2:1: a key must be a string: put it in quotes"),
        ("[a]: b", "1:1: a key must be a string, not a mapping or list"),
        ("? {a: b}\n: c", "1:3: a key must be a string, not a mapping or list"),
        ("a: {<<: 3}", "1:9: a merge key (<<) takes a mapping, or a list of mappings"),
        ("a: {<<: [{}, 1]}", "1:9: a merge key (<<) takes a mapping, or a list of mappings"),
        ("<<: {a: 1}\n<<: {b: 2}", "2:1: key '<<' is there twice in one mapping: give it a list"),
        ("a: &x {<<: *x}", "1:12: alias 'x' is inside the value that it stands for"),
        ("a: *x", "1:4: alias 'x' has no anchor before it"),
        ("&x [*x]", "1:5: alias 'x' is inside the value that it stands for"),
        ("&x {a: [{b: *x}]}", "1:13: alias 'x' is inside the value that it stands for"),
        ("a: &x 1\nb: &x 2", "2:4: anchor 'x' is there twice"),
        ("a: !!python/object:os.system {}", "1:4: tag '!!python/object:os.system' is not supported here: leave it out"),
        ("a: !mine b", "1:4: tag '!mine' is not supported here: leave it out"),
        ("a: !!map [b]", "1:4: tag '!!map' is not supported here: leave it out"),
        ("a: !!binary aGk=", "1:4: tag '!!binary' is not supported here: leave it out"),
        ("a: !!int x", "1:4: 'x' is no int"),
        ("a: !!int true", "1:4: 'true' is no int"),
        ("%TAG ! tag:x,2000:\n--- a", "1:1: %TAG is not supported: no tags but YAML's own are"),
        (
            "a: 012",
            "1:4: '012' is not the same number to every YAML reader: write it as a plain decimal number",
        ),
        ("a: .nan", "1:4: '.nan' is no finite number (in quotes it is text)"),
        ("a: \x07b", "1:4: U+0007 is not allowed in YAML"),
        ("a:\n\tb: c", "2:1: a tab may not be used for indentation: use spaces"),
        ("a: b\n  c: d", "2:4: mapping values are not allowed"),
        ("a: [b\nc: d", "2:2: "),
        ("a: {b", "1:6: "),
        ('a: "b', "1:6: found unexpected end of stream while scanning a quoted scalar that begins at line 1, column 4"),
        ('a: "\\Uffffffff"', "1:"),
        ('a: "\\ud800"', "1:"),
        ("a: @b", "1:4: found character"),
    ],
)
def test_bad_yaml(text: str, message: str) -> None:
    assert error(text).startswith(f"r.yaml:{message}")


def test_what_stands_in_quotes_is_no_merge_key() -> None:
    assert read('{"<<": a, b: <<}') == [{"<<": "a", "b": "<<"}]


def test_a_bomb_of_aliases_is_refused_before_it_goes_off() -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30))]
    started = time.process_time()
    assert error("\n".join(lines)).endswith(": more than 300,000 values in one file (aliases count in full)")
    assert time.process_time() - started < 10


def test_aliases_cannot_nest_deeper_than_the_text_may() -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 300))]
    assert error("\n".join(lines)) == "r.yaml:200:14: nested deeper than 200 levels"


@pytest.mark.parametrize(
    "text", ["[" * 2000, "- " * 2000, "{a: " * 2000, "\n".join(" " * n + "a:" for n in range(2000)), "? " * 2000]
)
def test_a_text_nested_without_end_is_refused(text: str) -> None:
    assert "nest" in error(text) or "key must be" in error(text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_any_text_is_read_or_refused_in_one_line(pieces: list[str]) -> None:
    try:
        parse("".join(pieces).encode(), "r.yaml")
    except DocumentError as refused:
        assert "\n" not in str(refused)  # noqa: PT017


def test_a_merge_key_takes_over_what_is_not_written() -> None:
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: *a, x: 5}\nd:\n  x: 6\n  <<: [*a, *b]\n"
    (found,) = read(text)
    assert found["c"] == {"x": 5, "y": 2}
    assert found["d"] == {"x": 6, "y": 2, "z": 4}


def test_what_a_merge_key_took_over_is_where_it_is_written() -> None:
    (document,) = parse(b"a: &a {x: 1, y: {z: 2}}\nb:\n  <<: *a\n", "f.yaml")
    assert str(document.place(("b", "y", "z"))) == "f.yaml:1:21"
    assert str(document.place(("b", "x"), of_key=True)) == "f.yaml:1:8"
