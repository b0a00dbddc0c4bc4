"""An example of a call inside an XML value belongs to the value, and what is only an example is never a call."""

import random
from itertools import pairwise

import pytest

from tests.hermes.laws import (
    assert_events_match,
    assert_fixed_text_is_read_strictly,
    assert_spans_are_correct,
    assert_statuses_are_correct,
    assert_strict_is_tolerant_without_fixes,
    streamed,
)
from tests.hermes.readings import calls_of
from tests.hermes.xml_examples import TOOLS, real_call, unbalanced_call, written_call
from workbench.hermes.parse import parse
from workbench.hermes.reading import CallStatus, Reading
from workbench.toolspec.spec import OfferedTools

SHELL = written_call("bash", {"command": "ls"})
SHELL_CUT = "<tool_call>\n<function=bash>\n<parameter=command>\nls"
OTHER_TOOLS = OfferedTools(specs=TOOLS.specs[:1])

BALANCED = {
    "alone": SHELL,
    "on one line": "Use " + written_call("bash", {"command": "ls"}, gap="") + " to call.",
    "two": f"A\n{SHELL}\nB\n{SHELL}\nC",
    "directly after each other": f"{SHELL}\n{SHELL}",
    "in a fence": f"# Doc\n```\n{SHELL}\n```\nEnd",
    "in nested fences": f"````md\n```xml\n{SHELL}\n```\n````",
    "only the function": f"A\n{written_call('bash', {'command': 'ls'}, tags=False)}\nB",
    "only a parameter": "A\n<parameter=command>\nls\n</parameter>\nB",
    "several parameters": "A\n<parameter=x>\n1\n</parameter>\n<parameter=y>\n2\n</parameter>\nB",
    "no parameter": "<tool_call>\n<function=now>\n</function>\n</tool_call>",
    "undeclared tool": written_call("foo", {"bar": "1"}),
    "the same tool": written_call("write", {"path": "x", "content": "y"}),
    "an example in an example": written_call("write", {"path": "x", "content": SHELL}),
    "JSON": '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
    "two functions in one block": SHELL.replace(
        "</function>\n", "</function>\n<function=now>\n</function>\n"
    ),
    "a closing tag as a word": f"{SHELL}\nsee </parameter> here",
    "an opening tag as a word": f"{SHELL}\nsee <tool_call> here",
}
ORDERS = {"last": ("path", "content"), "first": ("content", "path")}


def written(content: str, order: str = "last") -> str:
    values = {"path": "d.md", "content": content}
    return written_call("write", {name: values[name] for name in ORDERS[order]})


def is_flagged(reading: Reading) -> bool:
    return bool(reading.findings) or any(fix.is_guess for fix in reading.fixes)


def assert_laws_hold(text: str, **options: object) -> Reading:
    settings = {
        "tools": TOOLS,
        "level": "tolerant",
        "dialect": "auto",
        "finish_reason": "stop",
        "starts_in_thought": False,
        **options,
    }
    reading = parse(text, **settings)  # type: ignore[arg-type]
    assert_spans_are_correct(reading)
    assert_statuses_are_correct(reading)
    assert_strict_is_tolerant_without_fixes(reading, settings)
    assert_fixed_text_is_read_strictly(reading, settings)
    return reading


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("content", BALANCED.values(), ids=BALANCED)
@pytest.mark.parametrize("tools", [TOOLS, OTHER_TOOLS, None], ids=["offered", "not offered", "no tools"])
def test_a_balanced_example_belongs_to_the_value(
    content: str, order: str, tools: OfferedTools | None
) -> None:
    call = ("write", {"path": "d.md", "content": content})
    text = written(content, order)
    reading = assert_laws_hold(text, tools=tools)
    assert calls_of(reading) == [call]
    assert reading.calls[0].status is CallStatus.READY
    assert [fix.code for fix in reading.fixes] == ["tag-in-value"]
    # Without tools, a line with `<parameter=…>` may as well be the next parameter.
    assert not is_flagged(reading) or (tools is None and content.startswith("A\n<parameter="))
    assert calls_of(assert_laws_hold(f"{text}\n{text}", tools=tools)) == [call, call]


def test_examples_in_two_parameters_belong_to_both() -> None:
    text = written_call("write", {"path": SHELL, "content": f"{SHELL} and {SHELL}"})
    reading = assert_laws_hold(text)
    assert calls_of(reading) == [("write", {"path": SHELL, "content": f"{SHELL} and {SHELL}"})]
    assert not is_flagged(reading)


