"""Chat templates are rendered in a sandbox as Hugging Face renders them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given as for_any
from hypothesis import settings
from hypothesis import strategies as st

from tests.hermes.templates.samples import GOOD
from tests.properties import examples
from workbench.errors import BadInput
from workbench.hermes.templates.template import (
    MAX_SOURCE_CHARS,
    TemplateInput,
    parse_template,
    render_template,
)

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
HI = [{"role": "user", "content": "Hi"}]


def rendered(source: str, messages: Any = HI, **options: Any) -> str:
    return render_template(parse_template(source), TemplateInput(messages=messages, now=NOW, **options))


def refused(source: str, **options: Any) -> str:
    with pytest.raises(BadInput) as caught:
        rendered(source, **options)
    return str(caught.value)


def test_a_template_renders_its_messages_and_opens_the_turn() -> None:
    assert rendered(GOOD, generation_prompt=True) == (
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ {'q': \"a<b> & it's é\"} | tojson }}", '{"q": "a<b> & it\'s é"}'),
        ("{{ {'b': 1, 'a': 2} | tojson(indent=1, sort_keys=true) }}", '{\n "a": 2,\n "b": 1\n}'),
        ("  {% if true %}\n  x\n  {% endif %}\ny", "  x\ny"),
        ("{{ strftime_now('%d %b %Y') }}", "21 Nov 2026"),
        ("{% for m in [1,2,3] %}{% if m == 2 %}{% break %}{% endif %}{{ m }}{% endfor %}", "1"),
        ("a{% generation %}b{{ messages[0].content }}{% endgeneration %}c", "abHic"),
        ("{{ bos_token }}|{{ eos_token }}|{{ unknown }}|{{ tools == none }}", "|||True"),
        (
            "{% set ns = namespace(n=0) %}{% for i in range(3) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}",
            "3",
        ),
        ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(1) ~ m('b') }}", "<1><b>"),
        ("{{ 'ab' * 2 + 'c' ~ 2 ** 3 }}", "ababc8"),
        ("x\n", "x"),
    ],
)
def test_the_environment_matches_hugging_face(source: str, text: str) -> None:
    assert rendered(source) == text


def test_more_variables_can_be_passed() -> None:
    assert rendered(
        "{{ bos_token }}{{ enable_thinking }}", variables={"bos_token": "<s>", "enable_thinking": False}
    ) == ("<s>False")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{% if %}", "template, line 1: Expected an expression"),
        ("a\n{{ b", "template, line 2: unexpected end of template"),
        ("{% unknown %}", "template, line 1: Encountered unknown tag 'unknown'"),
        ("x" * (MAX_SOURCE_CHARS + 1), "template: it has over 200,000 characters"),
        ("{{ raise_exception('No user query.') }}", "template: TemplateError: No user query."),
        ("{{ none + 'x' }}", "template: TypeError: "),
        ("{{ a.b.c }}", "template: UndefinedError: 'a' is undefined"),
        ("{{ 1 / 0 }}", "template: ZeroDivisionError: "),
        ("{{ '%d' % 'x' }}", "template: TypeError: "),
        ("{{ messages[0].content | nope }}", "template, line 1: No filter named 'nope'"),
    ],
)
def test_a_failing_template_raises_bad_input_with_the_reason(source: str, message: str) -> None:
    assert refused(source).startswith(message)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.__init__.__globals__ }}",
        "{{ cycler.__init__.__globals__.os }}",
        "{{ messages.append({}) }}",
        "{{ messages[0].update({'role': 'system'}) }}",
        "{% include 'x' %}",
        "{% import 'x' as x %}",
    ],
)
def test_a_template_cannot_leave_the_sandbox_or_change_its_input(source: str) -> None:
    assert refused(source).startswith("template")


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ 'x' * 1000000000000 }}",
        "{{ 1000000000000 * [1] }}",
        "{{ 9 ** 999999999 }}",
        "{% set ns = namespace(n=9) %}{% for i in range(99) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
        "{% set ns = namespace(n=9) %}{% for i in range(9) %}{% set ns.n = ns.n ** 60 %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
    ],
)
@pytest.mark.slow
def test_an_endless_template_is_stopped(source: str) -> None:
    assert refused(source).startswith("template")


@pytest.mark.slow
def test_each_rendering_has_its_own_step_limit() -> None:
    template = parse_template("{% for a in range(90000) %}{% endfor %}done")
    template_input = TemplateInput(messages=HI, now=NOW)
    assert [render_template(template, template_input) for _ in range(3)] == ["done"] * 3


def test_templates_of_the_same_source_are_equal() -> None:
    assert parse_template(GOOD) == parse_template(GOOD)


FRAGMENTS = st.sampled_from(
    [
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "if",
        "else",
        "endif",
        "for",
        "in",
        "endfor",
        "set",
        "macro",
        "endmacro",
        "call",
        "endcall",
        "messages",
        "message",
        "tools",
        "x",
        "'a'",
        "1",
        "(",
        ")",
        "[",
        "]",
        "|",
        "tojson",
        "items",
        "length",
        "trim",
        "join",
        ".",
        "content",
        "role",
        "split",
        "+",
        "~",
        "*",
        "**",
        "-",
        "-%",
        "%-",
        ",",
        ":",
        "==",
        "is",
        "not",
        "defined",
        "none",
        "range(3)",
        "loop.",
        "first",
        "namespace(",
        "generation",
        "endgeneration",
        "break",
        "continue",
        "raise_exception(",
        "strftime_now(",
        "=",
    ]
)


@settings(deadline=None, max_examples=examples(300))
@for_any(st.lists(FRAGMENTS, max_size=14).map(" ".join) | st.text())
def test_any_text_is_a_template_or_raises_bad_input(source: str) -> None:
    try:
        assert isinstance(rendered(source), str)
    except BadInput as error:
        assert error.where.startswith("template")
