"""Turn the payloads of a block into calls: find name and arguments, coerce values, check them against the schema."""

import json
import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple, cast

from workbench.chat.finding import Finding, Span, apply_edits
from workbench.chat.json_value import JsonObject, JsonValue
from workbench.chat.near_names import nearest_name
from workbench.chat.short_text import shortened
from workbench.hermes.body.call_keys import declared_keys
from workbench.hermes.body.function_xml import Function
from workbench.hermes.body.payload import Body, Payload
from workbench.hermes.body.shape import (
    CallDraft,
    decode_alone,
    is_bad_parameter,
    normal_name,
    shape_call,
)
from workbench.hermes.body.xml_value import typed_value
from workbench.hermes.json_text.fast import decode, is_utf8
from workbench.hermes.reading import CallStatus, Dialect
from workbench.hermes.text.completion import Completion, JsonNode
from workbench.hermes.text.notes import BlockNotes, finding_of
from workbench.toolspec.argument_types import types_of_argument
from workbench.toolspec.check import check_arguments
from workbench.toolspec.coerce import Path, coerced, find_coercions

_MOST_SHOWN: Final = 3
"""Most members that a finding shows."""
_LONGEST_SHOWN: Final = 40
"""Longest part of a member that a finding shows, in characters."""
_COMMA: Final = re.compile(r"\s*+,\s*+(?=\")")
SEPARATOR: Final = "\n</tool_call>\n<tool_call>\n"


class CheckedCall(NamedTuple):
    """A call that was checked against the offered tools."""

    draft: CallDraft
    status: CallStatus
    findings: tuple[Finding, ...]


def draft_calls(completion: Completion, notes: BlockNotes, body: Body) -> list[CallDraft]:
    """Return all calls of a block in the order written. Fixes and findings are added to `notes`."""
    if body.decoded is not None:
        return _decoded_calls(completion, notes, body)
    drafts = [draft for payload in body.payloads for draft in _payload_calls(completion, notes, payload)]
    if len(body.payloads) > 1 and drafts:
        start, end = body.payloads[0].start, body.payloads[-1].end
        notes.rewrite("multi-object-block", start, end, as_bodies(notes, drafts))
    return drafts


def draft_continued_call(completion: Completion, notes: BlockNotes, body: Body, end: int) -> CallDraft | None:
    """Return a call that was closed too early, so that arguments follow it, or None.

    In `{"name": "move", "arguments": {"a": 1}}, "b": 2}` all that follows must be arguments that `move` declares, and
    closing brackets.

    Args:
        end: Where the text after the call ends.
    """
    payload = body.payloads[0]
    comma = _COMMA.match(notes.text, body.end, end)
    if comma is None or len(body.payloads) > 1 or body.decoded or isinstance(payload, Function):
        return None
    rest = "{" + notes.text[comma.end() : end].rstrip()
    decoded = decode(rest)
    if decoded is None or rest[decoded[1] :].strip("}] \t\r\n") or not isinstance(decoded[0], dict):
        return None
    drafts = _payload_calls(completion, notes, payload)
    draft = drafts[0] if len(drafts) == 1 else None
    spec = completion.spec(draft.name) if draft else None
    if draft is None or spec is None or draft.node is None or draft.others or draft.rewrites:
        return None
    more = cast(JsonObject, decoded[0])
    if not more or not all(key in spec.properties and key not in draft.arguments for key in more):
        return None
    draft.arguments = {**(draft.unconverted or draft.arguments), **more}
    draft.end = comma.end() - 1 + len(rest)
    finish_draft(completion, notes, draft)
    notes.rewrite("argument-outside", draft.start, draft.end, draft.text)
    return draft


def check_call(completion: Completion, draft: CallDraft, span: Span) -> CheckedCall:
    """Check a call against the offered tools.

    Args:
        span: The whole block, to which findings refer.
    """
    others = (_of_others(draft, draft.others),) if draft.others else ()
    if completion.tools is None:
        return CheckedCall(draft, CallStatus.READY, others)
    spec = completion.spec(draft.name)
    if spec is None:
        return CheckedCall(draft, CallStatus.UNKNOWN_TOOL, (*others, _unknown(completion, draft, span)))
    if not completion.checks_arguments:
        return CheckedCall(draft, CallStatus.READY, others)
    findings = tuple(replace(finding, span=span) for finding in check_arguments(spec, draft.arguments))
    is_bad = any(finding.severity == "error" for finding in findings)
    status = CallStatus.INVALID_ARGUMENTS if is_bad else CallStatus.READY
    return CheckedCall(draft, status, (*others, *findings))


