"""Render a conversation to a prompt as a template family writes it, byte for byte."""

from dataclasses import dataclass, field

from workbench.chat.finding import Finding, Span
from workbench.chat.message import Conversation, Message, Role, ToolCall
from workbench.hermes.marks import ANY_MARK_JSON, ANY_MARK_XML, TURN_CLOSE, TURN_OPEN
from workbench.hermes.prompt_writer import (
    Prompt,
    PromptSource,
    PromptWriter,
    assistant_findings,
    call_findings,
    conversation_findings,
    missing_header_finding,
    read_back_findings,
)
from workbench.hermes.read_back import not_read_back
from workbench.hermes.spelling.families import family_named
from workbench.hermes.spelling.family import Family, HeaderGap, SystemPlace, TrimmedTexts
from workbench.hermes.spelling.thoughts import (
    THINK_CLOSE,
    THINK_OPEN,
    AssistantPosition,
    AssistantText,
    last_query,
)
from workbench.toolspec.spec import OfferedTools


def render(
    conversation: Conversation,
    *,
    family: str | Family,
    has_contract: bool = False,
    tools: OfferedTools | None = None,
    generation_prompt: bool = True,
    thinking: bool = True,
    neutralise: bool = False,
) -> Prompt:
    """Render a conversation to a prompt.

    >>> asked = Conversation(messages=(Message(role=Role.USER, text="Hello"),))
    >>> render(asked, family="qwen3").text
    '<|im_start|>user\\nHello<|im_end|>\\n<|im_start|>assistant\\n'

    Args:
        conversation: The messages. In an assistant's message, the text comes first, then its `calls`.
        family: A template family or its name.
        has_contract: If True, the conversation starts with a contract's system text and only the framing is added. If
            False, the family's own template writes the tools and its default system text.
        tools: The tools for the family's template, which are not written with a contract. In families with XML calls,
            arguments of these tools that the reader does not read back are reported.
        generation_prompt: Whether to open the assistant's turn at the end.
        thinking: Whether that turn may start with a thought. Has no effect for families without thoughts.
        neutralise: Whether to escape tags and special tokens in user text, arguments, results and tool specs. Otherwise
            they are only reported.

    Raises:
        BadInput: There is no family with this name.
    """
    family = family_named(family) if isinstance(family, str) else family
    any_mark = ANY_MARK_XML if family.dialect == "xml" else ANY_MARK_JSON
    query = last_query(conversation.messages, is_trimmed=family.trimmed is TrimmedTexts.ALL)
    writer = PromptWriter(any_mark, neutralise=neutralise)
    job = _RenderJob(family, conversation.messages, query, tools, writer)
    written = 0
    if not has_contract:
        written = _write_system(job, tools or OfferedTools())
        job.findings.extend(conversation_findings(family, conversation, query))
    for index in range(written, len(job.messages)):
        _write_message(job, index)
    ending = family.thought_prompt if thinking else family.no_thought_prompt
    if generation_prompt:
        job.writer.begin_part(Role.ASSISTANT, None)
        job.writer.write(family.generation_prompt + ending)
    marked = job.writer.marked()
    return Prompt(
        text=job.writer.text,
        parts=job.writer.parts(),
        marks=marked.marks,
        findings=(*job.findings, *marked.findings),
        starts_in_thought=generation_prompt and ending == THINK_OPEN,
    )


@dataclass(slots=True)
class _RenderJob:
    family: Family
    messages: tuple[Message, ...]
    query: int | None
    tools: OfferedTools | None
    writer: PromptWriter
    findings: list[Finding] = field(default_factory=list[Finding])


def _write_system(job: _RenderJob, tools: OfferedTools) -> int:
    """Write the family's own system turn. Return how many messages it includes: 0 or 1."""
    family, writer, frame = job.family, job.writer, job.family.system
    has_tools = bool(tools.specs) or frame.writes_tools_always
    if has_tools and family.check_tools is not None:
        job.findings.extend(family.check_tools(tools))
    default = frame.default_with_tools if has_tools else frame.default_without_tools
    takes_first = frame.place is not SystemPlace.OWN_TURN and _is_system(job.messages, 0)
    text = job.messages[0].text if takes_first else default
    if text is not None and family.trimmed is TrimmedTexts.ALL:
        text = text.strip()
    if text is None and not has_tools:
        return 0
    writer.begin_part(Role.SYSTEM, 0 if takes_first else None)
    writer.write(f"{TURN_OPEN}{Role.SYSTEM}\n")
    source = PromptSource.SYSTEM if takes_first else PromptSource.FAMILY
    if text is not None and (frame.place is SystemPlace.BEFORE_TOOLS or not has_tools):
        writer.write(text, source)
        writer.write("\n\n" if has_tools else "")
    if has_tools:
        _write_tools(job, tools)
    if text and has_tools and frame.place is SystemPlace.AFTER_TOOLS:
        writer.write("\n\n")
        writer.write(text, source)
    writer.write(f"{TURN_CLOSE}\n")
    return 1 if takes_first else 0


