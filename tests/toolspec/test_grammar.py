"""Grammars of calls and answers, checked with llama.cpp's own grammar sampler."""

import json

import pytest

from workbench.errors import ConstraintFailed
from workbench.toolspec.grammar import CallMarks, answer_grammar, calls_grammar, schema_grammar
from workbench.toolspec.spec import OfferedTools, ToolSpec

llama_cpp = pytest.importorskip("llama_cpp")
pytestmark = pytest.mark.model

MARKS = CallMarks(open="<tool_call>\n", close="\n</tool_call>", between="\n")


@pytest.fixture(scope="module")
def vocabulary():
    from workbench.engines.known_models import find_embedded

    params = llama_cpp.llama_model_default_params()
    params.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(str(find_embedded()).encode(), params)
    yield llama_cpp.llama_model_get_vocab(model)
    llama_cpp.llama_model_free(model)


def tokens_of(vocabulary, text):
    data = text.encode()
    room = (llama_cpp.llama_token * (len(data) + 8))()
    return room[: llama_cpp.llama_tokenize(vocabulary, data, len(data), room, len(room), False, False)]


def allows(vocabulary, grammar, text):
    """Return whether the grammar lets a model write `text` and then end."""
    sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
    assert sampler, grammar
    try:
        for token in [*tokens_of(vocabulary, text), llama_cpp.llama_vocab_eos(vocabulary)]:
            candidate = (llama_cpp.llama_token_data * 1)(
                llama_cpp.llama_token_data(id=token, logit=1.0, p=0.0)
            )
            array = (llama_cpp.llama_token_data_array * 1)(
                llama_cpp.llama_token_data_array(data=candidate, size=1, selected=-1, sorted=False)
            )
            llama_cpp.llama_sampler_apply(sampler, array)
            if candidate[0].logit == float("-inf"):
                return False
            llama_cpp.llama_sampler_accept(sampler, token)
        return True
    finally:
        llama_cpp.llama_sampler_free(sampler)


def tools(*functions):
    return OfferedTools(specs=tuple(ToolSpec.of_function(function) for function in functions))


def parameters(properties, *required):
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    ("schema", "yes", "no"),
    [
        ({"type": "integer"}, [0, -5, 12345], [1.5, "1", True]),
        ({"type": "integer", "minimum": 2, "maximum": 4}, [2, 4], [1, 5]),
        ({"type": "integer", "minimum": 0}, [0, 7], [-1]),
        ({"type": "number"}, [0, -1.5, 1e10], ["1", None]),
        ({"type": "boolean"}, [True, False], [0, "true"]),
        ({"type": "null"}, [None], [0]),
        ({"type": "string"}, ["", "a", 'say "a"\\n', "Zürich 🌍", "</tool_call>"], [1]),
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc"], ["a", "abcd"]),
        ({"type": ["string", "null"]}, ["a", None], [1]),
        ({"type": "string", "nullable": True}, ["a", None], [1]),
        ({"enum": ["a", 1, None]}, ["a", 1, None], ["b", 2]),
        ({"const": {"a": 1}}, [{"a": 1}], [{"a": 2}]),
        ({"type": "array", "items": {"type": "integer"}}, [[], [1], [1, 2, 3]], [["a"], 1]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3}, [[1, 2], [1, 2, 3]], [[1], [1, 2, 3, 4], []]),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, [[1, "a"]], [["a", 1], [1, "a", 2]]),
        (parameters({"a": {"type": "integer"}, "b": {"type": "string"}}, "b"), [{"a": 1, "b": "x"}, {"b": "x"}], [{"a": 1}, {}, {"b": "x", "c": 1}]),
        (parameters({"a": {"type": "integer"}, "b": {"type": "string"}}), [{}, {"a": 1}, {"b": "x"}, {"a": 1, "b": "x"}], [{"c": 1}]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, [{}, {"x": 1, "y": 2}], [{"x": "a"}]),
        ({**parameters({"a": {"type": "integer"}}, "a"), "additionalProperties": True}, [{"a": 1, "z": [1, {}]}], [{"z": 1}]),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, [1, "a"], [None]),
        ({"type": "object", "oneOf": [parameters({"a": {"type": "integer"}}, "a"), parameters({"b": {"type": "integer"}}, "b")]}, [{"a": 1}, {"b": 1}], [{}]),
        ({"allOf": [parameters({"a": {"type": "integer"}}, "a"), parameters({"b": {"type": "integer"}}, "b")]}, [{"a": 1, "b": 2}], [{"a": 1}]),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, [1], ["a"]),
        ({"$ref": "#/$defs/t", "$defs": {"t": parameters({"of": {"type": "array", "items": {"$ref": "#/$defs/t"}}})}}, [{}, {"of": [{}, {"of": []}]}], [{"of": [1]}]),
        ({}, [1, "a", [{"b": None}]], []),
        (parameters({'sa"y': {"type": "integer"}}, 'sa"y'), [{'sa"y': 1}], [{"say": 1}]),
    ],
)  # fmt: skip
def test_the_grammar_of_a_schema_allows_exactly_the_valid_values(vocabulary, schema, yes, no):
    grammar = schema_grammar(schema)
    assert [allows(vocabulary, grammar, json.dumps(value, ensure_ascii=False)) for value in yes] == [
        True
    ] * len(yes)
    assert [allows(vocabulary, grammar, json.dumps(value, ensure_ascii=False)) for value in no] == [
        False
    ] * len(no)


