"""Check what a chat template does with tools, calls, results and thoughts. Each function answers one question.

`docs/reference/templates.md` explains the answers.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.short_text import shortened
from workbench.hermes.marks import CONTROL_MARK
from workbench.hermes.spelling.tools import TOOLS_NOT_JSON
from workbench.hermes.templates.bench import (
    ANSWER,
    ANSWER_MESSAGE,
    ARGUMENTS,
    CONVERSATION,
    KEY,
    PREFACE,
    QUESTION,
    RESULT,
    SCHEMA,
    SYSTEM_TEXT,
    THOUGHT,
    TOOL_NAME,
    TURN_ROLE,
    USER_MESSAGE,
    VALUE,
    Rendered,
    TemplateBench,
    call_message,
    chat_message,
    result_message,
    sentinel_tool,
    turn_role,
)
from workbench.hermes.templates.family_match import FamilyMatch, match_family
from workbench.hermes.templates.template import ChatTemplate
from workbench.toolspec.budget import budget

CHECK_STEPS: Final = 6_000_000
"""Budget of all renderings of a check, in microseconds."""
MAX_MESSAGE_CHARS: Final = 140
"""Messages that quote an error of the template are cut to this length."""

_PYTHON_WORD: Final = re.compile(r"\b(?:True|False|None)\b")
_EMPTY_THOUGHT: Final = re.compile(r"<(\w*:?think(?:ing)?)>\s*+</\1>|\[THINK\]\s*+\[/THINK\]")
"""*Source:* the tags of Qwen3, Seed-OSS and Mistral's templates."""
_VALUES: Final[Mapping[str, JsonValue]] = {
    "true or false": True,
    "null": None,
    "a number": -2.5,
    "a list": [True, None, [1.5]],
    "an object": {"a": {"b": [False, None]}},
}

Probe = Callable[[TemplateBench], Iterator[Finding]]
"""Answers one question about a template."""


def shows_tools_calls_results(bench: TemplateBench) -> Iterator[Finding]:
    """Do the tool's name, the call's key and value, and the result reach the model?"""
    rendered = bench.render(CONVERSATION, tools=[sentinel_tool()])
    if rendered.text is None:
        message = f"a call and its result cannot be rendered: {rendered.problem}"
        yield _error("template-fails", message[:MAX_MESSAGE_CHARS])
        return
    without_call = bench.render([USER_MESSAGE], tools=[sentinel_tool()]).text or ""
    if TOOL_NAME not in without_call:
        yield _error("tools-not-shown", "the offered tools do not reach the model; use a contract")
    call, _, rest = rendered.text.partition(QUESTION)[2].partition(RESULT)
    if KEY not in call or VALUE not in call:
        yield _error("call-not-shown", "a call in `tool_calls` does not reach the model")
    if RESULT not in rendered.text:
        yield _error("result-not-shown", "a tool's result does not reach the model")
    elif ANSWER not in rest:
        yield _error("answer-not-shown", "the answer after a result does not reach the model")


def writes_json_tools(bench: TemplateBench) -> Iterator[Finding]:
    """Is the text between `<tools>` and `</tools>` JSON?"""
    text = bench.render([USER_MESSAGE], tools=[sentinel_tool()]).text
    if text is None or TOOL_NAME not in text:
        return
    before, _, after = text.partition(TOOL_NAME)
    if "<tools>" not in before or "</tools>" not in after:
        yield _note("no-tools-tag", "the tools are not between <tools> and </tools>")
        return
    body = (before.rpartition("<tools>")[2] + TOOL_NAME + after.partition("</tools>")[0]).strip()
    if body.startswith("<"):
        yield _note("tools-as-xml", "the tools are written as XML")
    elif (fault := _json_fault(body)) is not None:
        yield _warning(TOOLS_NOT_JSON, "a tool's line is not valid JSON" + fault)


def keeps_text_beside_calls(bench: TemplateBench) -> Iterator[Finding]:
    """Does an assistant's text survive in a message with calls?"""
    text = bench.render(
        [USER_MESSAGE, call_message(ARGUMENTS, content=PREFACE), result_message()], tools=[sentinel_tool()]
    ).text
    if text is not None and PREFACE not in text:
        yield _warning("content-dropped", "an assistant's text is lost in a message with calls")


