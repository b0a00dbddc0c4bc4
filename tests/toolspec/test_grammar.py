"""Grammars of calls and answers, checked with llama.cpp's own grammar sampler."""

import json

import pytest

from tests.toolspec.gbnf_texts import Gbnf
from workbench.errors import ConstraintFailed
from workbench.toolspec.grammar import CallMarks, answer_grammar, calls_grammar, schema_grammar
from workbench.toolspec.spec import OfferedTools, ToolSpec

llama_cpp = pytest.importorskip("llama_cpp")
pytestmark = pytest.mark.model

MARKS = CallMarks(open="<tool_call>\n", close="\n</tool_call>", between="\n")


@pytest.fixture(scope="module")
def vocabulary():
    from workbench.engines.embedded_model import find_embedded

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
                "a": {"type": "string", "pattern": "^(?!x)", "maxLength": 9000},
                "b": {"type": "number", "multipleOf": 2, "minimum": 1},
                "c": {"type": "array", "uniqueItems": True, "items": {"type": "string", "format": "uri"}},
                "d": {"not": {"type": "string"}},
                "e": {"$ref": "https://example.com/schema.json"},
                "f": {"type": "integer", "pattern": "x", "x-order": 3, "maxLength": 2, "uniqueItems": True},
            }
        ),
    }
    grammar = calls_grammar(tools(NOW, function), MARKS, dialect="json", begins_open=True)
    at = "/1/function/parameters/properties"
    assert {finding.pointer for finding in grammar.findings} == {
        f"{at}/a/pattern", f"{at}/a/maxLength", f"{at}/b/multipleOf", f"{at}/c/uniqueItems",
        f"{at}/c/items/format", f"{at}/d/not", f"{at}/e/$ref",
    }  # fmt: skip
    assert {finding.code for finding in grammar.findings} == {"grammar-keyword"}
    assert calls_grammar(tools(GET), MARKS, dialect="json", begins_open=True).findings == ()


NEVER = [
    False,
    {"type": "integer", "minimum": 3, "maximum": 2},
    {"type": "string", "enum": [1]},
    {"type": "string", "minLength": 3, "maxLength": 2},
    {"allOf": [{"const": 1}, {"const": 2}]},
    {"anyOf": [False]},
    {"enum": ["a", "b"], "pattern": "^c"},
    {"type": "object", "properties": {"v": {"$ref": "#/properties/a"}}, "required": ["v"]},
    {"type": "array", "items": False, "minItems": 1},
    {"oneOf": [{"const": 1}, {"enum": [1]}]},
]


@pytest.mark.parametrize("schema", NEVER)
def test_a_schema_without_a_valid_value_is_rejected_if_it_is_required_and_left_out_if_not(schema):
    with pytest.raises(ConstraintFailed, match="allows no value"):
        schema_grammar(parameters({"a": schema}, "a"))
    grammar = Gbnf(schema_grammar(parameters({"a": schema, "b": {"type": "integer"}})))
    assert grammar.allows('{"b": 1}')
    assert not grammar.allows('{"a": 1}')
    assert Gbnf(schema_grammar({"anyOf": [schema, {"type": "null"}], "properties": {"a": schema}})).allows(
        "null"
    )


@pytest.mark.parametrize("schema", [{"$ref": "#/nowhere"}, {"$ref": "#anchor"}, {"type": "thing"}])
def test_a_schema_with_a_broken_reference_or_an_unknown_type_is_rejected(schema):
    with pytest.raises(ConstraintFailed):
        schema_grammar(parameters({"a": schema}))


def test_a_tool_without_a_valid_call_is_left_out_and_reported_if_there_are_others():
    odd = {"name": "odd", "parameters": parameters({"a": {"$ref": "#/nowhere"}}, "a")}
    for dialect in ("json", "xml"):
        grammar = calls_grammar(tools(GET, odd, NOW), MARKS, dialect=dialect, begins_open=True)
        assert [(finding.code, "'odd'" in finding.message) for finding in grammar.findings] == [
            ("grammar-failed", True)
        ]
        assert Gbnf(grammar.text).has_texts
        assert "get_now" in grammar.text
        assert '"odd' not in grammar.text
        with pytest.raises(ConstraintFailed, match="nowhere"):
            calls_grammar(tools(odd), MARKS, dialect=dialect, begins_open=True)


