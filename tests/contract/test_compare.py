"""A contract's prompt beside a template's own."""

from datetime import UTC, datetime

import pytest

from tests.hermes.templates import GOOD, changed
from workbench.contract.compare import compare_with_template
from workbench.contract.contract import parse_contract
from workbench.errors import BadInput
from workbench.hermes.template import parse_template

NOW = datetime(2026, 11, 21, tzinfo=UTC)
CONTRACT = "---\ntitle: t\nfamily: {family}\n---\n{text}"


def compared(source, *, family="hermes-lines", text="<tools>\n{{ tools }}\n</tools> {{ date }}"):
    contract = parse_contract(CONTRACT.format(family=family, text=text), name="c")
    return compare_with_template(contract, parse_template(source), now=NOW)


def test_each_difference_is_a_stretch_of_both_prompts():
    both = compared(GOOD)
    assert both.differences
    ours, theirs = both.ours, both.theirs
    for one in reversed(both.differences):
        ours = ours[: one.ours.start] + one.theirs.of(both.theirs) + ours[one.ours.end :]
    assert ours == theirs


def test_both_prompts_have_the_tool_the_call_and_an_opened_turn():
    both = compared(GOOD)
    for prompt in (both.ours, both.theirs):
        assert prompt.count('"name": "sentinel_tool"') == 2
        assert prompt.endswith("<|im_start|>assistant\n")
    assert "2026-11-21" in both.ours


def test_equal_prompts_have_no_difference():
    text = "{{ tools }}"
    source = (
        "{{- '<|im_start|>system\n' + (tools[0] | tojson) + '<|im_end|>\n' }}"
        "{%- for m in messages %}"
        "{%- if m.role == 'tool' %}"
        "{{- '<|im_start|>user\n<tool_response>\n' + m.content + '\n</tool_response><|im_end|>\n' }}"
        "{%- else %}{{- '<|im_start|>' + m.role + '\n' + m.content }}"
        "{%- for c in m.tool_calls or [] %}"
        "{{- '<tool_call>\n' }}{{- {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}"
        "{{- '\n</tool_call>' }}{% endfor %}"
        "{{- '<|im_end|>\n' }}{% endif %}{% endfor %}"
        "{{- '<|im_start|>assistant\n' if add_generation_prompt }}"
    )
    assert compared(source, text=text).differences == ()


def test_a_template_that_cannot_render_a_call_is_said():
    with pytest.raises(BadInput, match="it cannot render a call"):
        compared(
            changed("{%- for message in messages %}", "{%- for message in messages %}{{- message.x.y }}")
        )
