"""Text that is nearly a tag is reported, and nothing else changes."""

import pytest

from workbench.hermes.codes import BY_WORD, CodeKind
from workbench.hermes.near_miss import check_prose, check_tags
from workbench.hermes.parse import parse

NOOP = [
    "<tool_call>", "</TOOL_CALL>", "<think>", "<tool_response>", "<function=f>", "<parameter=k>", '<tool_call name="f">',
    "`<tool-call>`", "&lt;tool_call&gt;", "a < tool_call and b > c", "<toolbox>", "<b>", "1 <2> 3", "<thinking>",
    "the function: f", "<div function='x'>", "<tool\ncall>",
]  # fmt: skip
NEAR = [
    ("<toolcall>", "<tool_call>"),
    ("<tool-call>", "<tool_call>"),
    ("<tool call>", "<tool_call>"),
    ("<tool_calls>", "<tool_call>"),
    ("</ToolCall>", "</tool_call>"),
    ("< tool_call >", "<tool_call>"),
    ("</tool_call >", "</tool_call>"),
    ("<tool_call/>", "<tool_call>"),
    ("<|tool_call|>", "<tool_call>"),
    ("<tool\u200b_call>", "<tool_call>"),
    ("＜tool_call＞", "<tool_call>"),
    ("＜/tool_call＞", "</tool_call>"),
    ("<tool-response>", "<tool_response>"),
    ("<Think>", "<think>"),
    ("<function = f>", "<function=…>"),
    ("<Function=f>", "<function=…>"),
    ("<function: f>", "<function=…>"),
    ("<parameter =k>", "<parameter=…>"),
]


@pytest.mark.parametrize("text", NOOP)
def test_correct_tags_and_other_text_are_not_reported(text: str) -> None:
    assert check_tags(f"See {text} there.") == ()


@pytest.mark.parametrize(("text", "meant"), NEAR, ids=[repr(text) for text, _ in NEAR])
def test_a_near_miss_is_reported_with_the_correct_tag(text: str, meant: str) -> None:
    (finding,) = check_tags(f"See {text} there.")
    assert finding.span is not None
    assert finding.span.of(f"See {text} there.") == text
    assert (finding.code, finding.severity) == ("near-miss-tag", "note")
    assert repr(meant) in finding.message
    assert len(finding.message) < 100


def test_only_prose_is_checked_and_spans_refer_to_the_completion() -> None:
    text = (
        "<think>a <toolcall> b</think>Hm <toolcall>\n"
        '<tool_call>{"name": "f", "arguments": {"q": "<toolcall>"}}</tool_call>\nand </tool-call>'
    )
    reading = parse(text)
    assert [finding.span.of(text) for finding in check_prose(reading) if finding.span] == [
        "<toolcall>",
        "</tool-call>",
    ]
    assert (reading.fixes, reading.findings) == ((), ())


def test_the_code_is_a_lint() -> None:
    assert BY_WORD["near-miss-tag"].kind is CodeKind.LINT