def test_control_characters_and_long_white_space_are_not_allowed(vocabulary):
    grammar = schema_grammar({"type": "array", "items": {"type": "string"}})
    assert not allows(vocabulary, grammar, '["a\nb"]')
    assert not allows(vocabulary, grammar, '["a",   "b"]')
    assert allows(vocabulary, grammar, '["a","b"]')


GET = {
    "name": "get",
    "parameters": parameters({"city": {"type": "string"}, "days": {"type": "integer"}}, "city"),
}
NOW = {"name": "get_now"}


def test_several_json_calls_are_allowed(vocabulary):
    grammar = calls_grammar(tools(GET, NOW), MARKS, dialect="json", begins_open=True).text
    one = '{"name": "get", "arguments": {"city": "Rome", "days": 2}}\n</tool_call>'
    two = one + '\n<tool_call>\n{"name": "get_now", "arguments": {}}\n</tool_call>'
    assert allows(vocabulary, grammar, one)
    assert allows(vocabulary, grammar, two)
    assert not allows(vocabulary, grammar, one + "\n\n")
    assert not allows(vocabulary, grammar, one.replace('"get"', '"got"'))
    assert not allows(vocabulary, grammar, one.replace('"city": "Rome", ', ""))


def test_xml_calls_contain_plain_text_and_other_values_as_json(vocabulary):
    function = {
        "name": "write",
        "parameters": parameters(
            {
                "path": {"type": "string"},
                "mode": {"enum": ["new", "append"]},
                "lines": {"type": "array", "items": {"type": "integer"}},
                "flag": {"type": "boolean"},
            },
            "path",
        ),
    }
    grammar = calls_grammar(tools(function), MARKS, dialect="xml", begins_open=True).text

    def call(**values):
        inside = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in values.items())
        return f"<function=write>\n{inside}</function>\n</tool_call>"

    for good in (
        call(path="a"),
        call(path="<div>\n</p> <<b </param>", mode="append"),
        call(path="", lines="[1, 2]", flag="true"),
        call(path="two\nlines\n"),
    ):
        assert allows(vocabulary, grammar, good), good
    for bad in (
        call(mode="new"),
        call(path="a", mode="other"),
        call(path="a", flag="yes"),
        call(path="a</parameter>b"),
        call(path="a<</parameter>b"),
    ):
        assert not allows(vocabulary, grammar, bad), bad


def test_an_answer_is_json_or_a_call(vocabulary):
    grammar = answer_grammar({"type": "integer"}, tools=tools(NOW), marks=MARKS, dialect="json").text
    assert allows(vocabulary, grammar, "42")
    assert allows(vocabulary, grammar, '<tool_call>\n{"name": "get_now", "arguments": {}}\n</tool_call>')
    assert not allows(vocabulary, grammar, "The answer is 42")


def test_keywords_that_no_grammar_can_enforce_are_reported_with_their_position():
    function = {
        "name": "f",
        "parameters": parameters(
            {
                "a": {"type": "string", "pattern": "^x", "maxLength": 9000},
                "b": {"type": "number", "multipleOf": 2, "minimum": 1},
                "c": {"type": "array", "uniqueItems": True, "items": {"type": "string", "format": "date"}},
            }
        ),
    }
    grammar = calls_grammar(tools(NOW, function), MARKS, dialect="json", begins_open=True)
    at = "/1/function/parameters/properties"
    assert {finding.pointer for finding in grammar.findings} == {
        f"{at}/a/pattern", f"{at}/a/maxLength", f"{at}/b/multipleOf", f"{at}/b/minimum",
        f"{at}/c/uniqueItems", f"{at}/c/items/format",
    }  # fmt: skip
    assert {finding.code for finding in grammar.findings} == {"grammar-keyword"}
    assert calls_grammar(tools(GET), MARKS, dialect="json", begins_open=True).findings == ()


@pytest.mark.parametrize(
    "schema",
    [{"$ref": "#/nowhere"}, {"$ref": "http://x/y"}, False, {"type": "thing"}, {"enum": []}, {"anyOf": []}],
)
def test_a_schema_with_a_broken_reference_or_no_valid_value_is_rejected(schema):
    with pytest.raises(ConstraintFailed):
        schema_grammar({"type": "object", "properties": {"a": schema}})
