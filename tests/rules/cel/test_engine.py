from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.cel.program import CelSyntaxError, compile_cel


def mistake(expression: str) -> CelSyntaxError:
    with pytest.raises(CelSyntaxError) as caught:
        compile_cel(expression, "bool")
    assert "\n" not in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("expression", "offset", "message"),
    [
        ("1 + 'a' == 2", 2, "found no matching overload for '_+_' applied to '(int, string)'"),
        ("true &&\n\n 1 + 'a' == 2", 12, "found no matching overload for '_+_' applied to '(int, string)'"),
        ("'é😀' == objekt.a", 8, 'unknown name objekt, did you mean "object"?'),
        ("'a\u2028' ==\r\n objekt.a", 10, 'unknown name objekt, did you mean "object"?'),
        ("object.a.lowercase() == ''", 9, 'unknown name lowercase, did you mean "lowerAscii"?'),
        ("object.a ==", 11, "Syntax error: mismatched input '<EOF>'"),
        ("object..a == 1", 7, "Syntax error: no viable alternative at input '..'"),
        ("(object.a == 1", 14, "Syntax error: missing ')' at '<EOF>'"),
        ("object.a == 'x", 12, "Syntax error: token recognition error at: ''x'"),
        ("has(object)", 4, "has() argument must be a field selection"),
        ("object.a == 9223372036854775808", 12, "invalid int literal"),
        ("", 0, "Syntax error: mismatched input '<EOF>'"),
        ("object.status.replicas + 1", None, "gives a value of type int, expected bool"),
        ("'a'", None, "gives a value of type string, expected bool"),
        ("object.?a", None, "gives a value of type optional_type<dyn>, expected bool"),
        ("(" * 40 + "true" + ")" * 40, None, "nested too deeply, or more than 32 operators or members in one chain"),
        ("object" + ".a" * 40, None, "nested too deeply, or more than 32 operators or members in one chain"),
    ],
)
def test_mistakes_have_a_place(expression: str, offset: int | None, message: str) -> None:
    found = mistake(expression)
    assert (found.message, found.offset) == (message, offset)


OF_THE_API_SERVER = "is a function of the API server that is not available here"


@pytest.mark.parametrize(
    ("expression", "offset", "message"),
    [
        ("quantity('1') == quantity(object.a)", 0, f"quantity {OF_THE_API_SERVER}"),
        ("true && isQuantity(object.a)", 8, f"isQuantity {OF_THE_API_SERVER}"),
        ("object.list.isSorted()", 12, f"isSorted {OF_THE_API_SERVER}"),
        ("[1, 2].sum() == 3", 7, f"sum {OF_THE_API_SERVER}"),
        ("url(object.a).getHost() == ''", 0, f"url {OF_THE_API_SERVER}"),
        ("ip(object.a).family() == 4", 0, f"ip {OF_THE_API_SERVER}"),
        ("cidr(object.a).containsIP('::1')", 0, f"cidr {OF_THE_API_SERVER}"),
        ("object.a.find('[0-9]+') == '1'", 9, f"find {OF_THE_API_SERVER}"),
        ("sets.contains(object.a, [1])", 0, f"sets {OF_THE_API_SERVER}"),
        ("object.a.transformList(i, v, v) == []", 9, f"transformList {OF_THE_API_SERVER}"),
        ("semver('1.0.0').major() == 1", 0, f"semver {OF_THE_API_SERVER}"),
        (
            "object.a.all(i, v, v > i)",
            9,
            "all is with two variables a macro of the API server that is not available here",
        ),
        (
            "object.a.exists(k, v, true)",
            9,
            "exists is with two variables a macro of the API server that is not available here",
        ),
        ("cel.bind(x, object.a, x == x)", 0, "cel is not available here, nor in the API server"),
        (
            "authorizer.group('').check('get').allowed()",
            0,
            "authorizer is not available here: it would have to ask the API server",
        ),
        ("variables.x == 1", 0, "variables is a variable of ValidatingAdmissionPolicy that rules do not have"),
        ("params.x == 1", 0, "params is a variable of ValidatingAdmissionPolicy that rules do not have"),
    ],
)
def test_what_the_api_server_has_and_we_have_not(expression: str, offset: int, message: str) -> None:
    found = mistake(expression)
    assert message in found.message
    assert found.offset in {offset, offset + expression[offset:].find(".")}


WORDS = r"""
object oldObject request namespaceObject has map all exists filter optMap orValue matches format size x y dyn in null
true @result __x__ . .? [ ] ( ) { } ? : , == != < + - * / % ! && || // \ 'a' "b" r'\' ''' ` b'' 0 1u 1.5e9 é 😀
"""
TOKENS = st.lists(st.sampled_from([*WORDS.split(), "\n", "\x00"]), max_size=24).map(" ".join)


@given(TOKENS | st.text(max_size=40))
def test_any_text_is_an_expression_or_a_mistake(expression: str) -> None:
    try:
        compile_cel(expression, "bool")
    except CelSyntaxError as error:
        found = error
    else:
        return
    assert found.message
    assert "\n" not in found.message
    assert found.offset is None or 0 <= found.offset <= len(expression) + 1
