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
CONTENT = "        {{- message.content or '' }}\n"
ARGUMENTS = "{{- arguments if arguments is string else arguments | tojson }}"
THINK = "{{- '<think>' + message.reasoning_content + '</think>' }}"
ALWAYS_THINK = "{{- '<think>\\n' ~ (message.reasoning_content or '') ~ '\\n</think>\\n' }}"
RESULT_TEXT = "{{- '<tool_response>\\n' + message.content"
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
        (CONTENT, "        {{- message.content }}\n", "null-content-written"),
        (CONTENT, "        {{- message.content | length }}{{- message.content }}\n", "null-content-crash"),
        (CONTENT, "        {{- message.content + '' }}\n", "null-content-crash"),
        (ARGUMENTS, "{{- arguments }}", "python-values"),
        (ARGUMENTS, "{%- for k, v in arguments | items %}{{- k + v }}{% endfor %}", "value-crash"),
        (RESULT_TEXT, "{{- '<tool_response>\\n' + (message.content | tojson)", "results-encoded-twice"),
        (
            RESULT_TEXT,
            "{{- '<tool_response>\\n' + ({'output': message.content} | tojson)",
            "results-encoded-twice",
        ),
        (THINK, "{%- endif %}{%- if true %}" + ALWAYS_THINK, "empty-thought-written"),
        (THINK, ALWAYS_THINK + "{%- elif loop.last %}{{- '[THINK][/THINK]' }}", "empty-thought-written"),
        (
            TOOL_LINE,
            "{{- '\\n' + (tool | tojson)[:-1] }}",
            "tools-not-json",
        ),
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


def message_of(source: str, code: str) -> str:
    (message,) = [finding.message for finding in checked(source) if finding.code == code]
    return message


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("'\\n' + (tool | tojson)[:-1]", ": a closing brace is missing"),
        (
            "'\\n' + (tool | tojson).replace('A sent', 'A\\nsent')",
            ": line breaks in a string are not escaped",
        ),
        (
            "'\\n' + (tool | tojson)[:-1].replace('A sent', 'A\\nsent')",
            ": a closing brace is missing and line breaks in a string are not escaped",
        ),
        ("'\\n' ~ tool", ""),
    ],
)
def test_the_reason_why_a_tool_is_not_json_is_named(tool: str, reason: str) -> None:
    message = message_of(changed(TOOL_LINE, f"{{{{- {tool} }}}}"), "tools-not-json")
    assert message == f"a tool's line is not valid JSON{reason}"


@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [
        ("{{- arguments }}", "true or false, null, a list, an object"),
        (
            "{%- for k, v in arguments | items %}{{- k ~ ' ' ~ (v if v is boolean else v | tojson) }}{% endfor %}",
            "true or false",
        ),
        (
            "{%- for k, v in arguments | items %}{{- k ~ ' ' ~ (v if v is sequence and v is not string and v is not mapping else v | tojson) }}{% endfor %}",
            "a list",
        ),
    ],
)
def test_the_kinds_of_values_that_are_written_as_in_python_are_named(arguments: str, kinds: str) -> None:
    assert message_of(changed(ARGUMENTS, arguments), "python-values").endswith(f": {kinds}")


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("true", "previous turns, the running turn, the last answer"),
        ("message.tool_calls", "the running turn"),
        ("loop.last and message.role == 'assistant'", "the last answer"),
        ("not loop.last and not message.tool_calls and message.role == 'assistant'", "previous turns"),
    ],
)
def test_the_places_of_empty_thoughts_are_named(condition: str, place: str) -> None:
    source = changed(THINK, "{%- endif %}{%- if " + condition + " %}" + ALWAYS_THINK)
    assert message_of(source, "empty-thought-written").endswith(f": in {place}")


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


QWEN_25 = (
    "{{- '<|im_start|>system\n' }}"
    "{{- messages[0].content if messages[0].role == 'system' else "
    "'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.' }}"
    "{%- if tools %}"
    "{{- '\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
    "function signatures within <tools></tools> XML tags:\n<tools>\n' }}"
    "{{- tools[0] | tojson }}"
    "{{- '\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": '
    "<args-json-object>}\n</tool_call>' }}"
    "{%- endif %}"
    "{{- '<|im_end|>\n' }}"
    "{%- for m in messages if m.role != 'system' %}"
    "{%- if m.role == 'tool' %}"
    "{{- '<|im_start|>user' if loop.previtem.role != 'tool' }}"
    "{{- '\n<tool_response>\n' + m.content + '\n</tool_response>' }}"
    "{{- '<|im_end|>\n' if loop.last or loop.nextitem.role != 'tool' }}"
    "{%- else %}{{- '<|im_start|>' + m.role }}{{- '\n' + m.content if m.content }}"
    "{%- for c in m.tool_calls or [] %}"
    "{{- '\n<tool_call>\n' }}{{- {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}"
    "{{- '\n</tool_call>' }}{% endfor %}"
    "{{- '<|im_end|>\n' }}{% endif %}{% endfor %}"
    "{{- '<|im_start|>assistant\n' if add_generation_prompt }}"
)
"""The framing of Qwen2.5, written for these tests."""


def test_the_family_of_a_template_that_renders_the_same_bytes_is_named() -> None:
    first = checked(QWEN_25)[0]
    assert (first.code, first.severity) == ("matches-family", Severity.NOTE)
    assert "'qwen2.5'" in first.message


@pytest.mark.parametrize(
    ("before", "after", "differences"),
    [
        ("You may call one", "Call one", "the tools"),
        ("You are a helpful assistant.", "Be kind.", "the tools, the default system text"),
        ("<|im_start|>assistant\n' if", "<|im_start|>assistant\n<think>' if", "the generation prompt"),
        ("{{- messages[0].content if", "{{- messages[0].content | trim if", "white space"),
        (
            "{{- '\n' + m.content if m.content }}",
            "{{- '\n' + m.content | trim if m.content }}",
            "white space",
        ),
        ("arguments} | tojson", "arguments} | tojson | replace('{}', '{ }')", "lists, objects"),
        ("arguments} | tojson", "arguments} | tojson | replace('1e+21', '1e21')", "numbers"),
        ("arguments} | tojson", "arguments} | tojson | replace('[]', '[ ]')", "lists"),
        (
            "arguments} | tojson",
            "arguments} | tojson | replace('null', 'None')",
            "true, false and null, lists, objects",
        ),
        (" if loop.previtem.role != 'tool'", "", "calls"),
    ],
)
def test_the_nearest_family_is_named_with_what_differs(before: str, after: str, differences: str) -> None:
    assert before in QWEN_25
    first = checked(QWEN_25.replace(before, after))[0]
    nearest = "it does not render like any family; nearest: 'qwen2.5', which differs in "
    assert (first.code, first.message) == ("no-known-family", nearest + differences)


def test_a_difference_that_only_tools_with_a_system_text_show_is_named() -> None:
    source = QWEN_25.replace("{%- if tools %}", "{%- if tools %}{{- '!' if messages[0].role == 'system' }}")
    assert checked(source)[0].message.endswith(
        "differs in the place of the system text, a whole conversation"
    )


def test_no_family_is_near_to_a_template_of_another_kind() -> None:
    source = GOOD.replace("<|im_start|>", "<|turn|>").replace("<|im_end|>", "<|end|>")
    assert checked(source)[0].message == "it does not render like any family"
