"""Find foreign calls in the prose of a completion.

Prose is searched once for the openers of all forms. At each opener its form is read; if that succeeds, the search
continues after the block, otherwise after the damaged call. A reader that fails spends the completion's allowance, so
that a text of many openers that lead nowhere is read in linear time.

The forms fall into two groups. Forms with special tokens (`[TOOL_CALLS]`, `<|python_tag|>`, …) are reported
wherever they appear, because no plain answer contains them by accident. Forms that plain answers do contain, such
as JSON in a code fence or a Python call, count only if they name an offered tool, or if no tools are given and
they are all that the model wrote.

A call ends at the token that ends it, and at the next opener of its form. So a damaged call never takes the next one
with it. In this text of Kimi, the first object has lost its brace, and both calls are read:

    <|tool_call_begin|>f<|tool_call_argument_begin|>{"a": 1<|tool_call_end|><|tool_call_begin|>g<|tool_call_arg…
"""

import re
from collections.abc import Callable, Generator
from typing import Final, NamedTuple

from workbench.chat.finding import Span
from workbench.hermes.body.shape import CallDraft
from workbench.hermes.dialects.form import NOTHING, Form
from workbench.hermes.dialects.forms import GLM, LINE_OPENER, OPENER, find_opener, form_of
from workbench.hermes.dialects.payloads import Calls, PayloadReader, TaggedParameter
from workbench.hermes.marks import CALL_CLOSE_ANY_CASE
from workbench.hermes.near_miss import meant_tag
from workbench.hermes.reading import Level
from workbench.hermes.text.completion import Completion
from workbench.hermes.text.notes import BlockNotes
from workbench.toolspec.spec import OfferedTools

_WIDE_BRACKETS: Final = "＜‹〈"
"""Each opener but harmony's has one of these or one of ``[<{(` `` near it. Finding one character is much faster."""
_HARMONY_MARK: Final = "to=functions."
_CALL_CHARACTERS: Final = '{("|='
_TOKEN_PARTS: Final = (
    "<|", "｜", "TOOL_CALL", "invoke", "functions.", "functools[", "✿", "tool_call", "function_call", "<function"
)  # fmt: skip
"""Each opener with a token has one of these parts, and each call in such a form one of these characters."""
_GOES_ON: Final = re.compile(
    r"(?:[{\[(>]|>>>[\w.-]*|^[^\S\n]*(?:Action:|✿|```)[^\n]*|\A[\w.-]*\w)\s*+\Z", re.MULTILINE
)
_CODE_LINE: Final = re.compile(
    r"[^\S\n]*(?:(?:[\w., ]{1,100}=[^\S\n]*)?[A-Za-z_][\w.]{0,100}\([^\n]*\)[;,]?\Z|(?:from [\w.]+ )?import )"
)
_CDATA: Final = re.compile(r"\s{0,200}<!\[CDATA\[")
_CDATA_END: Final = re.compile(r"\]\]>\s{0,200}")
_LONGEST_LINE: Final = 1000
_EXTRA_CLOSERS: Final = re.compile(r"\s*+[}\]][\s}\]]*+")
_TAG: Final = re.compile(r"\s*+[<＜‹〈]([^<>＜＞‹›〈〉\n]{1,40})[>＞›〉]")


class ForeignBlock(NamedTuple):
    """A part of the completion in a foreign form."""

    dialect: str
    """A key of `DIALECTS`."""
    start: int
    end: int
    drafts: tuple[CallDraft, ...]
    """The calls in it; empty if it could not be read."""
    notes: BlockNotes
    is_plain: bool = False
    """Whether plain answers contain the form too."""
    is_partial: bool = False
    """Whether it is a list with a call that cannot be read, so that none of its calls is."""