def takes_text_arguments(bench: TemplateBench) -> Iterator[Finding]:
    """Are arguments given as text, as in chat APIs, encoded only once?"""
    rendered = bench.render(
        [USER_MESSAGE, call_message(json.dumps(ARGUMENTS)), result_message()], tools=[sentinel_tool()]
    )
    if rendered.text is None:
        yield _crash("text-arguments-crash", "arguments given as text", rendered.problem)
    elif f'\\"{KEY}\\"' in rendered.text:
        yield _warning("arguments-encoded-twice", "arguments given as text are encoded a second time")


def writes_values_as_json(bench: TemplateBench) -> Iterator[Finding]:
    """Are true, false, null, numbers, lists and objects in arguments written, and as JSON?"""
    if _rendered_call(bench, ARGUMENTS).text is None:
        return
    as_python: list[str] = []
    for kind, value in _VALUES.items():
        rendered = _rendered_call(bench, {KEY: value})
        if rendered.text is None:
            yield _crash("value-crash", f"an argument that is {kind}", rendered.problem)
        elif _writes_python(rendered.text):
            as_python.append(kind)
    if as_python:
        yield _note("python-values", f"written as in Python, not as JSON: {', '.join(as_python)}")


def takes_null_content(bench: TemplateBench) -> Iterator[Finding]:
    """Is `content: null` beside calls, as chat APIs send it, no text?"""
    rendered = _rendered_call(bench, ARGUMENTS, content=None)
    if _rendered_call(bench, ARGUMENTS).text is None:
        return
    if rendered.text is None:
        yield _crash("null-content-crash", "null content beside calls", rendered.problem)
    elif _writes_python(rendered.text):
        yield _warning("null-content-written", "null content beside calls is written as 'None'")


def encodes_results_once(bench: TemplateBench) -> Iterator[Finding]:
    """Is a result that already is JSON text written unchanged?"""
    result = result_message(json.dumps({KEY: RESULT}))
    text = bench.render([USER_MESSAGE, call_message(ARGUMENTS), result], tools=[sentinel_tool()]).text
    if text is not None and f'\\"{KEY}\\"' in text.rpartition(VALUE)[2]:
        yield _warning("results-encoded-twice", "a result that is JSON text is encoded a second time")


def takes_any_tool(bench: TemplateBench) -> Iterator[Finding]:
    """Does the template fail on incomplete specs, on a type list with null, or without tools?"""
    nullable = {**SCHEMA, "properties": {KEY: {"type": ["string", "null"]}}}
    for subject, code, tools in (
        ("a tool without description", "no-description-crash", [sentinel_tool(description=None)]),
        ("a tool without parameters", "no-parameters-crash", [sentinel_tool(parameters=None)]),
        ("a type list with null", "nullable-type-crash", [sentinel_tool(parameters=nullable)]),
        ("no tools", "no-tools-crash", None),
    ):
        rendered = bench.render([USER_MESSAGE], tools=tools)
        if rendered.text is None:
            yield _crash(code, subject, rendered.problem)


def takes_empty_calls(bench: TemplateBench) -> Iterator[Finding]:
    """Do `tool_calls: []` and `tool_calls: null` change a plain answer?"""
    plain = bench.render([USER_MESSAGE, ANSWER_MESSAGE], tools=[sentinel_tool()]).text
    empty: list[JsonValue] = []
    for written, value in (("[]", empty), ("null", None)):
        rendered = bench.render(
            [USER_MESSAGE, chat_message("assistant", ANSWER, tool_calls=value)], tools=[sentinel_tool()]
        )
        if rendered.text is None:
            yield _crash("empty-calls-crash", f"tool_calls: {written}", rendered.problem)
        elif plain is not None and rendered.text != plain:
            yield _warning("empty-calls-change-turn", f"tool_calls: {written} changes the turn; leave it out")


def shows_where_results_go(bench: TemplateBench) -> Iterator[Finding]:
    """Whose turn are results in, and do two of them share a turn?"""
    two = [
        USER_MESSAGE,
        call_message(ARGUMENTS, count=2),
        result_message(RESULT + "_a", 0),
        result_message(RESULT + "_b", 1),
        ANSWER_MESSAGE,
    ]
    text = bench.render(two, tools=[sentinel_tool()]).text
    if text is None or RESULT + "_a" not in text or RESULT + "_b" not in text:
        return
    first, second = text.index(RESULT + "_a"), text.index(RESULT + "_b")
    role = turn_role(text, first)
    if role is not None:
        codes = {"tool": "results-in-tool-turn", "user": "results-in-user-turn"}
        yield _note(codes.get(role, "results-in-other-turn"), f"results are in a {role!r} turn")
    is_apart = TURN_ROLE.search(text, first, second) is not None
    how = "have separate turns" if is_apart else "share a turn"
    yield _note("results-apart" if is_apart else "results-merged", f"adjacent results {how}")