def as_bodies(notes: BlockNotes, drafts: list[CallDraft]) -> str:
    """Return the calls as bodies that the strict reader accepts, with tags between them.

    XML is written as in the completion, with its fixes applied. All other calls are written as JSON.
    """
    edits = notes.all_edits()
    starts = [edit.span.start for edit in edits]
    for draft in drafts:
        if draft.written:
            continue
        draft.written = draft.text
        if draft.dialect is Dialect.XML:
            near = edits[bisect_left(starts, draft.start) : bisect_right(starts, draft.end)]
            inside = [edit for edit in near if edit.span.end <= draft.end]
            moved = [replace(edit, span=edit.span.shifted(-draft.start)) for edit in inside]
            draft.written = apply_edits(notes.text[draft.start : draft.end], moved)
    return SEPARATOR.join(draft.written for draft in drafts)


def can_be_json(notes: BlockNotes, text: str, start: int, end: int) -> bool:
    """Return whether a fix can write `text` into a JSON body instead of `[start, end)`. If not, report it.

    JSON is UTF-8, so half of a surrogate pair cannot be written.
    """
    if not is_utf8(text):
        notes.report("lone-surrogate", start, end)
        return False
    return True


def _of_others(draft: CallDraft, others: JsonObject) -> Finding:
    members = [
        f"{shortened(repr(key), _LONGEST_SHOWN)}: {shortened(json.dumps(value, ensure_ascii=False), _LONGEST_SHOWN)}"
        for key, value in islice(others.items(), _MOST_SHOWN)
    ]
    more = len(others) - len(members)
    shown = ", ".join([*members, *([f"and {more} more"] if more else [])])
    return finding_of("unknown-member", *draft.others_place, f"beside the arguments and not read: {shown}")


def _unknown(completion: Completion, draft: CallDraft, span: Span) -> Finding:
    names = completion.tools.names if completion.tools is not None else ()
    nearest = nearest_name(draft.name, names)
    hint = f"; did the model mean {nearest[:30]!r}?" if nearest else ""
    return Finding(code="unknown-tool", message=f"no tool {draft.name[:40]!r} is offered{hint}", span=span)


def _decoded_calls(completion: Completion, notes: BlockNotes, body: Body) -> list[CallDraft]:
    """Return the calls of a payload that was decoded as a whole. One edit replaces all of it."""
    start, end = body.source
    inner = body.decoded or notes
    drafts = _payload_calls(completion, inner, body.payloads[0])
    notes.absorb(inner, start, end)
    for draft in drafts:
        draft.node, draft.start, draft.end = None, start, end
        draft.others_place = start, end
        draft.rewrites = ()
    if drafts:
        notes.rewrite("html-entities", start, end, SEPARATOR.join(draft.text for draft in drafts))
    return drafts


def _payload_calls(completion: Completion, notes: BlockNotes, payload: Payload) -> list[CallDraft]:
    if isinstance(payload, Function):
        drafts = _function_calls(completion, notes, payload)
    elif payload.items is not None:
        drafts = _array_calls(completion, notes, payload)
    elif isinstance(payload.value, str):
        drafts = _string_calls(completion, notes, payload)
    else:
        drafts = _object_calls(completion, notes, payload)
    if completion.dialect is Dialect.XML and isinstance(payload, JsonNode):
        notes.report(
            "format-mismatch",
            payload.start,
            payload.end,
            "a JSON body although the family writes XML; read anyway",
        )
    elif completion.dialect is Dialect.JSON and isinstance(payload, Function):
        notes.report(
            "format-mismatch",
            payload.start,
            payload.end,
            "an XML body although the family writes JSON; read anyway",
        )
    return drafts


def _object_calls(completion: Completion, notes: BlockNotes, node: JsonNode) -> list[CallDraft]:
    draft = shape_call(notes, node, completion.tools)
    if draft is None or notes.has_refused(node.start, node.end):
        return []
    finish_draft(completion, notes, draft)
    return [draft]


def _array_calls(completion: Completion, notes: BlockNotes, node: JsonNode) -> list[CallDraft]:
    if not node.items:
        notes.report("empty-block", node.start, node.end, "an array without calls")
    drafts = [draft for item in node.items or () for draft in _object_calls(completion, notes, item)]
    if drafts:
        notes.rewrite("array-block", node.start, node.end, SEPARATOR.join(draft.text for draft in drafts))
        for draft in drafts:
            draft.start, draft.end = node.start, node.end
    return drafts


def _string_calls(completion: Completion, notes: BlockNotes, node: JsonNode) -> list[CallDraft]:
    decoded = decode_alone(str(node.value), declared_keys(completion.tools))
    if decoded is None or (decoded[0].members is None and decoded[0].items is None):
        notes.report("not-an-object", node.start, node.end)
        return []
    inner_node, inner = decoded
    drafts = _payload_calls_of(completion, inner, inner_node)
    notes.absorb(inner, node.start, node.end)
    for draft in drafts:
        draft.node, draft.start, draft.end = None, node.start, node.end
        draft.others_place = node.start, node.end
    if drafts:
        text = SEPARATOR.join(draft.text for draft in drafts)
        notes.rewrite("double-encoded-call", node.start, node.end, text)
    return drafts