def find_foreign(
    completion: Completion, start: int, end: int, *, fences: int = 0, is_line_start: bool = False
) -> Generator[ForeignBlock, None, int]:
    """Yield the foreign blocks in the prose `[start, end)`, sorted by position.

    Return the number of code fences in the prose up to `end`.

    Args:
        completion: The completion.
        start: Start of the prose.
        end: End of the prose.
        fences: Number of code fences in the prose before `start`. A form between two fences is an example, unless it
            names an offered tool.
        is_line_start: Whether a form of `AT_LINE_START` may begin at `start`, wherever that is.
    """
    text = completion.text
    if not _may_open(text[start:end]):
        return fences
    position = counted = floor = start
    opener = LINE_OPENER.match(text, start, end) if is_line_start else None
    while opener := opener or find_opener(text, position, end):
        fences += text.count("```", counted, opener.start())
        counted = opener.start()
        form = form_of(opener)
        found = (
            None if _is_mention(completion, form, opener, start) else _found(completion, form, opener, end)
        )
        position = max(opener.end(), opener.start() + 1)
        if found and fences % 2 == 1:
            found = found._replace(is_plain=True)
        if found:
            position = max(position, found.end)
            if found.dialect == "pythonic" and found.is_plain and _is_in_code(text, floor, opener.start()):
                found = found._replace(drafts=(), is_partial=_has_offered(completion, found))
            if not found.is_plain or _counts(completion, found):
                yield found
                counted = floor = found.end
        opener = None
    return fences + text.count("```", counted, end)


def may_hold_token(text: str) -> bool:
    """Return whether a call in a form with a token may be in `text`. Much faster than searching for it."""
    return any(character in text for character in _CALL_CHARACTERS) and any(
        part in text for part in _TOKEN_PARTS
    )


def may_hold_call(text: str, tools: OfferedTools) -> bool:
    """Return whether a foreign call that counts may be in prose. Much faster than searching for it.

    Forms that plain answers contain too count only if they name an offered tool.
    """
    if not _may_open(text):
        return False
    return may_hold_token(text) or any(name in text for name in tools.names)


def certain_prose(text: str) -> int:
    """Return how much of a beginning of prose cannot be part of a foreign call, whatever follows.

    Whole lines without an opener are certain, unless the last one ends like an opener that goes on in the next.

    >>> certain_prose("Sure.\\n[TOOL_"), certain_prose("Sure.\\n[TOOL_CALLS][")
    (6, 6)
    """
    end = text.rfind("\n") + 1
    while end and _GOES_ON.search(text, max(0, text.rfind("\n", 0, len(text[:end].rstrip()))), end):
        end = text.rfind("\n", 0, len(text[:end].rstrip())) + 1
    opener = find_opener(text, 0, end)
    return opener.start() if opener else end


def has_opener(text: str) -> bool:
    """Return whether a foreign form opens in `text`."""
    return _may_open(text) and find_opener(text, 0, len(text)) is not None


def _may_open(text: str) -> bool:
    if "(" in text or "{" in text or "[" in text or "<" in text or "`" in text or _HARMONY_MARK in text:
        return True
    return not text.isascii() and any(character in text for character in _WIDE_BRACKETS)


def read_foreign_body(completion: Completion, dialect: str, start: int, end: int) -> ForeignBlock | None:
    """Read the body `[start, end)` of a `<tool_call>` block in the form `dialect`. Return None if it cannot be read."""
    start = _after_space(completion.text, start)
    if dialect == "glm":
        reader = PayloadReader(completion, end, GLM.patterns)
        begin = GLM.patterns.call.match(completion.text, start, end)
        calls = _one_call(reader, GLM, begin) if begin else None
        found = calls and ForeignBlock("glm", start, calls.end, tuple(calls.drafts), reader.notes)
    else:
        opener = (OPENER if dialect == "harmony" else LINE_OPENER).match(completion.text, start, end)
        found = _found(completion, form_of(opener), opener, end) if opener else None
    is_whole = found is not None and found.drafts and not completion.text[found.end : end].strip()
    return found if is_whole else None


def _is_mention(completion: Completion, form: Form, opener: "re.Match[str]", start: int) -> bool:
    """Return whether the opener is between backticks, in a thought, or after a tool result that the model made up."""
    at = opener.start()
    if form.patterns.quotes.pattern != NOTHING and completion.places(form.patterns.quotes).around(at):
        return True
    if completion.text[max(0, at - 1) : at] == "`" and form.dialect != "fenced-json":
        return True
    return completion.places(form.patterns.result).next(start, at) is not None


