"""A template check finds each fault of a template."""

from datetime import UTC, datetime

import pytest

from tests.hermes.templates.samples import GOOD, changed
from workbench.chat.finding import Finding, Severity
from workbench.hermes.templates.check import check_template
from workbench.hermes.templates.template import parse_template

NOW = datetime(2026, 11, 21, tzinfo=UTC)
FACTS = [
    "no-known-family",
    "system-before-tools",
    "results-in-tool-turn",
    "results-apart",
    "marks-not-escaped",
]
SYSTEM_FIRST = "{{- messages[0].content + '\\n\\n' }}"
CONTENT = "        {{- message.content }}\n"
ARGUMENTS = "{{- arguments if arguments is string else arguments | tojson }}"
THINK = "{{- '<think>' + message.reasoning_content + '</think>' }}"
LOOP_CALLS = "{%- for call in message.tool_calls or [] %}"
TOOL_LINE = "{{- '\\n' + (tool | tojson) }}"
OPEN_TURN = "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}"
END_TURN = "    {{- '<|im_end|>\\n' }}\n{%- endfor %}"


def checked(source: str) -> tuple[Finding, ...]:
    return check_template(parse_template(source), now=NOW)


def codes(source: str) -> list[str]:
    return [finding.code for finding in checked(source)]


def test_a_good_template_gets_notes_and_the_warning_about_unescaped_marks() -> None:
    findings = checked(GOOD)
    assert [finding.code for finding in findings] == FACTS
    assert [finding.code for finding in findings if finding.severity is not Severity.NOTE] == [
        "marks-not-escaped"
    ]
    assert "user text, arguments, results" in findings[-1].message


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (TOOL_LINE, "", "tools-not-shown"),
        (ARGUMENTS, "{{- '{}' }}", "call-not-shown"),
        ("'<tool_response>\\n' + message.content", "'<tool_response>\\n'", "result-not-shown"),
        (TOOL_LINE, "{{- '\\n' ~ tool }}", "tools-not-json"),
        (TOOL_LINE, "{{- '\\n<function>' + tool.function.name }}", "tools-as-xml"),
        ("{{- '<tools>' }}", "{{- 'Tools:' }}", "no-tools-tag"),
        (CONTENT, "        {{- message.content if not message.tool_calls }}\n", "content-dropped"),
        (ARGUMENTS, "{{- arguments | tojson }}", "arguments-encoded-twice"),
        (ARGUMENTS, "{%- for k, v in arguments | items %}{{- k ~ v }}{% endfor %}", "text-arguments-crash"),
        (TOOL_LINE, "{{- '\\n' + tool.function.description + (tool | tojson) }}", "no-description-crash"),
        (
            TOOL_LINE,
            "{{- '\\n' ~ tool.function.parameters.properties ~ (tool | tojson) }}",
            "no-parameters-crash",
        ),
        (
            TOOL_LINE,
            "{%- for k, v in tool.function.parameters.properties | items %}{{- 'T' + v.type }}{% endfor %}"
            "{{- '\\n' ~ (tool | tojson) }}",
            "nullable-type-crash",
        ),
        ("{%- if tools %}", "{%- set n = tools | length %}{%- if tools %}", "no-tools-crash"),
        (LOOP_CALLS, "{%- for call in message.tool_calls %}", "empty-calls-crash"),
        (
            CONTENT,
            "        {{- message.content if message.tool_calls is not defined }}\n",
            "empty-calls-change-turn",
        ),
        ("'<|im_start|>' + message.role + '\\n'", "'<|im_start|>user\\n'", "results-in-user-turn"),
        (THINK, "", "thought-dropped"),
        (CONTENT, "        {{- message.content.split('</think>')[-1] }}\n", "inline-thought-dropped"),
        (THINK, "{{- messages | length }}" + THINK, "no-known-family"),
        (CONTENT, "        {{- message.content ~ messages | length }}\n", "prefix-not-kept"),
        (END_TURN, "    {{- '\\n' }}\n{%- endfor %}", "no-end-mark"),
        (OPEN_TURN, "", "no-generation-prompt"),
        (
            "<|im_start|>assistant\\n' }}{% endif %}",
            "<|im_start|>assistant\\n<think>\\n' }}{% endif %}",
            "starts-in-thought",
        ),
        (SYSTEM_FIRST, "", "system-lost"),
        (SYSTEM_FIRST, "{{- raise_exception('no system') }}", "system-refused"),
        (
            "{%- for message in messages %}",
            "{%- for message in messages %}{{- message.content.x.y }}",
            "template-fails",
        ),
    ],
)
def test_a_fault_is_reported(before: str, after: str, code: str) -> None:
    assert code in codes(changed(before, after))


def test_results_that_share_a_turn_are_reported() -> None:
    source = changed(
        "{{- '<|im_start|>' + message.role + '\\n' }}",
        "{%- if message.role != 'tool' or loop.previtem.role != 'tool' %}{{- '<|im_start|>' + message.role }}{% endif %}",
    )
    assert "results-merged" in codes(source)


def test_a_template_that_always_fails_can_be_checked() -> None:
    findings = checked("{{ raise_exception('never') }}")
    assert "template-fails" in [finding.code for finding in findings]
    assert all(len(finding.message) <= 140 for finding in findings)


def test_a_template_without_tools_needs_a_contract() -> None:
    plain = (
        "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>' + '\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    )
    assert codes(plain)[:3] == ["no-known-family", "tools-not-shown", "call-not-shown"]


def test_the_family_of_a_template_that_renders_the_same_bytes_is_named() -> None:
    # The framing of Qwen2.5, written for this test.
    source = (
        "{{- '<|im_start|>system\n' }}"
        "{{- messages[0].content if messages[0].role == 'system' else "
        "'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.' }}"
        "{{- '\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
        "function signatures within <tools></tools> XML tags:\n<tools>\n' }}"
        "{{- tools[0] | tojson }}"
        "{{- '\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
        '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": '
        "<args-json-object>}\n</tool_call><|im_end|>\n' }}"
        "{%- for m in messages if m.role != 'system' %}"
        "{%- if m.role == 'tool' %}"
        "{{- '<|im_start|>user\n<tool_response>\n' + m.content + '\n</tool_response><|im_end|>\n' }}"
        "{%- else %}{{- '<|im_start|>' + m.role }}{{- '\n' + m.content if m.content }}"
        "{%- for c in m.tool_calls or [] %}"
        "{{- '\n<tool_call>\n' }}{{- {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}"
        "{{- '\n</tool_call>' }}{% endfor %}"
        "{{- '<|im_end|>\n' }}{% endif %}{% endfor %}"
        "{{- '<|im_start|>assistant\n' if add_generation_prompt }}"
    )
    first = checked(source)[0]
    assert (first.code, first.severity) == ("matches-family", Severity.NOTE)
    assert "'qwen2.5'" in first.message
