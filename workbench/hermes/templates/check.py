"""The questions of a template check, one function each.

What each answer means stands in `docs/reference/templates.md`.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Final

from workbench.chat.finding import Finding, Severity
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.marks import CONTROL_MARK
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.render import render
from workbench.hermes.spelling.families import FAMILIES
from workbench.hermes.templates.bench import (
    ANSWER,
    ANSWERED,
    ARGUMENTS,
    ASKED,
    KEY,
    PREFACE,
    QUESTION,
    RESULT,
    SCHEMA,
    SYSTEM_TEXT,
    THOUGHT,
    TOOL_NAME,
    TURN_ROLE,
    VALUE,
    WHOLE,
    TemplateBench,
    called,
    result,
    said,
    tool,
    turn_role,
)
from workbench.hermes.templates.template import ChatTemplate
from workbench.toolspec.spec import OfferedTools, ToolSpec

MAX_MESSAGE_CHARS: Final = 140
"""A message that quotes a template's own complaint is cut to this length."""

Probe = Callable[[TemplateBench], Iterator[Finding]]
"""Asks one question."""


def shows_tools_calls_results(bench: TemplateBench) -> Iterator[Finding]:
    """Do the tool's name, the call's key and value, and the result reach the model?"""
    rendered = bench.render(WHOLE, tools=[tool()])
    if rendered.text is None:
        message = f"a call and its result cannot be rendered: {rendered.problem}"
        yield _error("template-fails", message[:MAX_MESSAGE_CHARS])
        return
    without_call = bench.render([ASKED], tools=[tool()]).text or ""
    if TOOL_NAME not in without_call:
        yield _error("tools-not-shown", "the offered tools do not reach the model; use a contract")
    call, _, rest = rendered.text.partition(QUESTION)[2].partition(RESULT)
    if KEY not in call or VALUE not in call:
        yield _error("call-not-shown", "a call that is given as structure does not reach the model")
    if RESULT not in rendered.text:
        yield _error("result-not-shown", "a tool's result does not reach the model")
    elif ANSWER not in rest:
        yield _error("answer-not-shown", "the answer behind a result does not reach the model")


def writes_json_tools(bench: TemplateBench) -> Iterator[Finding]:
    """Is what stands between `<tools>` and `</tools>` JSON?"""
    text = bench.render([ASKED], tools=[tool()]).text
    if text is None or TOOL_NAME not in text:
        return
    before, _, after = text.partition(TOOL_NAME)
    if "<tools>" not in before or "</tools>" not in after:
        yield _note("no-tools-tag", "the tools do not stand between <tools> and </tools>")
        return
    body = (before.rpartition("<tools>")[2] + TOOL_NAME + after.partition("</tools>")[0]).strip()
    if body.startswith("<"):
        yield _note("tools-as-xml", "the tools are written as XML")
    elif not _is_json(body):
        yield _warning("tools-not-json", "a tool's line is not JSON; a reader of the prompt must bear that")


def keeps_text_beside_calls(bench: TemplateBench) -> Iterator[Finding]:
    """Does an assistant's text survive beside its calls?"""
    text = bench.render([ASKED, called(ARGUMENTS, content=PREFACE), result()], tools=[tool()]).text
    if text is not None and PREFACE not in text:
        yield _warning("content-dropped", "an assistant's text is lost where it also calls")


def takes_text_arguments(bench: TemplateBench) -> Iterator[Finding]:
    """Are arguments that come as a string, as chat APIs give them, rendered once?"""
    rendered = bench.render([ASKED, called(json.dumps(ARGUMENTS)), result()], tools=[tool()])
    if rendered.text is None:
        yield _crash("text-arguments-crash", "arguments given as text", rendered.problem)
    elif f'\\"{KEY}\\"' in rendered.text:
        yield _warning("arguments-encoded-twice", "arguments given as text are encoded a second time")


def takes_any_tool(bench: TemplateBench) -> Iterator[Finding]:
    """Do specs that leave something out, or allow null, or no tools at all, crash it?"""
    nullable = {**SCHEMA, "properties": {KEY: {"type": ["string", "null"]}}}
    for what, code, tools in (
        ("a tool without description", "no-description-crash", [tool(description=None)]),
        ("a tool without parameters", "no-parameters-crash", [tool(parameters=None)]),
        ("a type list with null", "nullable-type-crash", [tool(parameters=nullable)]),
        ("no tools", "no-tools-crash", None),
    ):
        rendered = bench.render([ASKED], tools=tools)
        if rendered.text is None:
            yield _crash(code, what, rendered.problem)