def _write_tools(job: _RenderJob, tools: OfferedTools) -> None:
    before, after = job.family.system.tools_text.split("{tools}")
    job.writer.write(before)
    job.writer.write(job.family.render_tools(tools), PromptSource.TOOLS, escape=job.family.tools_escape)
    job.writer.write(after)


def _write_message(job: _RenderJob, index: int) -> None:
    message = job.messages[index]
    job.writer.begin_part(message.role, index)
    match message.role:
        case Role.SYSTEM | Role.USER:
            _write_turn(job, message)
        case Role.ASSISTANT:
            _write_assistant(job, index)
        case Role.TOOL:
            _write_result(job, index)


def _write_turn(job: _RenderJob, message: Message) -> None:
    is_user = message.role is Role.USER
    text = message.text.strip() if is_user and job.family.trimmed is TrimmedTexts.ALL else message.text
    job.writer.write(f"{TURN_OPEN}{message.role}\n")
    job.writer.write(text, PromptSource.USER if is_user else PromptSource.SYSTEM)
    job.writer.write(f"{TURN_CLOSE}\n")


def _write_assistant(job: _RenderJob, index: int) -> None:
    message, writer, family = job.messages[index], job.writer, job.family
    last = len(job.messages) - 1
    query = last if job.query is None else job.query
    shown = family.show_thought(
        message, AssistantPosition(is_after_query=index > query, is_last=index == last)
    )
    start = writer.length
    writer.write(f"{TURN_OPEN}{Role.ASSISTANT}\n")
    if shown.thought is not None:
        writer.write(THINK_OPEN)
        writer.write(shown.thought, PromptSource.COMPLETION)
        writer.write(THINK_CLOSE)
    text, has_text = _text_beside_calls(family, shown) if message.calls else (shown.text, shown.has_text)
    writer.write(text, PromptSource.COMPLETION)
    for position, call in enumerate(message.calls):
        separator = family.between_text_and_call if has_text else ""
        writer.write("\n" if position else separator)
        _write_call(job, call)
    writer.write(f"{TURN_CLOSE}\n")
    job.findings.extend(assistant_findings(family, message, shown, Span(start, writer.length)))


def _text_beside_calls(family: Family, shown: AssistantText) -> tuple[str, bool]:
    if not family.keeps_text_beside_calls:
        return "", False
    if family.trimmed is TrimmedTexts.BESIDE_CALLS:
        return shown.text.strip(), bool(shown.text.strip())
    return shown.text, shown.has_text


def _write_call(job: _RenderJob, call: ToolCall) -> None:
    writer = job.writer
    writer.write("<tool_call>\n")
    start = writer.length
    pieces = list(job.family.render_call(call))
    for piece in pieces:
        source = PromptSource.FAMILY if piece.escape is None else PromptSource.ARGUMENTS
        writer.write(piece.text, source, escape=piece.escape)
    body = "".join(piece.text for piece in pieces)
    job.findings.extend(call_findings(job.family, call, body, Span(start, writer.length)))
    if job.family.dialect == "xml":
        names = not_read_back(call, job.family.render_call, job.tools)
        job.findings.extend(read_back_findings(names, call, Span(start, writer.length)))
    writer.write("\n</tool_call>")


def _write_result(job: _RenderJob, index: int) -> None:
    frame, writer = job.family.results, job.writer
    start = writer.length
    has_header = not _is_in_gap(frame.header_gap, job.messages, index)
    if not _is_result(job.messages, index - 1):
        writer.write(frame.open_turn if has_header else "")
    writer.write(frame.open_result)
    rendered = frame.render(job.messages[index])
    text = rendered.text.strip() if job.family.trimmed is TrimmedTexts.ALL else rendered.text
    writer.write(text, PromptSource.RESULT, escape=rendered.escape)
    is_last = index == len(job.messages) - 1
    closing = frame.close_last if is_last and frame.close_last is not None else frame.close_result
    writer.write(closing)
    if not _is_result(job.messages, index + 1):
        writer.write(frame.close_turn)
    if not has_header:
        job.findings.append(missing_header_finding(job.family, Span(start, writer.length)))


def _is_in_gap(gap: HeaderGap, messages: tuple[Message, ...], index: int) -> bool:
    is_after_system = index == 1 and _is_system(messages, 0)
    return gap is not HeaderGap.NOWHERE and (
        index == 0 or (gap is HeaderGap.AFTER_SYSTEM and is_after_system)
    )


def _is_result(messages: tuple[Message, ...], index: int) -> bool:
    return 0 <= index < len(messages) and messages[index].role is Role.TOOL


def _is_system(messages: tuple[Message, ...], index: int) -> bool:
    return index < len(messages) and messages[index].role is Role.SYSTEM
