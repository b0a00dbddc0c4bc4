"""Laws that every reading obeys, whatever the text is."""

import json
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from tests.hermes.readings import calls_of
from workbench.hermes.parse import fixed, parse
from workbench.hermes.reading import CallStatus, Reading, SegmentKind
from workbench.hermes.stream import Stream
from workbench.hermes.stream_events import (
    ArgumentsDelta,
    BlockEnded,
    CallDropped,
    CallEnded,
    CallStarted,
    Event,
    ProseBecameThought,
    TextDelta,
)


def assert_spans_are_correct(reading: Reading) -> None:
    assert "".join(segment.text for segment in reading.segments) == reading.text
    assert all(segment.span.of(reading.text) == segment.text for segment in reading.segments)
    assert all(left.span.end == right.span.start for left, right in pairwise(reading.segments))
    edits = sorted((edit for fix in reading.fixes for edit in fix.edits), key=lambda edit: edit.span)
    assert all(edit.before == edit.span.of(reading.text) for edit in edits)
    assert all(left.span.end <= right.span.start for left, right in pairwise(edits))
    for fix in reading.fixes:
        assert all(fix.span.start <= edit.span.start and edit.span.end <= fix.span.end for edit in fix.edits)
    assert all(
        0 <= finding.span.start <= finding.span.end <= len(reading.text)
        for finding in reading.findings
        if finding.span
    )


def assert_strict_is_tolerant_without_fixes(reading: Reading, options: dict[str, Any]) -> None:
    strict = parse(reading.text, **{**options, "level": "strict"})
    assert strict.fixes == ()
    reported_codes = {finding.code for finding in strict.findings}
    if options["level"] != "lenient":
        assert {fix.code for fix in reading.fixes} <= reported_codes
        allowed = calls_of(reading)
        assert all(call in allowed for call in calls_of(strict))


def assert_fixed_text_is_read_strictly(reading: Reading, options: dict[str, Any]) -> None:
    """Check that the strict level reads the same calls from the fixed text, without new codes but `format-mismatch`."""
    if options["dialect"] == "xml" and any(fix.code == "tag-in-value" for fix in reading.fixes):
        return
    again = parse(fixed(reading.text, reading), **{**options, "level": "strict"})
    assert calls_of(again) == calls_of(reading)
    added = Counter(finding.code for finding in again.findings) - Counter(
        finding.code for finding in reading.findings
    )
    assert set(added) <= {"format-mismatch"}


def assert_statuses_are_correct(reading: Reading) -> None:
    for call in reading.calls:
        schema_codes = [
            finding
            for finding in call.findings
            if finding.code.startswith("schema-") and finding.severity == "error"
        ]
        assert (call.status is CallStatus.INVALID_ARGUMENTS) == bool(schema_codes)
        assert (call.status is CallStatus.UNKNOWN_TOOL) == any(
            finding.code == "unknown-tool" for finding in call.findings
        )
    kinds = {segment.kind for segment in reading.segments}
    assert not reading.calls or kinds & {SegmentKind.CALL}


def streamed(pieces: Iterable[str], **options: Any) -> tuple[list[Event], Reading]:
    """Stream a text in pieces. Return all events and the reading."""
    stream = Stream(**options)
    events = [event for piece in pieces for event in stream.feed(piece)]
    reading = stream.finish()
    events.extend(stream.last_events())
    assert stream.finish() is reading
    assert stream.last_events() == ()
    return events, reading


def assert_events_match(events: list[Event], reading: Reading) -> None:
    """Check that the events match the reading: each call once, its arguments, and the prose."""
    names = {event.call_index: event.name for event in events if isinstance(event, CallStarted)}
    dropped = {event.call_index for event in events if isinstance(event, CallDropped)}
    ended = {event.call_index for event in events if isinstance(event, CallEnded)}
    assert sorted(names) == list(range(len(names)))
    assert ended - dropped == set(names) - dropped
    arguments = dict.fromkeys(names, "")
    for event in events:
        if isinstance(event, ArgumentsDelta):
            arguments[event.call_index] += event.text
    complete = [index for index in names if index not in dropped]
    assert [(names[index], json.loads(arguments[index])) for index in complete] == calls_of(reading)
    for index, call in zip(complete, reading.calls, strict=True):
        if call.dialect == "json" and not call.fixes:
            assert arguments[index] in call.payload or arguments[index] == json.dumps(
                call.arguments, ensure_ascii=False
            )
    if not any(isinstance(event, ProseBecameThought) for event in events):
        texts = [event.text for event in events if isinstance(event, TextDelta) and event.kind == "prose"]
        assert "".join(texts) == "".join(reading.prose)
    assert (
        "".join(event.text for event in events if isinstance(event, TextDelta | BlockEnded)) == reading.text
    )