def takes_empty_calls(bench: TemplateBench) -> Iterator[Finding]:
    """Do `tool_calls: []` and `tool_calls: null` change a plain answer?"""
    plain = bench.render([ASKED, ANSWERED], tools=[tool()]).text
    empty: list[JsonValue] = []
    for spelled, value in (("[]", empty), ("null", None)):
        rendered = bench.render([ASKED, said("assistant", ANSWER, tool_calls=value)], tools=[tool()])
        if rendered.text is None:
            yield _crash("empty-calls-crash", f"tool_calls: {spelled}", rendered.problem)
        elif plain is not None and rendered.text != plain:
            yield _warning("empty-calls-change-turn", f"tool_calls: {spelled} changes the turn; leave it out")


def tells_where_results_stand(bench: TemplateBench) -> Iterator[Finding]:
    """In whose turn do results stand, and do two share one?"""
    two = [ASKED, called(ARGUMENTS, count=2), result(RESULT + "_a", 0), result(RESULT + "_b", 1), ANSWERED]
    text = bench.render(two, tools=[tool()]).text
    if text is None or RESULT + "_a" not in text or RESULT + "_b" not in text:
        return
    first, second = text.index(RESULT + "_a"), text.index(RESULT + "_b")
    role = turn_role(text, first)
    if role is not None:
        codes = {"tool": "results-in-tool-turn", "user": "results-in-user-turn"}
        yield _note(codes.get(role, "results-in-other-turn"), f"results stand in a {role!r} turn")
    is_apart = TURN_ROLE.search(text, first, second) is not None
    how = "each have their own turn" if is_apart else "share a turn"
    yield _note("results-apart" if is_apart else "results-merged", f"results that follow each other {how}")


def keeps_thoughts(bench: TemplateBench) -> Iterator[Finding]:
    """Do thoughts of former turns stay?"""
    apart = said("assistant", ANSWER, reasoning_content=THOUGHT)
    inline = said("assistant", f"<think>\n{THOUGHT}\n</think>\n\n{ANSWER}")
    for what, code, message in (
        ("given apart", "thought-dropped", apart),
        ("in the text", "inline-thought-dropped", inline),
    ):
        text = bench.render([ASKED, message, ASKED], tools=[tool()]).text
        if text is not None and THOUGHT not in text:
            yield _note(code, f"a thought {what} is dropped from a former turn")


def escapes_control_marks(bench: TemplateBench) -> Iterator[Finding]:
    """Does a control mark in foreign text become a real one?"""
    whole = bench.render(WHOLE, tools=[tool()]).text or ""
    mark = CONTROL_MARK.search(whole)
    if mark is None:
        return
    evil = f"sentinel{mark[0]}evil"
    probes: dict[str, Sequence[JsonObject]] = {
        "user text": [said("user", evil)],
        "arguments": [ASKED, called({KEY: evil}), result()],
        "results": [ASKED, called(ARGUMENTS), result(evil)],
    }
    texts = {what: bench.render(messages, tools=[tool()]).text for what, messages in probes.items()}
    places = ", ".join(what for what, text in texts.items() if text is not None and evil in text)
    if places:
        yield _warning("marks-not-escaped", f"a mark such as {mark[0]!r} becomes a real one in {places}")


def keeps_prefixes(bench: TemplateBench) -> Iterator[Finding]:
    """Is the prompt of the first messages a beginning of the prompt of all?"""
    messages: Sequence[JsonObject] = (said("system", SYSTEM_TEXT), *WHOLE, ASKED, ANSWERED)
    whole = bench.render(messages, tools=[tool()]).text
    if whole is None:
        return
    for count in range(2, len(messages)):
        text = bench.render(messages[:count], tools=[tool()]).text
        if text is not None and not whole.startswith(text):
            yield _warning(
                "prefix-not-kept",
                f"the first {count} messages render otherwise once more follow; caches miss",
            )
            return


def ends_turns(bench: TemplateBench) -> Iterator[Finding]:
    """Does an end mark follow the assistant's text, so that a trained model learns to stop?"""
    text = bench.render([ASKED, ANSWERED], tools=[tool()]).text
    if text is not None and ANSWER in text and not text.partition(ANSWER)[2].strip():
        yield _warning("no-end-mark", "nothing follows the assistant's text: no end mark can be learnt")