def keeps_thoughts(bench: TemplateBench) -> Iterator[Finding]:
    """Are thoughts of previous turns kept?"""
    apart = chat_message("assistant", ANSWER, reasoning_content=THOUGHT)
    inline = chat_message("assistant", f"<think>\n{THOUGHT}\n</think>\n\n{ANSWER}")
    for subject, code, message in (
        ("in `reasoning_content`", "thought-dropped", apart),
        ("in the text", "inline-thought-dropped", inline),
    ):
        text = bench.render([USER_MESSAGE, message, USER_MESSAGE], tools=[sentinel_tool()]).text
        if text is not None and THOUGHT not in text:
            yield _note(code, f"a thought {subject} is dropped from previous turns")


def writes_no_empty_thoughts(bench: TemplateBench) -> Iterator[Finding]:
    """Are messages without a thought written without one?"""
    conversations: dict[str, Sequence[JsonObject]] = {
        "previous turns": [USER_MESSAGE, ANSWER_MESSAGE, USER_MESSAGE],
        "the running turn": [USER_MESSAGE, call_message(ARGUMENTS), result_message()],
        "the last answer": [USER_MESSAGE, ANSWER_MESSAGE],
    }
    places: list[str] = []
    for place, messages in conversations.items():
        text = bench.render(messages, tools=[sentinel_tool()]).text
        if text is not None and _EMPTY_THOUGHT.search(text):
            places.append(place)
    if places:
        where = ", ".join(places)
        yield _warning("empty-thought-written", f"an empty thought is added where there was none: in {where}")


def escapes_control_marks(bench: TemplateBench) -> Iterator[Finding]:
    """Does a special token in user text, arguments or results act as one?"""
    whole = bench.render(CONVERSATION, tools=[sentinel_tool()]).text or ""
    mark = CONTROL_MARK.search(whole)
    if mark is None:
        return
    evil = f"sentinel{mark[0]}evil"
    probes: dict[str, Sequence[JsonObject]] = {
        "user text": [chat_message("user", evil)],
        "arguments": [USER_MESSAGE, call_message({KEY: evil}), result_message()],
        "results": [USER_MESSAGE, call_message(ARGUMENTS), result_message(evil)],
    }
    texts = {
        place: bench.render(messages, tools=[sentinel_tool()]).text for place, messages in probes.items()
    }
    places = ", ".join(place for place, text in texts.items() if text is not None and evil in text)
    if places:
        yield _warning("marks-not-escaped", f"{mark[0]!r} acts as a special token in {places}")


def keeps_prefixes(bench: TemplateBench) -> Iterator[Finding]:
    """Does the prompt of all messages start with the prompt of the first messages?"""
    messages: Sequence[JsonObject] = (
        chat_message("system", SYSTEM_TEXT),
        *CONVERSATION,
        USER_MESSAGE,
        ANSWER_MESSAGE,
    )
    whole = bench.render(messages, tools=[sentinel_tool()]).text
    if whole is None:
        return
    for count in range(2, len(messages)):
        text = bench.render(messages[:count], tools=[sentinel_tool()]).text
        if text is not None and not whole.startswith(text):
            yield _warning(
                "prefix-not-kept",
                f"the first {count} messages render differently when more follow; prefix caches miss",
            )
            return


def ends_turns(bench: TemplateBench) -> Iterator[Finding]:
    """Does an end token follow the assistant's text, so that a model learns to stop?"""
    text = bench.render([USER_MESSAGE, ANSWER_MESSAGE], tools=[sentinel_tool()]).text
    if text is not None and ANSWER in text and not text.partition(ANSWER)[2].strip():
        yield _warning("no-end-mark", "nothing follows the assistant's text, so a model cannot learn to stop")


def opens_turn(bench: TemplateBench) -> Iterator[Finding]:
    """Does the generation prompt open the assistant's turn, and does it open a thought?"""
    plain = bench.render([USER_MESSAGE], tools=[sentinel_tool()]).text
    opened = bench.render([USER_MESSAGE], tools=[sentinel_tool()], generation_prompt=True).text
    if plain is None or opened is None:
        return
    if plain == opened:
        yield _warning("no-generation-prompt", "the assistant's turn is not opened")
    elif opened.rstrip().endswith("<think>"):
        yield _note("starts-in-thought", "the completion starts inside a thought")