def test_a_real_call_after_an_example_is_a_call() -> None:
    reading = assert_laws_hold(f"{written(SHELL)}\n{SHELL}")
    assert [call.name for call in reading.calls] == ["write", "bash"]
    assert reading.calls[0].arguments["content"] == SHELL


def test_a_call_without_its_opening_tag_keeps_its_example() -> None:
    text = written(SHELL).removeprefix("<tool_call>\n")
    assert calls_of(assert_laws_hold(text, level="strict")) == []
    for level in ("tolerant", "lenient"):
        reading = assert_laws_hold(text, level=level)
        assert calls_of(reading) == [("write", {"path": "d.md", "content": SHELL})]


@pytest.mark.parametrize(
    "content",
    [
        "Close with </function> and go on.",
        "Close with </function> and then </tool_call>, done.",
        f"A\n{SHELL_CUT}",
        "Write <function=bash><parameter=command> first",
        "Write <tool_call><function=bash><parameter=command> first",
        "Write <function=bash> first",
        '<tool_call>\n{"name": "f", "arguments": {"x": "</function>"}}\n</tool_call>',
        SHELL.removeprefix("<tool_call>\n"),
        SHELL.replace("</parameter>\n", ""),
    ],
)
def test_a_value_whose_tags_do_not_pair_up_is_whole_and_a_guess(content: str) -> None:
    reading = assert_laws_hold(written(content))
    assert calls_of(reading) == [("write", {"path": "d.md", "content": content})]
    assert [(fix.code, fix.is_guess) for fix in reading.fixes] == [("tag-in-value", True)]
    assert [finding.code for finding in reading.findings] == ["ambiguous-end"]


@pytest.mark.parametrize(
    "content", ["a </parameter> b", "a </tool_call> b", "a <tool_call> b", "a <parameter=x> b"]
)
def test_a_tag_that_can_only_be_text_is_no_guess(content: str) -> None:
    reading = assert_laws_hold(written(content))
    assert calls_of(reading) == [("write", {"path": "d.md", "content": content})]
    assert not is_flagged(reading)


def test_an_example_of_closing_tags_alone_is_reported_with_all_that_follows_it() -> None:
    text = written(f"Ends with </parameter></function></tool_call> as here: {SHELL}")
    reading = assert_laws_hold(text)
    assert [call.name for call in reading.calls] == ["write", "bash"]
    assert [(fix.code, fix.is_guess) for fix in reading.fixes] == [("orphan-close-tag", True)]
    (finding,) = reading.findings
    assert finding.code == "ambiguous-end"
    assert finding.span is not None
    assert finding.span.end == len(text)


@pytest.mark.parametrize("reason", ["stop", "length"])
@pytest.mark.parametrize("examples", [1, 2])
def test_nothing_runs_if_the_text_is_cut_after_examples(examples: int, reason: str) -> None:
    head = written("").removesuffix("\n\n</parameter>\n</function>\n</tool_call>") + "\n"
    text = head + "\n".join([SHELL] * examples)
    reading = assert_laws_hold(text, finish_reason=reason)
    ready = [call.name for call in reading.calls if call.status is CallStatus.READY]
    assert ready in ([], ["write"])
    assert reason == "stop" or not ready
    assert is_flagged(reading)
    assert calls_of(assert_laws_hold(f"{text}\nand", finish_reason="length")) == []


@pytest.mark.parametrize("seed", range(60))
def test_generated_values_with_balanced_examples_are_read_whole(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(4):
        written_calls = [real_call(chance) for _ in range(chance.randint(1, 2))]
        text = "\n".join(call_text for call_text, _ in written_calls)
        for tools in (TOOLS, None):
            reading = parse(text, tools=tools)
            assert [[call.name, call.arguments] for call in reading.calls] == [
                call for _, call in written_calls
            ]
            assert tools is None or not is_flagged(reading)


@pytest.mark.parametrize("seed", range(60))
def test_generated_values_with_single_tags_obey_the_laws(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(3):
        text = unbalanced_call(chance)
        options = {"tools": chance.choice([TOOLS, None]), "level": chance.choice(["tolerant", "lenient"])}
        options["finish_reason"] = chance.choice(["stop", "length"])
        reading = assert_laws_hold(text, **options)
        cuts = sorted({0, len(text), *(chance.randrange(len(text)) for _ in range(30))})
        for pieces in (list(text), [text[start:end] for start, end in pairwise(cuts)]):
            events, again = streamed(pieces, **options)
            assert again == reading
            assert_events_match(events, again)