def _payload_calls_of(completion: Completion, notes: BlockNotes, node: JsonNode) -> list[CallDraft]:
    return (
        _array_calls(completion, notes, node)
        if node.items is not None
        else _object_calls(completion, notes, node)
    )


def finish_draft(completion: Completion, notes: BlockNotes, draft: CallDraft) -> None:
    """Coerce the arguments to the schema, then add the rewrites that contain the arguments."""
    spec = completion.spec(draft.name)
    found = find_coercions(spec.schema, draft.arguments) if spec is not None else ()
    if found:
        draft.unconverted = draft.arguments
        draft.arguments = coerced(draft.arguments, found)
        for coercion in found:
            node = _at(draft.node, coercion.path)
            if node is None:
                notes.mark("coerced-by-schema", draft.start, draft.end)
            else:
                notes.rewrite("coerced-by-schema", node.start, node.end, coercion.before)
    for code, start, end, is_whole in draft.rewrites:
        arguments = json.dumps(draft.arguments, ensure_ascii=False)
        notes.rewrite(code, start, end, draft.text if is_whole else arguments)


def _at(node: JsonNode | None, path: Path) -> JsonNode | None:
    for step in path:
        if node is None:
            return None
        if isinstance(step, str):
            pair = node.member(step)
            node = pair[1] if pair else None
        else:
            node = node.items[step] if node.items is not None else None
    return node


def _function_calls(completion: Completion, notes: BlockNotes, function: Function) -> list[CallDraft]:
    place = (function.name_span.start, function.name_span.end)
    name = normal_name(notes, function.name, place, completion.tools, json_text=False)
    draft = CallDraft(name or "", {}, Dialect.XML, function.start, function.end)
    if function.json is not None:
        return _json_function(completion, notes, function, draft, function.json)
    draft.arguments = _typed_arguments(completion, notes, function, draft.name)
    has_bad_parameter = _check_parameters(completion, notes, function, draft.name)
    if name is None or has_bad_parameter:
        return []
    if function.holds_tag and not can_be_json(notes, draft.text, function.start, function.end):
        return []
    if function.holds_tag and completion.dialect is not Dialect.XML:
        notes.rewrite("tag-in-value", function.start, function.end, draft.text)
    return [draft]


def _json_function(
    completion: Completion, notes: BlockNotes, function: Function, draft: CallDraft, arguments: JsonNode
) -> list[CallDraft]:
    if arguments.members is None:
        notes.report("arguments-not-object", arguments.start, arguments.end)
        return []
    if not draft.name or notes.has_refused(function.start, function.end):
        return []
    if not can_be_json(notes, draft.name, function.name_span.start, function.name_span.end):
        return []
    values: JsonValue = arguments.value
    draft.arguments, draft.node = values if isinstance(values, dict) else {}, arguments
    if function.is_named:
        finish_draft(completion, notes, draft)
        notes.rewrite("alternate-tag", function.start, function.end, draft.text)
        return [draft]
    head = f'{{"name": {json.dumps(draft.name, ensure_ascii=False)}, "arguments": '
    notes.rewrite("json-in-function-tag", function.start, arguments.start, head)
    if function.end > arguments.end:
        notes.rewrite("json-in-function-tag", arguments.end, function.end, "}")
    else:
        notes.insert("json-in-function-tag", function.start, function.end, "}")
    finish_draft(completion, notes, draft)
    return [draft]


def _typed_arguments(
    completion: Completion, notes: BlockNotes, function: Function, tool: str
) -> dict[str, JsonValue]:
    spec = completion.spec(tool)
    values: dict[str, JsonValue] = {}
    for parameter in function.parameters:
        types = types_of_argument(spec, parameter.name)
        values[parameter.name] = typed_value(notes, *parameter.value, types)
    return values


def _check_parameters(completion: Completion, notes: BlockNotes, function: Function, tool: str) -> bool:
    """Report repeated and invalid parameter names. Return whether one is invalid."""
    spec = completion.spec(tool)
    seen: set[str] = set()
    is_bad = False
    for name, span, _ in function.parameters:
        if name in seen:
            notes.report(
                "duplicate-parameter",
                *span,
                f"the parameter {name[:40]!r} appears twice; the last one counts",
            )
        seen.add(name)
        if is_bad_parameter(name) and not (spec is not None and name in spec.properties):
            notes.report("bad-name", *span, f"{name[:60]!r} is not a valid parameter name")
            is_bad = True
    return is_bad
