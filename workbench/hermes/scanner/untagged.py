"""Find calls without tags: report them, and at the lenient level read those that clearly name a declared tool.

Qwen3-Coder often leaves out the opening tag alone. Its closing tag shows that a call was meant, so that such a call in
XML is read at the tolerant level too:

    I look it up.
    <function=get_weather>
    <parameter=city>
    Oslo
    </parameter>
    </function>
    </tool_call>
"""

import re
from typing import Final

from workbench.chat.finding import Span
from workbench.hermes.body.call_keys import declared_keys
from workbench.hermes.body.calls import as_bodies, draft_calls
from workbench.hermes.body.function_xml import Function, read_function
from workbench.hermes.body.payload import Body
from workbench.hermes.body.shape import CallDraft
from workbench.hermes.json_text.reader import read_value
from workbench.hermes.marks import CALL_BEGINS, CALL_CLOSE, CALL_OPEN, FENCE_CLOSE, FENCE_OPEN, SPACE
from workbench.hermes.reading import ForeignForm, Level, SegmentKind
from workbench.hermes.scanner.alternates import holds_spec
from workbench.hermes.scanner.block import Block, call_block
from workbench.hermes.text.completion import BodyText, Completion, UnreadableBody
from workbench.hermes.text.notes import BlockNotes, finding_of

_CLOSE_AFTER: Final = re.compile(r"\s*+</(?i:tool_call)>")
_REST: Final = re.compile(r"\s*+(?:\Z|<\|(?:im_end|endoftext|eot_id)\|>|(?<=\n)<tool_response>)")
_NOT_COMPLETE: Final = frozenset(
    {
        "add-closing-bracket",
        "missing-arguments",
        "flattened-arguments",
        "single-key-call",
        "missing-close-function",
    }
)


def read_function_between_prose(
    completion: Completion, start: int, *, may_be_example: bool = False
) -> Block | None:
    """Read a complete `<function=…>…</function>` of a declared tool at `start`. Return None if it is text.

    Args:
        may_be_example: Whether it may belong to a value before it, so that it only counts at the lenient level. The
            finding has the code of the fix, which it is once the text before it is fixed.
    """
    payload = _read(completion, start)
    if payload is None or not isinstance(payload[0].payloads[0], Function) or _is_alternate(payload[0]):
        return None
    return _block(completion, Span(start, payload[0].end), *payload, may_be_example=may_be_example)


def leaves_doubt(block: Block) -> bool:
    """Return whether the text after a block may still belong to a value in it."""
    if not block.is_call or not block.drafts:
        return block.is_call
    return any(finding.code == "ambiguous-end" for finding in block.findings)


def read_whole(completion: Completion, start: int) -> Block | None:
    """Read the untagged call that is all the text from `start` on, apart from a code fence and text that is cut.

    Return None if the text is something else.
    """
    text = completion.text
    begin = _after_space(text, start)
    fence = FENCE_OPEN.match(text, begin)
    payload_start = fence.end() if fence else begin
    if not text.startswith(("{", "<function="), payload_start):
        return None
    payload = _read(completion, payload_start)
    if payload is None or _is_alternate(payload[0]):
        return None
    end = payload[0].end
    if fence:
        close = FENCE_CLOSE.match(text, end)
        if not close:
            return None
        end = close.end()
    tag = _CLOSE_AFTER.match(text, end)
    if not _REST.match(text, tag.end() if tag else end):
        return None
    return _block(completion, Span(begin, end), *payload)


def _is_alternate(body: Body) -> bool:
    """Return whether the payload is JSON inside a function tag. That is an alternate tag, not a call without tags."""
    return isinstance(body.payloads[0], Function) and body.payloads[0].json is not None


def _after_space(text: str, position: int) -> int:
    match = SPACE.match(text, position)
    return match.end() if match else position


def _read(completion: Completion, start: int) -> tuple[Body, BlockNotes, CallDraft] | None:
    """Read the payload at `start`. Return None if it is not exactly one complete call of a declared tool."""
    if completion.tools is None or not completion.may_look_far:
        return None
    text = completion.text
    is_xml = text.startswith("<function=", start)
    block = completion.places(CALL_BEGINS).next(start, len(text)) if is_xml else None
    if block and (whole := _read_to(completion, start, len(text))) and not _is_doubtful(whole[0]):
        return whole  # the block is an example inside a value
    return _read_to(completion, start, block.start if block else len(text))


def _is_doubtful(body: Body) -> bool:
    return any(isinstance(payload, Function) and payload.is_doubtful for payload in body.payloads)


def _read_to(completion: Completion, start: int, end: int) -> tuple[Body, BlockNotes, CallDraft] | None:
    """Read the payload at `start`, which ends before `end`."""
    is_xml = completion.text.startswith("<function=", start)
    notes = BlockNotes(completion.text)
    source = BodyText(completion.text, end, notes, keys=declared_keys(completion.tools))
    try:
        payload = read_function(source, start, completion) if is_xml else read_value(source, start, "")
    except UnreadableBody as failure:
        completion.spend(failure.at - start)
        return None
    body = Body((payload,), payload.end)
    if holds_spec(body):
        completion.spend(payload.end - start)
        return None
    drafts = draft_calls(completion, notes, body)
    if len(drafts) == 1 and completion.spec(drafts[0].name) and not notes.fix_codes & _NOT_COMPLETE:
        return body, notes, drafts[0]
    completion.spend(payload.end - start)
    return None


def _block(
    completion: Completion,
    place: Span,
    body: Body,
    notes: BlockNotes,
    draft: CallDraft,
    *,
    may_be_example: bool = False,
) -> Block:
    """Return the block of an untagged call: read at the lenient level or if only its tag is missing, else reported."""
    text = completion.text
    tag = _CLOSE_AFTER.match(text, place.end)
    end = tag.end() if tag else place.end
    form = _form(completion, place, body, draft)
    is_bare = place == (body.payloads[0].start, body.end)
    lacks_open_tag = tag is not None and is_bare and isinstance(body.payloads[0], Function)
    lacks_open_tag &= not text.endswith("`", 0, place.start)
    if completion.level is not Level.LENIENT and (may_be_example or not lacks_open_tag):
        code, lacks = (
            ("missing-open-tag", "its opening tag, perhaps an example")
            if lacks_open_tag
            else ("untagged-call", "tags")
        )
        message = f"a call of {draft.name[:40]!r} without {lacks}; not run"
        finding = finding_of(code, place.start, place.end, message)
        return Block(place.start, end, SegmentKind.PROSE, findings=(finding,), foreign=form)
    if tag and is_bare:
        notes.edit("missing-open-tag", place.start, place.start, CALL_OPEN + "\n")
        if not text.endswith(CALL_CLOSE, 0, end):
            notes.edit("tag-case", end - len(CALL_CLOSE), end, CALL_CLOSE)
    else:
        code = "missing-open-tag" if tag else "no-tag"
        notes.rewrite(code, place.start, end, f"{CALL_OPEN}\n{as_bodies(notes, [draft])}\n{CALL_CLOSE}")
    return call_block(place.start, end, notes, [draft])._replace(foreign=form)


def _form(completion: Completion, place: Span, body: Body, draft: CallDraft) -> ForeignForm | None:
    """The foreign form of an untagged call; None for `<function=…>`, which is a form of this reader's families."""
    if isinstance(body.payloads[0], Function):
        return None
    dialect = "fenced-json" if completion.text.startswith("`", place.start) else "bare-json"
    is_read = completion.level is Level.LENIENT
    return ForeignForm(dialect=dialect, span=place, names=(draft.name,), is_read=is_read)
