"""Templates of mock results: the allowed syntax, and syntax that is refused before it runs."""

from random import Random

import pytest

from workbench.toolbox.mock_templates import render_template, template_problem


def rendered(text, **arguments):
    return render_template(text, arguments, call_number=3, random=Random(0))


@pytest.mark.parametrize(
    ("text", "arguments", "output"),
    [
        ("{{ city | upper }} {{ arguments.city }} {{ call_number }}", {"city": "Rome"}, "ROME Rome 3"),
        ("{% if a > 1 %}many{% else %}few{% endif %}", {"a": 2}, "many"),
        ("{{ unit | default('metric') }}", {}, "metric"),
        ("{{ a.b[0].c }}", {"a": {"b": [{"c": 1}]}}, "1"),
        ("{{ a.items }}", {"a": {"items": 5}}, "5"),
        ("{{ a * b % 7 + a // b - 1 }}", {"a": 9, "b": 2}, "7"),
        ("{{ 'x' if a is defined else 'y' }}", {}, "y"),
    ],
)
def test_values_conditions_and_arithmetic_can_be_used(text, arguments, output):
    assert rendered(text, **arguments) == output


def test_random_values_depend_only_on_the_seed():
    text = "{{ random() }} {{ randint(1, 6) }} {{ choice(['a', 'b']) }}"
    assert rendered(text) == rendered(text)


@pytest.mark.parametrize(
    "text",
    [
        "{% for x in [1] %}{{ x }}{% endfor %}",
        "{% set a = 'x' %}{{ a }}",
        "{% macro m() %}x{% endmacro %}{{ m() }}",
        "{% include 'x' %}",
        "{% import 'x' as y %}",
        "{% extends 'x' %}",
        "{% block b %}x{% endblock %}",
        "{% filter upper %}x{% endfilter %}",
        "{% with a = 1 %}{{ a }}{% endwith %}",
        "{{ a.__class__ }}",
        "{{ a['__class__'].__mro__ }}",
        "{{ ().__class__.__bases__[0].__subclasses__() }}",
        "{{ a.upper() }}",
        "{{ range(10 ** 9) }}",
        "{{ self }}{{ self._TemplateReference__context }}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ a | attr('__class__') }}",
        "{{ a | center(1000000000) }}",
        "{{ a | map('upper') }}",
        "{{ lipsum.__globals__ }}",
        "{{ cycler(1) }}",
        "{{",
        "x" * 20_001,
    ],
)
def test_loops_attributes_and_unlisted_names_are_refused_before_they_run(text):
    assert template_problem(text)
    with pytest.raises(ValueError, match=r"\w"):
        rendered(text, a="text")


def test_a_template_with_too_many_characters_or_parts_is_refused() -> None:
    assert template_problem("x" * 20_000) == template_problem("{{ a }}" * 1_900) == ""
    assert "over 20000 characters" in template_problem("x" * 20_001)
    assert "over 2000 texts, names and operations" in template_problem("{{ a }}" * 2_100)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("{{ a.upper }}", {"a": "x"}),
        ("{{ a.nothing }}", {"a": {}}),
        ("{{ arguments.keys }}", {}),
        ("{{ 'x' * 1000000000 }}", {}),
        ("{{ '%1000000000d' % a }}", {"a": 1}),
        ("{{ [0] * 1000000000 }}", {}),
        ("{{ a * a }}", {"a": 10**4300}),
        ("{{ 1 / 0 }}", {}),
        ("{{ nothing }}", {}),
        ("{{ a ~ a }}", {"a": "x" * 15_000}),
    ],
)
def test_an_error_while_rendering_has_a_message(text, arguments):
    with pytest.raises(ValueError, match=r"\w"):
        rendered(text, **arguments)
