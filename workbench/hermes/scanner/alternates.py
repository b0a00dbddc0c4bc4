"""Read call blocks in known tags other than `<tool_call>`, such as `<tools>` or `<function_call>`."""

import re
from typing import Final, cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.hermes.body.call_keys import declared_keys
from workbench.hermes.body.calls import as_bodies, can_be_json, draft_calls, finish_draft
from workbench.hermes.body.payload import Body, note_tail, read_all
from workbench.hermes.body.shape import (
    CallDraft,
    is_tool_spec,
    normal_name,
)
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.marks import ALTERNATE_BEGINS, ALTERNATE_CLOSE, CALL_CLOSE, CALL_OPEN
from workbench.hermes.reading import Dialect
from workbench.hermes.scanner.block import Block, call_block, refused_block
from workbench.hermes.text.completion import BodyText, Completion, JsonNode, Tag, UnreadableBody, within_call
from workbench.hermes.text.notes import BlockNotes

_NAME: Final = re.compile(r'="([^"]*)">|=([^>]*)>')


def read_alternate(completion: Completion, start: int, end: int) -> Block | None:
    """Read the block whose opening tag is `[start, end)`, followed by `{` or `[`. Return None if it is only text."""
    text = completion.text
    notes = BlockNotes(text)
    word = re.split(r"[ =>]", text[start + 1 : end], maxsplit=1)[0]
    close = ALTERNATE_CLOSE[word]
    keys = declared_keys(completion.tools)
    source = BodyText(text, completion.reach(end), notes, close, keys=keys, begins=ALTERNATE_BEGINS)
    try:
        position = source.skip(end)
        if text[start + 1 : end].startswith(word + ">"):
            body = read_all(source, position, completion)
            if word == "tools" and holds_spec(body):
                return None
        else:
            keys = within_call(source.keys, _written_name(completion, Tag(start, end)))
            body = Body((read_value(source._replace(keys=keys), position, ""),), 0)
            body = body._replace(end=body.payloads[0].end)
        block_end = _end(completion, source, body, has_close=word != "functioncall")
    except UnreadableBody as failure:
        return _unreadable(completion, start, end, failure, close)
    if block_end is None:
        return refused_block("truncated", start, completion.stop_after(body.end))
    is_named = not text[start + 1 : end].startswith(word + ">")
    drafts = (
        _named(completion, notes, Tag(start, end), body) if is_named else draft_calls(completion, notes, body)
    )
    if drafts:
        notes.rewrite(
            "alternate-tag", start, block_end, f"{CALL_OPEN}\n{as_bodies(notes, drafts)}\n{CALL_CLOSE}"
        )
    return call_block(start, block_end, notes, drafts)


def holds_spec(body: Body) -> bool:
    """Return whether an entry of `<tools>` is a tool spec: it has a description, or a schema for its parameters."""
    values: list[JsonValue] = []
    for payload in body.payloads:
        if isinstance(payload, JsonNode):
            values.extend(
                item.value for item in payload.items
            ) if payload.items is not None else values.append(payload.value)
    return any(is_tool_spec(value) for value in values)


def _end(completion: Completion, source: BodyText, body: Body, *, has_close: bool) -> int | None:
    """Return the end of the block: after its closing tag, or where it should be. None if the text was cut off."""
    stop = completion.stop_after(body.end)
    tag = completion.call_tags.next(body.end, stop)
    limit = tag.start if tag and not tag.is_close else stop
    close = completion.places(source.close).next(body.end, limit) if source.close else None
    if close and (has_close or not source.text[body.end : close.start].strip()):
        note_tail(source, body.end, close.start)
        return close.end
    if "add-closing-bracket" in source.notes.fix_codes:
        raise source.failure(body.end)
    if completion.is_cut:
        return None
    if has_close:
        source.notes.mark("missing-close-tag", body.end, body.end)
    return body.end


def _unreadable(
    completion: Completion, start: int, tag_end: int, failure: UnreadableBody, close: "re.Pattern[str]"
) -> Block:
    completion.spend(failure.at - tag_end)
    horizon = failure.at if failure.is_over else completion.stop_after(failure.at)
    ends = [
        tag.end if tag.is_close else tag.start
        for tag in (
            completion.places(close).next(tag_end, horizon),
            completion.call_tags.next(tag_end, horizon),
        )
        if tag
    ]
    if failure.is_over and not completion.places(close).next(tag_end, horizon):
        return refused_block("truncated", start, horizon)
    return refused_block("invalid-json", start, min(ends, default=horizon))


def _named(completion: Completion, notes: BlockNotes, tag: Tag, body: Body) -> list[CallDraft]:
    """Return the call whose name is in its tag and whose payload is its arguments."""
    arguments = body.payloads[0]
    written = _written_name(completion, tag)
    scratch = BlockNotes(notes.text)
    name = normal_name(scratch, written, (tag.start, tag.end), completion.tools, json_text=False)
    notes.extend(scratch)
    if (
        name is None
        or not isinstance(arguments, JsonNode)
        or notes.has_refused(arguments.start, arguments.end)
    ):
        return []
    if not can_be_json(notes, name, tag.start, tag.end):
        return []
    if completion.dialect is Dialect.XML:
        notes.report("format-mismatch", arguments.start, arguments.end)
    draft = CallDraft(
        name, cast(JsonObject, arguments.value), Dialect.JSON, arguments.start, arguments.end, arguments
    )
    finish_draft(completion, notes, draft)
    return [draft]


def _written_name(completion: Completion, tag: Tag) -> str:
    match = _NAME.search(completion.text, tag.start, tag.end)
    return (match.group(1) if match.group(1) is not None else match.group(2)) if match else ""