def _found(completion: Completion, form: Form, opener: "re.Match[str]", end: int) -> ForeignBlock | None:
    """Read the form that `opener` opens. Return None if it is a plain form that is not a call."""
    is_plain = form.is_plain
    for body in form.bodies:
        reader = PayloadReader(completion, end, form.patterns)
        calls = _READERS[body](reader, form, opener)
        if calls and (calls.drafts or is_plain or calls.is_partial):
            dialect = body if is_plain and body == "pythonic" else form.dialect
            drafts = tuple(calls.drafts)
            return ForeignBlock(
                dialect, opener.start(), calls.end, drafts, reader.notes, is_plain, calls.is_partial
            )
    if is_plain:
        return None
    damaged_end = _damaged_end(completion, form, opener, end)
    return ForeignBlock(form.dialect, opener.start(), damaged_end, (), BlockNotes(completion.text))


def _counts(completion: Completion, block: ForeignBlock) -> bool:
    """Return whether a form that plain answers contain too is a call here."""
    if completion.tools is None:
        around = completion.text[: block.start] + completion.text[block.end :]
        return bool(block.drafts) and not around.strip()
    offered = [draft.name in completion.tools.by_name for draft in block.drafts]
    if completion.level is Level.LENIENT:  # a list of which only some calls could be run is reported
        return block.is_partial or any(offered)
    return bool(offered) and all(offered)


def _has_offered(completion: Completion, block: ForeignBlock) -> bool:
    return any(completion.spec(draft.name) is not None for draft in block.drafts)


def _is_in_code(text: str, floor: int, start: int) -> bool:
    """Return whether the line before is a Python call that was not read, or an import.

    Then the call at `start` is a line of a program:

        f(x)
        g(y=2)

    Args:
        text: The completion.
        floor: Where the prose begins, after the block before.
        start: Start of the call.
    """
    before = text[max(floor, start - _LONGEST_LINE) : start].rstrip()
    line = before.rfind("\n") + 1
    if not line and max(floor, start - _LONGEST_LINE) > 0:
        return False  # the line begins before the prose, or is too long
    return _CODE_LINE.match(before, line) is not None


def _damaged_end(completion: Completion, form: Form, opener: "re.Match[str]", end: int) -> int:
    """Return the end of an unreadable call: after the token that closes it, or else before its arguments."""
    patterns = form.patterns
    begin = _call_at(form, opener, end)
    if begin is None:
        return opener.end()
    close = completion.places(patterns.closer).next(begin.end(), end)
    following = completion.places(patterns.opener).next(begin.end(), end)
    # In a parameter, the next opener may be an example of a call, which is never run.
    if close and ("tagged" in form.bodies or following is None or close.start < following.start):
        ends = patterns.ends.match(completion.text, close.end, end)
        return ends.end() if ends else close.end
    return begin.end()


def _call_at(form: Form, opener: "re.Match[str]", end: int) -> "re.Match[str] | None":
    """Return the start of the first call: at the opener itself, or after it."""
    call = form.patterns.call
    return call.match(opener.string, opener.start(), end) or call.match(opener.string, opener.end(), end)


def _calls(reader: PayloadReader, form: Form, opener: "re.Match[str]") -> Calls | None:
    """Read calls with a name before their arguments, up to the first that is damaged."""
    drafts: list[CallDraft] = []
    position = opener.end()
    begin = _call_at(form, opener, reader.end)
    while begin:
        attempt = reader.fresh()
        call = _one_call(attempt, form, begin)
        close = _closed(attempt, form, call, begin) if call else None
        if call is None or close is None:
            break
        reader.notes.extend(attempt.notes)
        drafts += call.drafts
        position = close
        begin = form.patterns.call.match(reader.text, position, reader.end)
    if not drafts or (
        begin and not form.patterns.opener.match(reader.text, _after_space(reader.text, position))
    ):
        return None  # nothing after the block would open the damaged call again
    return _ended(reader, form, Calls(drafts, position)) if not begin else Calls(drafts, position)


def _closed(reader: PayloadReader, form: Form, call: Calls, begin: "re.Match[str]") -> int | None:
    """Return the position after the token that closes a call, or None if it is missing."""
    if not form.closes or begin.groupdict().get("empty"):
        return call.end
    closes = form.patterns.closes
    extra = _EXTRA_CLOSERS.match(reader.text, call.end, reader.end)
    close = closes.match(reader.text, extra.end() if extra else call.end, reader.end)
    if close and extra:
        reader.notes.mark("extra-closing-bracket", *Span(call.end, extra.end()))
    return close.end() if close else None