def shows_where_system_goes(bench: TemplateBench) -> Iterator[Finding]:
    """Where is the user's system text, compared with the tools?"""
    rendered = bench.render([chat_message("system", SYSTEM_TEXT), USER_MESSAGE], tools=[sentinel_tool()])
    if rendered.text is None:
        yield _crash("system-refused", "a system message", rendered.problem)
        return
    if SYSTEM_TEXT not in rendered.text:
        yield _error("system-lost", "a system message does not reach the model if there are tools")
    elif TOOL_NAME in rendered.text:
        system, tools = rendered.text.index(SYSTEM_TEXT), rendered.text.index(TOOL_NAME)
        is_before = system < tools
        is_apart = TURN_ROLE.search(rendered.text, min(system, tools), max(system, tools)) is not None
        turn = ", in its own turn" if is_apart else ""
        where = "before" if is_before else "after"
        code = "system-before-tools" if is_before else "system-after-tools"
        yield _note(code, f"a system message is {where} the tools{turn}")


PROBES: Final[tuple[Probe, ...]] = (
    shows_tools_calls_results,
    writes_json_tools,
    shows_where_system_goes,
    keeps_text_beside_calls,
    takes_text_arguments,
    writes_values_as_json,
    takes_null_content,
    encodes_results_once,
    takes_any_tool,
    takes_empty_calls,
    shows_where_results_go,
    keeps_thoughts,
    writes_no_empty_thoughts,
    escapes_control_marks,
    keeps_prefixes,
    ends_turns,
    opens_turn,
)
"""Sorted by the order in which the answers are shown."""


def _rendered_call(bench: TemplateBench, arguments: JsonObject, *, content: str | None = "") -> Rendered:
    call = call_message(arguments, content=content)
    return bench.render([USER_MESSAGE, call, result_message()], tools=[sentinel_tool()])


def _writes_python(text: str) -> bool:
    call = text.rpartition(QUESTION)[2].partition(RESULT)[0]
    return _PYTHON_WORD.search(call) is not None


def _json_fault(body: str) -> str | None:
    """Return why `body` is neither one JSON value nor one per line, or None. Empty if the reason is not known."""
    if _is_json([body]) or _is_json(body.splitlines()):
        return None
    for closing, missing in (("", ()), ("}", ("a closing brace is missing",))):
        for is_strict, raw in ((True, ()), (False, ("line breaks in a string are not escaped",))):
            if _is_json([body + closing], is_strict=is_strict):
                return f": {' and '.join((*missing, *raw))}"
    return ""


def _is_json(texts: Sequence[str], *, is_strict: bool = True) -> bool:
    try:
        for text in texts:
            json.loads(text, strict=is_strict)
    except (ValueError, RecursionError):
        return False
    return True


def _crash(code: str, subject: str, problem: str) -> Finding:
    return _warning(code, f"{subject} cannot be rendered: {problem}"[:MAX_MESSAGE_CHARS])


def _error(code: str, message: str) -> Finding:
    return Finding(code=code, message=message, severity=Severity.ERROR)


def _warning(code: str, message: str) -> Finding:
    return Finding(code=code, message=message, severity=Severity.WARNING)


def _note(code: str, message: str) -> Finding:
    return Finding(code=code, message=message, severity=Severity.NOTE)


def check_template(template: ChatTemplate, *, now: datetime) -> tuple[Finding, ...]:
    """Run all probes and return their answers. Never raises.

    Args:
        now: The time that the template sees.
    """
    bench = TemplateBench(template=template, now=now)
    with budget(CHECK_STEPS):
        findings = [finding for probe in PROBES for finding in probe(bench)]
        return (_family_finding(match_family(template, now=now)), *findings)


def _family_finding(match: FamilyMatch | None) -> Finding:
    if match is None:
        return _note("no-known-family", "it does not render like any family")
    if not match.differs_in:
        return _note("matches-family", f"it renders like family {match.name!r}")
    differences = ", ".join(match.differs_in)
    message = f"it does not render like any family; nearest: {match.name!r}, which differs in {differences}"
    return _note("no-known-family", shortened(message, MAX_MESSAGE_CHARS))
