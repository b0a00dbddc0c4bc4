"""YAML with JSON's values only."""

import pytest
import yaml

from workbench.toolspec.yaml_text import load_yaml


def test_a_date_is_a_string():
    assert load_yaml("a: 2026-11-23\nb: 1\nc: 12:30:45\nd: yes") == {
        "a": "2026-11-23",
        "b": 1,
        "c": 45045,
        "d": True,
    }


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [1]\nb: *a",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
        "[" * 100_000,
        "a: " + "x" * 1_000_000,
        "a: [",
        "!!python/object/apply:os.system [ls]",
    ],
)
def test_texts_that_could_expand_or_run_code_are_rejected(text):
    with pytest.raises(yaml.YAMLError):
        load_yaml(text)