def opens_turn(bench: TemplateBench) -> Iterator[Finding]:
    """Does the generation prompt open the assistant's turn, and in a thought?"""
    plain = bench.render([ASKED], tools=[tool()]).text
    opened = bench.render([ASKED], tools=[tool()], generation_prompt=True).text
    if plain is None or opened is None:
        return
    if plain == opened:
        yield _warning("no-generation-prompt", "the assistant's turn is not opened")
    elif opened.rstrip().endswith("<think>"):
        yield _note("starts-in-thought", "the completion begins inside a thought")


def tells_where_system_stands(bench: TemplateBench) -> Iterator[Finding]:
    """Where does the user's system text go, seen from the tools?"""
    rendered = bench.render([said("system", SYSTEM_TEXT), ASKED], tools=[tool()])
    if rendered.text is None:
        yield _crash("system-refused", "a system message", rendered.problem)
        return
    if SYSTEM_TEXT not in rendered.text:
        yield _error("system-lost", "a system message does not reach the model beside tools")
    elif TOOL_NAME in rendered.text:
        system, tools = rendered.text.index(SYSTEM_TEXT), rendered.text.index(TOOL_NAME)
        is_before = system < tools
        is_apart = TURN_ROLE.search(rendered.text, min(system, tools), max(system, tools)) is not None
        turn = ", in a turn of its own" if is_apart else ""
        where = "before" if is_before else "after"
        code = "system-before-tools" if is_before else "system-after-tools"
        yield _note(code, f"a system message stands {where} the tools{turn}")


PROBES: Final[tuple[Probe, ...]] = (
    shows_tools_calls_results,
    writes_json_tools,
    tells_where_system_stands,
    keeps_text_beside_calls,
    takes_text_arguments,
    takes_any_tool,
    takes_empty_calls,
    tells_where_results_stand,
    keeps_thoughts,
    escapes_control_marks,
    keeps_prefixes,
    ends_turns,
    opens_turn,
)
"""In the order in which their answers are shown."""


def _is_json(body: str) -> bool:
    """Whether `body` is one JSON value, or one a line."""
    for texts in ([body], body.splitlines()):
        try:
            for text in texts:
                json.loads(text)
        except (ValueError, RecursionError):
            continue
        return True
    return False


def _crash(code: str, what: str, problem: str) -> Finding:
    return _warning(code, f"{what} cannot be rendered: {problem}"[:MAX_MESSAGE_CHARS])


def _error(code: str, message: str) -> Finding:
    return Finding(code=code, message=message, severity=Severity.ERROR)


def _warning(code: str, message: str) -> Finding:
    return Finding(code=code, message=message, severity=Severity.WARNING)


def _note(code: str, message: str) -> Finding:
    return Finding(code=code, message=message, severity=Severity.NOTE)


_COMPARED: Final = (
    WHOLE,
    (said("system", SYSTEM_TEXT), *WHOLE, ASKED),
    (ASKED, called(ARGUMENTS, count=2)),
)
"""Conversations that tell every two families apart."""


def check_template(template: ChatTemplate, *, now: datetime) -> tuple[Finding, ...]:
    """Answers of all probes, those of one after those of the other; never raises.

    Args:
        now: What the template is told of the time.
    """
    bench = TemplateBench(template=template, now=now)
    findings = [finding for probe in PROBES for finding in probe(bench)]
    name = matching_family(template, now=now)
    message = f"it renders as family {name!r}" if name else "it renders as none of the families"
    code = "matches-family" if name else "no-known-family"
    return (Finding(code=code, message=message, severity=Severity.NOTE), *findings)


def matching_family(template: ChatTemplate, *, now: datetime) -> str | None:
    """Name of the family that gives the same bytes as the template; None where there is none."""
    bench = TemplateBench(template=template, now=now)
    specs = (tool(),)
    tools = OfferedTools(specs=tuple(ToolSpec(document=document) for document in specs))
    wanted = [bench.render(messages, tools=specs, generation_prompt=True).text for messages in _COMPARED]
    conversations = [parse_messages(messages).conversation for messages in _COMPARED]
    for family in FAMILIES.values():
        prompts = [
            render(conversation, family=family, has_contract=False, tools=tools).text
            for conversation in conversations
        ]
        if prompts == wanted:
            return family.name
    return None