STRING = {"type": "string"}
NUMBER = {"type": "integer"}
TO, BY = parameters({"to": STRING}, "to"), parameters({"by": NUMBER}, "by")
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("schema", "yes", "no"),
    [
        # What is written beside alternatives applies to each of them.
        ({"properties": {"act": {"enum": ["go", "say"]}}, "required": ["act"], "anyOf": [TO, BY]}, [{"act": "go", "to": "x"}, {"act": "say", "by": 1}], [{"to": "x"}, {"act": "go"}, {"act": "stay", "to": "x"}]),
        ({**parameters({"a": STRING, "b": STRING, "c": STRING}, "c"), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{"a": "", "c": ""}, {"a": "", "b": "", "c": ""}], [{"a": ""}, {"c": ""}]),
        ({**parameters({"a": STRING, "b": STRING}), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{"a": ""}, {"b": ""}], [{}, {"a": "", "b": ""}]),
        ({"type": "array", "items": {**parameters({"id": NUMBER}, "id"), "oneOf": [TO, BY]}}, [[], [{"id": 1, "to": ""}, {"id": 1, "by": 2}]], [[{"to": ""}], [{"id": 1}]]),
        ({"type": "string", "anyOf": [STRING, {"type": "null"}]}, ["a"], [None]),
        ({"type": ["string", "null"], "enum": ["a", 1, None]}, ["a", None], [1]),
        ({"type": "number", "anyOf": [NUMBER, STRING]}, [1], [1.5, "a"]),
        ({"enum": ["a", "b", 1], "anyOf": [{"const": "b"}, {"enum": [1.0, "c"]}]}, ["b", 1], ["a", "c"]),
        ({"enum": ["aa", "b", 3], "minLength": 2, "minimum": 4}, ["aa"], ["b", 3]),
        # The schemas of a key that several parts declare are combined, and so are items.
        ({"allOf": [parameters({"a": {"minimum": 3}}), parameters({"a": NUMBER}, "a")]}, [{"a": 3}], [{"a": 2}, {"a": "x"}, {}]),
        ({"allOf": [{"allOf": [BY]}, {"allOf": [{"additionalProperties": NUMBER}]}]}, [{"by": 1}, {"by": 1, "z": 2}], [{"by": 1, "z": ""}]),
        ({"allOf": [{"properties": {"to": STRING}}], "additionalProperties": False}, [{}], [{"to": "x"}]),
        ({"allOf": [TO, BY], "unevaluatedProperties": False}, [{"to": "x", "by": 1}], [{"to": "x"}, {"to": "x", "by": 1, "z": 1}]),
        ({"allOf": [{"items": NUMBER}, {"items": {"minimum": 2}, "minItems": 1}]}, [[2], [2, 3]], [[1], []]),
        ({"$ref": "#/$defs/t", "enum": ["x", "y"], "$defs": {"t": {"enum": ["y", "z"]}}}, ["y"], ["x", "z"]),
        ({"$schema": DRAFT_7, "$ref": "#/definitions/t", "enum": ["x"], "definitions": {"t": {"enum": ["y"]}}}, ["y"], ["x"]),
        ({"$ref": "#/$defs/My%20Type", "$defs": {"My Type": NUMBER}}, [1], ["a"]),
        ({"properties": {"l": {"anyOf": [NUMBER]}, "m": {"$ref": "#/properties/l/anyOf/0"}, "n": {"$ref": "#name"}}, "$defs": {"x": {"$anchor": "name", "type": "null"}}}, [{"m": 1, "n": None}], [{"m": ""}, {"n": 1}]),
        # Keys.
        ({"properties": {"a": NUMBER}, "additionalProperties": True}, [{"a": 1}, {"ab": "x"}, {"a": 1, "": [], "b": 1}, {'"': 1}], [{"a": "x"}]),
        ({"properties": {"ab": NUMBER, 'q"': NUMBER, "é^": NUMBER}, "additionalProperties": STRING}, [{"a": ""}, {"abc": ""}, {"q": ""}, {"é": ""}], [{"ab": ""}, {'q"': ""}, {"é^": ""}, {"a": 1}]),
        ({"type": "object", "patternProperties": {"^x-": NUMBER}, "additionalProperties": False}, [{}, {"x-a": 1, "x-": 2}], [{"x-a": ""}, {"y": 1}]),
        ({"properties": {"a1": STRING}, "patternProperties": {"1$": {"minLength": 2}}, "required": ["a1"]}, [{"a1": "ab"}], [{"a1": "a"}]),
        ({"type": "object", "additionalProperties": NUMBER, "propertyNames": {"pattern": "^[a-c]+$"}}, [{"abc": 1}], [{"d": 1}]),
        ({"type": "object", "additionalProperties": NUMBER, "propertyNames": {"enum": ["x", "y"]}, "minProperties": 1}, [{"x": 1, "y": 2}], [{}, {"z": 1}]),
        ({**parameters({"a": NUMBER, "b": NUMBER}), "minProperties": 1}, [{"a": 1}, {"b": 1}], [{}]),
        ({**parameters({"a": NUMBER, "b": NUMBER}), "dependentRequired": {"a": ["b"]}}, [{"b": 1}, {"a": 1, "b": 1}, {}], [{"a": 1}]),
        ({**parameters({"a": NUMBER}), "dependentSchemas": {"a": BY}}, [{}, {"a": 1, "by": 1}], [{"a": 1}]),
        ({"type": "object", "properties": {"a": NUMBER}, "required": ["b"]}, [{"a": 1, "b": []}, {"b": 1}], [{"a": 1}]),
        # Lists.
        ({"items": [NUMBER, STRING]}, [[1, "a"]], [["a", 1], [1, "a", 2]]),
        ({"$schema": DRAFT_7, "items": [NUMBER], "additionalItems": STRING}, [[1], [1, "a"]], [[1, 2]]),
        ({"prefixItems": [NUMBER, STRING], "maxItems": 1}, [[1]], [["a"], [1, "a"]]),
        ({"prefixItems": [NUMBER], "items": STRING, "minItems": 2}, [[1, "a"]], [[1], [1, 2]]),
        # Texts.
        ({"type": "string", "pattern": r"^\d{3}-[a-f]+$"}, ["123-fa"], ["12-f", "123-", "x123-f", "123-fg"]),
        ({"type": "string", "pattern": "b"}, ["b", "abc", '"b\n'], ["", "ac"]),
        ({"type": "string", "pattern": r'^[^\s"]+["\\/\n]$'}, ['a"', "é\\", "x\n", "a/"], ["a", '""', "a b/"]),
        ({"type": "string", "pattern": "^(a|bc){2}$", "maxLength": 4, "minLength": 2}, ["aa", "bca"], ["a", "abcbca"]),
        ({"type": "string", "pattern": "^a|b$"}, ["axx", "xxb"], ["xax"]),
        ({"type": "string", "format": "date"}, ["2024-02-29", "2026-12-31", "2000-02-29"], ["2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "24-01-01"]),
        ({"type": "string", "format": "time"}, ["18:25:43.511Z", "00:00:00+02:30"], ["24:00:00Z", "18:25:43", "18:61:00Z"]),
        ({"type": "string", "format": "date-time"}, ["2012-04-23T18:25:43.511Z"], ["2012-04-23", "2012-04-23 18:25:43Z"]),
        ({"type": "string", "format": "email"}, ["a.b+c@example.co.uk"], ["a@b", "@b.c", "a b@c.d"]),
        ({"type": "string", "format": "uuid"}, ["12345678-1234-1234-1234-1234567890ab"], ["12345678-1234-1234-1234-1234567890a", "x"]),
        ({"type": "string", "format": "ipv4"}, ["0.0.0.0", "192.168.1.255"], ["256.1.1.1", "1.2.3", "01.2.3.4"]),
        # Numbers.
        ({"type": "integer", "minimum": 2}, [2, 9, 10, 12345], [1, 0, -2, 1.5]),
        ({"type": "integer", "minimum": -12, "maximum": 1234}, [-12, -1, 0, 999, 1234], [-13, -20, 1235, 2000]),
        ({"type": "integer", "exclusiveMinimum": 99, "exclusiveMaximum": 10**20}, [100, 10**20 - 1], [99, 10**20]),
        ({"type": "integer", "minimum": 10**30, "maximum": 10**30 + 5}, [10**30, 10**30 + 5], [10**30 + 6, 10**30 - 1]),
        ({"type": "integer", "maximum": -5.5}, [-6, -100], [-5, 0]),
        ({"type": "integer", "minimum": 0, "maximum": 20, "multipleOf": 5}, [0, 5, 20], [4, 25]),
        ({"type": "number", "minimum": -90, "maximum": 90}, [-90, 90, 89.99, -0.5, 0], [90.01, -91, 100]),
        ({"type": "number", "exclusiveMinimum": 0}, [0.001, 1, 99.5], [0, 0.0, -1]),
        ({"type": "number", "minimum": 0.25, "exclusiveMaximum": 1.5}, [0.25, 0.3, 1, 1.49], [0.2, 1.5, 0.249, 2]),
        ({"type": "number", "maximum": -1.5}, [-1.5, -2, -1.51], [-1.49, 0, 1]),
        # Alternatives that include each other.
        ({"anyOf": [True, NUMBER]}, [1, "a", None, {"a": []}], []),
        ({"oneOf": [{"const": "a"}, {"enum": ["a", "b"]}]}, ["b"], ["a"]),
        ({"if": parameters({"k": {"const": 1}}, "k"), "then": parameters({"x": NUMBER}, "x")}, [{"k": 1, "x": 1}], []),
    ],
)  # fmt: skip
def test_keywords_are_combined_and_enforced(schema, yes, no):
    grammar = Gbnf(schema_grammar(schema))
    texts = {json.dumps(value, ensure_ascii=False): value for value in (*yes, *no)}
    assert [text for text in texts if grammar.allows(text)] == [text for text in texts if texts[text] in yes]


def test_a_free_key_cannot_be_another_spelling_of_a_declared_key():
    grammar = Gbnf(schema_grammar({"properties": {"id": NUMBER}, "additionalProperties": STRING}))
    assert not grammar.allows('{"id": 1, "id": "x"}')
    for key in (r"\u0069d", r"i\u0064", "id"):
        assert not grammar.allows(f'{{"{key}": "x"}}'), key
    assert grammar.allows(r'{"a\u0069d": "x"}')


def test_one_escaped_code_point_is_one_character():
    grammar = Gbnf(schema_grammar({"type": "string", "minLength": 2, "maxLength": 2}))
    assert grammar.allows(r'"\ud83d\ude00a"')
    for text in (r'"\ud83d\ude00"', r'"\ud83da"', r'"\ude00a"'):
        assert not grammar.allows(text), text


def test_too_many_combinations_are_reported_and_allow_more():
    choices = [
        {"anyOf": [{"properties": {f"{name}{n}": NUMBER}, "required": [f"{name}{n}"]} for n in range(6)]}
        for name in "abc"
    ]
    spec = {"name": "f", "parameters": {"type": "object", "allOf": choices}}
    grammar = calls_grammar(tools(spec), MARKS, dialect="json", begins_open=True)
    assert {finding.pointer.rsplit("/", 1)[1] for finding in grammar.findings} == {"allOf"}
    assert Gbnf(grammar.text).allows('{"name": "f", "arguments": {"a1": 1, "b2": 1, "c3": 1}}\n</tool_call>')


def test_a_grammar_grows_with_its_schema():
    """Twice as many keys, branches or definitions take about twice as many characters."""

    def objects(count):
        return parameters(
            {f"k{n}": {"type": "integer", "minimum": n, "maximum": 10**6} for n in range(count)}
        )

    def open_objects(count):
        return {**parameters({f"k{n:04}": NUMBER for n in range(count)}), "additionalProperties": STRING}

    def unions(count):
        tagged = [parameters({"kind": {"const": f"k{n}"}, f"v{n}": NUMBER}, "kind") for n in range(count)]
        return {**parameters({"id": NUMBER}, "id"), "oneOf": tagged}

    def chains(count):
        names = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(count)}
        return {"$ref": "#/$defs/d0", "$defs": {**names, f"d{count}": NUMBER}}

    for family, size in ((objects, 200), (open_objects, 200), (unions, 30), (chains, 30)):
        small, large = (len(schema_grammar(family(count))) for count in (size, 2 * size))
        assert large < 2.4 * small, family.__name__


def test_deep_schemas_have_a_grammar():
    inner = NUMBER
    for _ in range(60):
        inner = parameters({"a": {"type": "array", "items": inner}}, "a")
    assert schema_grammar(inner)
