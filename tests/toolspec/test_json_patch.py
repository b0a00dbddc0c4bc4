"""Changing JSON text keeps what its author wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.toolspec.json_patch import patched_json

SPEC = """{
    "name": "f",   "description": "D.",
    "parameters": {"type": "object",
        "properties": {
            "a": { "type":"string", "enum": ["x","y"] }
        },
        "required": ["a"]}
}
"""


def test_only_the_changed_member_is_rewritten():
    value = json.loads(SPEC)
    value["parameters"]["properties"]["a"]["type"] = "integer"
    assert patched_json(SPEC, value) == SPEC.replace('"type":"string"', '"type":"integer"')


def test_a_new_member_follows_the_layout_of_its_neighbours():
    value = json.loads(SPEC)
    value["parameters"]["properties"]["b"] = {"type": "string"}
    assert patched_json(SPEC, value) == SPEC.replace(
        ' "enum": ["x","y"] }\n',
        ' "enum": ["x","y"] },\n            "b": {\n                "type": "string"\n            }\n',
    )


def test_a_removed_member_leaves_no_comma():
    value = json.loads(SPEC)
    del value["parameters"]["required"], value["name"]
    changed = patched_json(SPEC, value)
    assert json.loads(changed) == value
    assert '"a": { "type":"string", "enum": ["x","y"] }\n        }}' in changed


def test_true_is_not_one():
    assert patched_json('{"a": 1}', {"a": True}) == '{"a": true}'


@pytest.mark.parametrize("text", ["", "[1]", "{", "1"])
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        patched_json(text, {"a": 1})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text('ab"\\{}:,\n é', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"', max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text('abc"', max_size=2), VALUES, max_size=4)


@given(OBJECTS, OBJECTS, st.sampled_from([None, 1, 2, "\t"]))
def test_the_result_has_the_new_value_in_its_order(old, new, indent):
    text = json.dumps(old, indent=indent, ensure_ascii=False)
    changed = patched_json(text, new)
    assert json.dumps(json.loads(changed)) == json.dumps(new)
    assert patched_json(changed, new) == changed
