"""Parse a completion into a reading. There is one reader: the strict level is the tolerant reader without fixes."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from workbench.chat.finding import Finding, Fix, Span, apply_edits
from workbench.hermes.body.calls import check_call
from workbench.hermes.body.shape import CallDraft
from workbench.hermes.codes import meaning_of
from workbench.hermes.dialects.find import has_opener, may_hold_call
from workbench.hermes.reading import Dialect, Level, ReadCall, Reading, Segment, SegmentKind
from workbench.hermes.scanner.block import Block, has_unread_before_fix, read_clean_block, sealed
from workbench.hermes.scanner.scan import scan
from workbench.hermes.text.completion import Completion
from workbench.toolspec.spec import OfferedTools


def clean_calls(text: str, tools: OfferedTools) -> tuple[CallDraft, ...] | None:
    """Return the calls of a text that needs no careful parsing, or None to have `parse` look at it.

    If the result is not None, `parse` finds the same calls, no thought, no fix, no foreign call and no dropped block.
    Most texts of training rows are like this, and this takes a third of the time. None does not mean that something is
    wrong.

    >>> [call.name for call in clean_calls('So: <tool_call>{"name": "f", "arguments": {}}</tool_call>', OfferedTools())]
    ['f']
    >>> clean_calls("<think>no</think>", OfferedTools()) is None
    True
    """
    blocks = clean_blocks(text, tools)
    return None if blocks is None else tuple([draft for block in blocks for draft in block.drafts])


def clean_blocks(text: str, tools: OfferedTools) -> tuple[Block, ...] | None:
    """Return the call blocks of a text that needs no careful parsing, like `clean_calls`. Everything else is prose."""
    if "`" in text or text.lstrip().startswith("{"):
        return None
    if "<" not in text:
        return None if may_hold_call(text, tools) else ()
    found: list[Block] = []
    position, start = 0, text.find("<")
    while start >= 0:
        block = read_clean_block(text, start, tools, text.find)
        if block is None or (start > position and may_hold_call(text[position:start], tools)):
            return None
        found.append(block)
        position, start = block.end, text.find("<", block.end)
    has_more = position < len(text) and may_hold_call(text[position:], tools)
    return None if has_more else tuple(found)


def names_without_facts(text: str, tools: OfferedTools | None) -> tuple[str, ...] | None:
    """Return the names of the calls of a text in which `parse` surely finds nothing to report, or None.

    >>> names_without_facts("It is noon.", None), names_without_facts("[TOOL_CALLS]", None)
    ((), None)
    """
    blocks = clean_blocks(text, tools or OfferedTools())
    if blocks is None:
        return None
    names: list[str] = []
    position = 0
    for block in blocks:
        for draft in block.drafts:
            if not draft.is_surely_valid:
                return None
            names.append(draft.name)
        if has_opener(text[position : block.start]):
            return None
        position = block.end
    return None if has_opener(text[position:]) else tuple(names)


CUT_OFF: Final = frozenset({"length", "cancelled", "timeout", "interrupted"})
"""Finish reasons of a completion that the model did not end itself. An open block is truncated and never run."""


def parse(
    text: str,
    *,
    tools: OfferedTools | None = None,
    dialect: str = Dialect.AUTO,
    level: str = Level.TOLERANT,
    finish_reason: str = "stop",
    starts_in_thought: bool = False,
    checks_arguments: bool = True,
) -> Reading:
    """Parse a completion. Never raises because of the text, and takes time linear in its length.

    Args:
        text: What the model wrote, byte for byte.
        tools: The offered tools. With None, names are not checked; with an empty list, every name is unknown.
        dialect: The form of calls that the family writes: auto, json or xml.
        level: How much may be repaired: strict, tolerant or lenient.
        finish_reason: Why the model stopped. `length`, `cancelled`, `timeout` and `interrupted` mean that the text was
            cut off.
        starts_in_thought: Whether the prompt ended inside a thought.
        checks_arguments: Whether to check arguments against schemas. False if the caller does it.

    Raises:
        ValueError: `dialect` or `level` is unknown.
        BadInput: `tools` are a list that `parse_tools` has not read.

    >>> reading = parse('<tool_call>{"name": "f", "arguments": {"a": 1,}}</tool_call>')
    >>> [(call.name, call.arguments) for call in reading.calls], [fix.code for fix in reading.fixes]
    ([('f', {'a': 1})], ['trailing-comma'])
    """
    completion = Completion(
        text,
        tools=tools,
        dialect=Dialect(dialect),
        level=Level(level),
        is_cut=finish_reason in CUT_OFF,
        checks_arguments=checks_arguments,
    )
    blocks = scan(completion, starts_in_thought=starts_in_thought)
    reading = _reading(completion, blocks)
    if completion.level is Level.STRICT or not has_unread_before_fix(blocks):
        return reading
    strict = Completion(
        fixed(text, reading),
        tools=tools,
        dialect=completion.dialect,
        level=Level.STRICT,
        is_cut=completion.is_cut,
        checks_arguments=checks_arguments,
    )
    again = _reading(strict, scan(strict, starts_in_thought=starts_in_thought))
    return reading if _is_same(again, reading) else _reading(completion, sealed(text, blocks))


def _is_same(fixed_reading: Reading, reading: Reading) -> bool:
    """Return whether the strict reader finds the same calls in the fixed text, and no new findings.

    `format-mismatch` does not count, because fixes write JSON whatever the dialect is.
    """
    codes = Counter(finding.code for finding in reading.findings)
    fixed_codes = Counter(
        finding.code for finding in fixed_reading.findings if finding.code != "format-mismatch"
    )
    return fixed_codes <= codes and [(call.name, call.arguments) for call in fixed_reading.calls] == [
        (call.name, call.arguments) for call in reading.calls
    ]


def _reading(completion: Completion, blocks: list[Block]) -> Reading:
    text = completion.text
    results = [_BlockResult(completion, block) for block in blocks]
    return Reading(
        text=text,
        segments=tuple(_segments(text, blocks)),
        calls=tuple(call for result in results for call in result.calls),
        fixes=tuple(fix for result in results for fix in result.fixes),
        findings=tuple(finding for result in results for finding in result.findings),
        foreign=tuple(block.foreign for block in blocks if block.foreign),
        dropped=sum(1 for result in results if result.is_dropped),
    )


def fixed(text: str, reading: Reading) -> str:
    """Apply all fixes of a reading to its text. The strict reader finds the same calls in the result, without a fix."""
    return apply_edits(text, (edit for fix in reading.fixes for edit in fix.edits))


class _BlockResult:
    """The calls, fixes and findings that one block adds to the reading."""

    def __init__(self, completion: Completion, block: Block) -> None:
        is_strict = completion.level is Level.STRICT
        fixes = block.fixes
        own = (*block.findings, *map(_refusal, fixes)) if is_strict else block.findings
        self.fixes: tuple[Fix, ...] = () if is_strict else fixes
        span = Span(block.start, block.end)
        checked_calls = [check_call(completion, draft, span) for draft in block.drafts]
        self.findings = (*own, *(finding for checked in checked_calls for finding in checked.findings))
        self.calls: tuple[ReadCall, ...] = ()
        if not (is_strict and fixes):
            self.calls = tuple(
                ReadCall(
                    name=checked.draft.name,
                    arguments=checked.draft.arguments,
                    payload=completion.text[checked.draft.start : checked.draft.end],
                    span=span,
                    dialect=checked.draft.dialect,
                    status=checked.status,
                    unconverted=checked.draft.unconverted,
                    others=checked.draft.others or {},
                    fixes=self.fixes,
                    findings=(*own, *checked.findings),
                )
                for checked in checked_calls
            )
        self.is_dropped = block.is_call and not self.calls


def _refusal(fix: Fix) -> Finding:
    return Finding(code=fix.code, message=meaning_of(fix.code), span=fix.span)


def _segments(text: str, blocks: list[Block]) -> Iterator[Segment]:
    position = 0
    for block in blocks:
        if block.kind is SegmentKind.PROSE:
            continue
        if position < block.start:
            yield _segment(text, SegmentKind.PROSE, position, block.start)
        if block.start < block.end:
            yield _segment(text, block.kind, block.start, block.end)
        position = block.end
    if position < len(text):
        yield _segment(text, SegmentKind.PROSE, position, len(text))


def _segment(text: str, kind: SegmentKind, start: int, end: int) -> Segment:
    return Segment(kind=kind, span=Span(start, end), text=text[start:end])
