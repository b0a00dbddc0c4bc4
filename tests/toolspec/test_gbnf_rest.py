"""The grammar after a beginning allows exactly the ends that make a text of the whole grammar."""

import json

import pytest

from tests.toolspec.test_grammar import GET, MARKS, NOW, allows, parameters, tools, vocabulary
from workbench.toolspec.gbnf_rest import MAX_CHARS, grammar_after
from workbench.toolspec.grammar import calls_grammar

__all__ = ["vocabulary"]

PLACE = {
    "name": "place",
    "parameters": parameters(
        {
            "where": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "street": {"type": "string"}},
                "required": ["city"],
            },
            "count": {"type": "integer"},
            "kind": {"enum": ["house", "hotel"]},
        },
        "where",
        "kind",
    ),
}
VALID = '{"name": "place", "arguments": {"where": {"city": "R\\u00fcti [a]", "street": "\\"x\\""}, "count": 3, "kind": "hotel"}}\n</tool_call>'


def grammar_of(*functions, dialect="json"):
    return calls_grammar(tools(*functions), MARKS, dialect=dialect, begins_open=True).text


@pytest.mark.model
@pytest.mark.parametrize("cut", range(0, len(VALID) + 1, 3))
def test_a_valid_call_can_be_continued_from_any_place(vocabulary, cut):
    rest = grammar_after(grammar_of(PLACE, GET, NOW), VALID[:cut])
    assert rest is not None
    assert allows(vocabulary, rest, VALID[cut:])
    assert allows(
        vocabulary, rest, VALID[cut:] + '\n<tool_call>\n{"name": "get_now", "arguments": {}}\n</tool_call>'
    )
    assert not allows(vocabulary, rest, VALID[cut:] + "\nDone.")


@pytest.mark.model
@pytest.mark.parametrize(
    ("written", "bad", "good"),
    [
        # A required argument is missing.
        ('{"name": "place", "arguments": {"where": {"city": "Rome"}', "}}", ', "kind": "house"}}'),
        # The object of an argument has a key that its schema does not declare.
        ('{"name": "place", "arguments": {"where": {"city": "Rome", ', '"zip": 1}, "kind": "house"}}', '"street": "a"}, "kind": "house"}}'),
        ('{"name": "place", "arguments": {"where": {', '"street": "a"}, "kind": "house"}}', '"city": "a"}, "kind": "house"}}'),
        # A number where the tool wants a text, and a word that the enum does not have.
        ('{"name": "get", "arguments": {"city": ', "3}}", '"3"}}'),
        ('{"name": "place", "arguments": {"where": {"city": ""}, "kind": "ho', 'me"}}', 'use"}}'),
        # A tool that is not offered.
        ('{"name": "get', '_then", "arguments": {}}', '_now", "arguments": {}}'),
    ],
)  # fmt: skip
def test_the_rest_of_a_call_must_match_the_schema(vocabulary, written, bad, good):
    rest = grammar_after(grammar_of(PLACE, GET, NOW), written)
    assert rest is not None
    assert not allows(vocabulary, rest, bad + MARKS.close)
    assert allows(vocabulary, rest, good + MARKS.close)


@pytest.mark.model
def test_an_xml_call_is_continued_inside_a_value(vocabulary):
    whole = "<function=get>\n<parameter=city>\nR<o</param>me\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>"
    whole += MARKS.close
    for cut in range(0, len(whole), 2):
        rest = grammar_after(grammar_of(GET, NOW, dialect="xml"), whole[:cut])
        assert rest is not None
        assert allows(vocabulary, rest, whole[cut:]), cut
        assert not allows(vocabulary, rest, whole[cut:].replace("\n2\n", "\ntwo\n")) or cut > whole.index(
            "\n2"
        )


@pytest.mark.parametrize("written", ["x", '{"name": "other', "{'name'", '{"name":  "get"', VALID + "x"])
def test_a_beginning_that_does_not_fit_has_no_grammar(written):
    assert grammar_after(grammar_of(PLACE, GET, NOW), written) is None


def test_long_beginnings_and_large_grammars_are_followed_in_bounded_time():
    many = [{"name": f"tool_{number}", "parameters": GET["parameters"]} for number in range(300)]
    written = json.dumps({"name": "tool_299", "arguments": {"city": "R" * 2000}})[:-3]
    rest = grammar_after(grammar_of(*many), written)
    assert rest is not None and len(rest.splitlines()[0]) < 200
    assert grammar_after(grammar_of(GET), '{"name": "get", "arguments": {"city": "' + "R" * MAX_CHARS) is None


@pytest.mark.parametrize("grammar", ["root ::= r0\nr0 ::= r0\n", 'root ::= ("a"*)*\n'])
def test_a_grammar_that_leads_nowhere_has_no_rest(grammar):
    assert grammar_after(grammar, "b") is None
