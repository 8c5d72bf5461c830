from __future__ import annotations

import pytest

from rules.fieldpath import parse
from rules.path_syntax import FieldPathError, Items, Keyed, MapValues, Name, Segment, Select


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("status", [Name("status", "status")]),
        ("_a-1.$b", [Name("_a-1", "_a-1"), Name("$b", ".$b")]),
        ("s.*", [Name("s", "s"), MapValues()]),
        ("s.*.a", [Name("s", "s"), MapValues(), Name("a", ".a")]),
        ("s[*]", [Name("s", "s"), Items()]),
        ("s[type]", [Name("s", "s"), Keyed(("type",))]),
        ("s[a,b]", [Name("s", "s"), Keyed(("a", "b"))]),
        ("s[a=b]", [Name("s", "s"), Select((("a", "b"),), "[a=b]")]),
        ("s[a=x,b=y z]", [Name("s", "s"), Select((("a", "x"), ("b", "y z")), "[a=x,b=y z]")]),
        ("s[a=k=v]", [Name("s", "s"), Select((("a", "k=v"),), "[a=k=v]")]),
        ("s[a=b.c/d[0]", [Name("s", "s"), Select((("a", "b.c/d[0"),), "[a=b.c/d[0]")]),
        (r's[a="]\"\u0041,"]', [Name("s", "s"), Select((("a", ']"A,'),), r'[a="]\"\u0041,"]')]),
        ('s[a=""]', [Name("s", "s"), Select((("a", ""),), '[a=""]')]),
        ('s["a.b/c"].d', [Name("s", "s"), Name("a.b/c", '["a.b/c"]'), Name("d", ".d")]),
        ('s["*"]', [Name("s", "s"), Name("*", '["*"]')]),
        ('s[""]', [Name("s", "s"), Name("", '[""]')]),
        ("s[a][b]", [Name("s", "s"), Keyed(("a",)), Keyed(("b",))]),
    ],
)
def test_what_a_path_means(written: str, expected: list[Segment]) -> None:
    assert list(parse(written).segments) == expected


@pytest.mark.parametrize(
    ("written", "offset", "message"),
    [
        ("", 0, "expected a name (letters, digits, _, -, $), found the end of the path"),
        (".status", 0, "expected a name (letters, digits, _, -, $), found '.'"),
        ("[a]", 0, "expected a name (letters, digits, _, -, $), found '['"),
        ("1a", 0, "expected a name (letters, digits, _, -, $), found '1'"),
        (" status", 0, "expected a name (letters, digits, _, -, $), found ' '"),
        ("é", 0, "expected a name (letters, digits, _, -, $), found 'é'"),
        ("status.", 7, 'expected a name or "*" after the ".", found the end of the path'),
        ("status..a", 7, 'expected a name or "*" after the ".", found \'.\''),
        ("status.1", 7, 'expected a name or "*" after the ".", found \'1\''),
        ("status a", 6, 'expected "." or "[" or the end of the path, found \' \''),
        ("status.**", 8, 'expected "." or "[" or the end of the path, found \'*\''),
        ("status]", 6, 'expected "." or "[" or the end of the path, found \']\''),
        ("s[", 2, 'expected a key, "*" or a quoted key after the "[", found the end of the path'),
        ("s[]", 2, 'expected a key, "*" or a quoted key after the "[", found \']\''),
        ("s[0]", 2, 'expected a key, "*" or a quoted key after the "[", found \'0\''),
        ("s['a']", 2, 'expected a key, "*" or a quoted key after the "[", found "\'"'),
        ("s[*", 3, 'expected "]", found the end of the path'),
        ("s[a", 3, 'expected "]", found the end of the path'),
        ("s[a,", 4, "expected a key after the comma, found the end of the path"),
        ("s[a,,b]", 4, "expected a key after the comma, found ','"),
        ("s[a=]", 4, "expected a value after the \"=\", found ']'"),
        ("s[a==b]", 4, "expected a value after the \"=\", found '='"),
        ("s[a= b]", 4, "expected a value after the \"=\", found ' '"),
        ("s[a=b", 5, 'expected "]", found the end of the path'),
        ("s[a=b,c]", 7, "expected \"=\": either every key has a value or none has, found ']'"),
        ("s[a,b=c]", 5, "expected \"]\", found '='"),
        ("s[a,a]", 1, "a key is named twice"),
        ("s[a=1,a=2]", 1, "a key is named twice"),
        ('s["a', 2, "expected a closing quote, found '\"'"),
        ('s["a"', 5, 'expected "]", found the end of the path'),
        ('s["a"b]', 5, "expected \"]\", found 'b'"),
        (r's["\x"]', 2, r'"\x" is no JSON string'),
        ('s[a="b]', 4, "expected a closing quote, found '\"'"),
        ('s["a\tb"]', 2, "expected a closing quote, found '\"'"),
        ("s[a].*x", 6, 'expected "." or "[" or the end of the path, found \'x\''),
    ],
)
def test_what_is_no_path(written: str, offset: int, message: str) -> None:
    with pytest.raises(FieldPathError) as caught:
        parse(written)
    assert (caught.value.offset, caught.value.message) == (offset, message)