def _ended(reader: PayloadReader, form: Form, calls: Calls) -> Calls | None:
    """Return the calls with the token that ends the form. None if it is missing and the text was cut off."""
    end = form.patterns.ends.match(reader.text, calls.end, reader.end) if form.ends else None
    if form.ends and end is None and reader.completion.is_cut:
        return None
    return calls._replace(end=end.end()) if end else calls


def _one_call(reader: PayloadReader, form: Form, begin: "re.Match[str]") -> Calls | None:
    """Read the arguments of one call: JSON, or parameters between tags."""
    text, end = reader.text, reader.end
    name, place = begin["name"], begin.span("name")
    position = begin.end()
    has_parameters = bool(form.parameter) and not begin.groupdict().get("empty")
    if not form.parameter or (has_parameters and text.startswith("{", _after_space(text, position))):
        return reader.named(name.strip(), place, position)
    parameters: list[TaggedParameter] = []
    while has_parameters and (tag := form.patterns.parameter.match(text, position, end)):
        is_json = bool(tag.groupdict().get("json"))
        if section := _character_data(reader, form, tag.end()):
            span, position = section
            parameters.append(TaggedParameter(tag["name"].strip(), *span, is_json))
            continue
        close = reader.completion.places(form.patterns.value_end).next(tag.end(), end)
        if close is None or reader.completion.places(form.patterns.opener).next(tag.end(), close.start):
            return None
        span = _trimmed(text, tag.end(), close.start) if form.trims else (tag.end(), close.start)
        parameters.append(TaggedParameter(tag["name"].strip(), *span, is_json))
        position = close.end
    drafts = reader.tagged(name, place, iter(parameters), (begin.start("name"), position))
    return Calls(drafts, position) if drafts else None


def _character_data(reader: PayloadReader, form: Form, start: int) -> tuple[tuple[int, int], int] | None:
    """Read the value `<![CDATA[…]]>` at `start`, in which tags are text.

    Return its place and the position after the closing tag of its parameter, or None if it is another value.
    """
    begin = _CDATA.match(reader.text, start, reader.end)
    stop = reader.completion.places(_CDATA_END).next(begin.end(), reader.end) if begin else None
    if begin is None or stop is None:
        return None
    close = form.patterns.value_end.match(reader.text, stop.end, reader.end)
    return ((begin.end(), stop.start), close.end()) if close else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the value without one newline on each side."""
    start += text.startswith("\n", start, end)
    return start, end - text.endswith("\n", start, end)


def _after_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _row(read: Callable[[PayloadReader, int], Calls | None]) -> "_Reader":
    """Return a reader of calls that have nothing between them but separators."""

    def read_row(reader: PayloadReader, form: Form, opener: "re.Match[str]") -> Calls | None:
        if form.dialect == "near-miss-tag" and meant_tag(opener[0][1:-1]) != "<tool_call>":
            return None
        calls = read(reader, opener.end())
        if calls is None or calls.is_partial:
            return calls and (_ended(reader, form, calls) or calls)
        close = form.patterns.closes.match(reader.text, calls.end, reader.end) if form.closes else None
        if form.closes and close is None and not form.call:
            return None
        calls = calls._replace(end=close.end()) if close else calls
        return _near_miss(reader, calls) if form.dialect == "near-miss-tag" else _ended(reader, form, calls)

    return read_row


def _near_miss(reader: PayloadReader, calls: Calls) -> Calls:
    """`<tool_cal>{…}</tool_cal>`: a tag that is almost `<tool_call>`."""
    close = _TAG.match(reader.text, calls.end)
    return calls._replace(end=close.end()) if close and _closes_call(reader.completion, close) else calls


def _closes_call(completion: Completion, close: "re.Match[str]") -> bool:
    """Return whether a tag closes a call in a misspelled tag.

    A correct closing tag does so only at the lenient level. Otherwise it is a stray tag.
    """
    if CALL_CLOSE_ANY_CASE.fullmatch(close[0].strip()):
        return completion.level is Level.LENIENT
    return meant_tag(close[1]) == "</tool_call>"


_Reader = Callable[[PayloadReader, Form, "re.Match[str]"], Calls | None]
_READERS: Final[dict[str, _Reader]] = {
    "objects": _row(PayloadReader.objects),
    "entries": _row(PayloadReader.entries),
    "pythonic": _row(PayloadReader.python_calls),
    "functions": _row(PayloadReader.functions),
    "named": _calls,
    "tagged": _calls,
}
