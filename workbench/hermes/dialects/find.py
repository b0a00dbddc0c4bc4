"""Find foreign calls in the prose of a completion.

Prose is searched once for the openers of all forms. At each opener a reader tries its form; if it succeeds, the
search continues after the block, otherwise right after the opener. A reader that fails spends the completion's
allowance, so that a text of many openers that lead nowhere is read in linear time.

The forms fall into two groups. Forms with special tokens (`[TOOL_CALLS]`, `<|python_tag|>`, …) are reported
wherever they appear, because no plain answer contains them by accident. Forms that plain answers do contain, such
as JSON in a code fence or a Python call, count only if they name an offered tool, or if no tools are given and
they are all that the model wrote.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from workbench.hermes.body.shape import CallDraft
from workbench.hermes.dialects.payloads import Calls, PayloadReader, TaggedParameter
from workbench.hermes.marks import CALL_CLOSE_ANY_CASE
from workbench.hermes.near_miss import meant_tag
from workbench.hermes.reading import Level
from workbench.hermes.text.completion import Completion
from workbench.hermes.text.notes import BlockNotes

_OPENER: Final = re.compile(
    r"(?P<mistral>\[TOOL_CALLS\])"
    r"|(?P<llama><\|python_tag\|>)"
    r"|(?P<python><\|python_start\|>)"
    r"|(?P<deepseek><[｜|]tool[▁_]calls[▁_]begin[｜|]>)"
    r"|(?P<dsml><｜DSML｜function_calls>)"
    r"|(?P<kimi><\|tool_calls_section_begin\|>|<\|tool_call_begin\|>)"
    r"|(?P<harmony>(?:<\|start\|>assistant)?(?:<\|channel\|>commentary )?to=functions\.[\w.-]+)"
    r"|(?P<invoke><function_calls>(?=\s*+<invoke )|<invoke name=\")"
    r"|(?P<minimax><minimax:tool_call>)"
    r"|(?P<minimax_m1><tool_calls>(?=\s*+[{\[]))"
    r"|(?P<near>[<＜‹〈][^<>＜＞‹›〈〉\n]{1,40}[>＞›〉](?=\s*+[{\[]))"
    r"|(?P<fence>(?:^|(?<=\n))[^\S\n]*```(?:json|tool_call|tool_code|python)?[^\S\n]*\n)"
    r"|(?P<json>(?:^|(?<=\n))[^\S\n]*(?=[{\[]\s*+[{\"]))"
    r"|(?P<call>(?:^|(?<=\n))[^\S\n]*\[?(?=[A-Za-z_][\w.]*\([^\S\n]*(?:[A-Za-z_]\w*\s*=[^=]|\)))"
    r")"
)
_OPENING_CHARACTERS: Final = "[<{(`＜‹〈"
"""Each opener but harmony's has one of these. Prose rarely does, and finding one character is much faster."""
_HARMONY_MARK: Final = "to=functions."
_SEPARATORS: Final = re.compile(r"\s*+;?\s*+")
_MISTRAL_NAME: Final = re.compile(r"\s*+([\w.-]+)(?:\[CALL_ID\][\w-]*)?(?:\[ARGS\])?\s*+(?=\{)")
_DEEPSEEK_CALL: Final = re.compile(
    r"\s*+<[｜|]tool[▁_]call[▁_]begin[｜|]>(?:function<[｜|]tool[▁_]sep[｜|]>(?P<v3>[^\n<{]+)\s*+```json\s*+"
    r"|(?P<v31>[^<\n{]+)<[｜|]tool[▁_]sep[｜|]>\s*+)"
)
_DEEPSEEK_CLOSE: Final = re.compile(r"\s*+(?:```)?\s*+<[｜|]tool[▁_]call[▁_]end[｜|]>")
_DEEPSEEK_END: Final = re.compile(r"\s*+<[｜|]tool[▁_]calls[▁_]end[｜|]>")
_KIMI_CALL: Final = re.compile(
    r"\s*+(?:<\|tool_call_begin\|>)?\s*+([\w.-]+)(?::\d+)?\s*+<\|tool_call_argument_begin\|>\s*+"
)
_KIMI_CLOSE: Final = re.compile(r"\s*+<\|tool_call_end\|>")
_KIMI_END: Final = re.compile(r"\s*+<\|tool_calls_section_end\|>")
_HARMONY_NAME: Final = re.compile(r"to=(functions\.[\w.-]+)")
_HARMONY_BODY: Final = re.compile(r"[^{}]{0,80}(?=\{)")
_HARMONY_CLOSE: Final = re.compile(r"\s*+<\|(?:call|end|return)\|>")
_INVOKE: Final = re.compile(r"\s*+<(?P<dsml>｜DSML｜)?invoke name=\"(?P<name>[^\"<>]*)\"\s*+>")
_PARAMETER: Final = re.compile(
    r"\s*+<(?:｜DSML｜)?parameter name=\"(?P<name>[^\"<>]*)\"(?:\s+string=\"(?P<string>true|false)\")?\s*+>"
)
_PARAMETER_END: Final = re.compile(r"</(?:｜DSML｜)?parameter>")
_INVOKE_END: Final = re.compile(r"\s*+</(?:｜DSML｜)?invoke>")
_WRAPPER_END: Final = re.compile(
    r"\s*+(?:</function_calls>|</minimax:tool_call>|</｜DSML｜function_calls>|</tool_calls>)"
)
_PYTHON_END: Final = re.compile(r"\s*+<\|python_end\|>")
_FENCE_END: Final = re.compile(r"\s*+```[^\S\n]*(?=\n|\Z)")
_TAG: Final = re.compile(r"\s*+[<＜‹〈]([^<>＜＞‹›〈〉\n]{1,40})[>＞›〉]")
_GLM_NAME: Final = re.compile(r"\s*+([\w.-]+)\s*+")
_GLM_PAIR: Final = re.compile(r"\s*+<arg_key>([^<]*)</arg_key>\s*+<arg_value>(.*?)</arg_value>", re.DOTALL)
_PLAIN: Final = frozenset({"fence", "json", "call", "near"})
"""Openers that plain answers contain too."""


class ForeignBlock(NamedTuple):
    """A part of the completion in a foreign form."""

    dialect: str
    """A key of `DIALECTS`."""
    start: int
    end: int
    drafts: tuple[CallDraft, ...]
    """The calls in it; empty if it could not be read."""
    notes: BlockNotes
    """The repairs in it."""


class _Found(NamedTuple):
    dialect: str
    calls: Calls


_Reader = Callable[[PayloadReader, "re.Match[str]"], _Found | None]


def find_foreign(completion: Completion, start: int, end: int) -> Iterator[ForeignBlock]:
    """Yield the foreign blocks in the prose `[start, end)`, sorted by position."""
    text = completion.text
    if not _may_open(text[start:end]):
        return
    position = counted = start
    fences = 0
    unread = ""
    while opener := _OPENER.search(text, position, end):
        kind = str(opener.lastgroup)
        fences += text.count("```", counted, opener.start())
        counted = opener.start()
        is_plain = kind in _PLAIN or fences % 2 == 1
        position = max(opener.end(), opener.start() + 1)
        if text[max(0, opener.start() - 1) : opener.start()] == "`" and kind != "fence":
            continue  # a mention between backticks
        reader = PayloadReader(completion, end)
        found = _READERS[kind](reader, opener)
        if found is None or not found.calls.drafts:
            # The tags inside a wrapper that could not be read are part of it.
            is_inner = kind == "invoke" and unread in ("invoke", "minimax", "dsml")
            unread = kind
            if not is_plain and not is_inner:
                yield ForeignBlock(_DIALECT_OF[kind], opener.start(), opener.end(), (), reader.notes)
            continue
        block = ForeignBlock(
            found.dialect, opener.start(), found.calls.end, tuple(found.calls.drafts), reader.notes
        )
        if is_plain and not _counts(completion, block):
            continue
        yield block
        position = block.end


def certain_prose(text: str) -> int:
    """Return how much of a beginning of prose cannot be part of a foreign call, whatever follows.

    Whole lines without an opener are certain, unless the last one ends like an opener that goes on in the next.

    >>> certain_prose("Sure.\\n[TOOL_"), certain_prose("Sure.\\n[TOOL_CALLS][")
    (6, 6)
    """
    end = text.rfind("\n") + 1
    while end and text[:end].rstrip().endswith(("{", "[", ">")):
        end = text.rfind("\n", 0, len(text[:end].rstrip())) + 1
    opener = _OPENER.search(text, 0, end)
    return opener.start() if opener else end


def has_opener(text: str) -> bool:
    """Return whether a foreign form opens in `text`."""
    return _may_open(text) and _OPENER.search(text) is not None


def _may_open(text: str) -> bool:
    return any(character in text for character in _OPENING_CHARACTERS) or _HARMONY_MARK in text


def read_glm(completion: Completion, start: int, end: int) -> ForeignBlock | None:
    """Read the GLM body `[start, end)` of a `<tool_call>` block: a name, then pairs of <arg_key> and <arg_value>."""
    name = _GLM_NAME.match(completion.text, start, end)
    if not name:
        return None
    reader = PayloadReader(completion, end)
    pairs = list(_GLM_PAIR.finditer(completion.text, name.end(), end))
    parameters = (TaggedParameter(pair[1].strip(), *pair.span(2)) for pair in pairs)
    last = pairs[-1].end() if pairs else name.end()
    if completion.text[last:end].strip():
        return None
    drafts = reader.tagged(name[1], name.span(1), parameters, (start, end))
    return ForeignBlock("glm", start, end, tuple(drafts), reader.notes)


def read_foreign_body(completion: Completion, kind: str, start: int, end: int) -> ForeignBlock | None:
    """Read the body `[start, end)` of a `<tool_call>` block in the form `kind`: glm, harmony or python."""
    if kind == "glm":
        return read_glm(completion, start, end)
    reader = PayloadReader(completion, end)
    if kind == "harmony":
        opener = _OPENER.match(completion.text, start, end)
        found = _harmony(reader, opener) if opener and opener.lastgroup == "harmony" else None
        dialect, calls = found if found else ("harmony", None)
    else:
        dialect, calls = "pythonic", reader.python_calls(start)
    if calls is None or completion.text[calls.end : end].strip():
        return None
    return ForeignBlock(dialect, start, end, tuple(calls.drafts), reader.notes)


def _counts(completion: Completion, block: ForeignBlock) -> bool:
    """Return whether a form that plain answers contain too is a call here."""
    if completion.tools is not None:
        return all(draft.name in completion.tools.by_name for draft in block.drafts)
    around = completion.text[: block.start] + completion.text[block.end :]
    return not around.strip()


def _mistral(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    """`[TOOL_CALLS][{…}]`, or `[TOOL_CALLS]name[ARGS]{…}` once for each call."""
    calls = reader.objects(opener.end())
    if calls:
        return _Found("mistral", calls)
    drafts: list[CallDraft] = []
    position = opener.end()
    while name := _MISTRAL_NAME.match(reader.text, position, reader.end):
        call = reader.named(name[1], name.span(1), name.end())
        if call is None:
            break
        drafts += call.drafts
        position = call.end
        token = _OPENER.match(reader.text, position, reader.end)
        if not token or token.lastgroup != "mistral":
            break
        position = token.end()
    return _Found("mistral", Calls(drafts, position)) if drafts else None


def _llama(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    """`<|python_tag|>{…}; {…}`, or a Python call for the built-in tools."""
    calls = _objects_in_a_row(reader, opener.end()) or reader.python_calls(opener.end())
    return _Found("llama-python-tag", calls) if calls else None


def _python(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    calls = reader.python_calls(opener.end())
    if calls is None:
        return None
    close = _PYTHON_END.match(reader.text, calls.end, reader.end)
    return _Found("pythonic", calls._replace(end=close.end() if close else calls.end))


def _deepseek(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    drafts: list[CallDraft] = []
    position, dialect = opener.end(), "deepseek-v3.1"
    while begin := _DEEPSEEK_CALL.match(reader.text, position, reader.end):
        group = "v3" if begin["v3"] else "v31"
        dialect = "deepseek-v3" if begin["v3"] else dialect
        call = reader.named(begin[group].strip(), begin.span(group), begin.end())
        close = _DEEPSEEK_CLOSE.match(reader.text, call.end, reader.end) if call else None
        if call is None or close is None:
            return None
        drafts += call.drafts
        position = close.end()
    end = _DEEPSEEK_END.match(reader.text, position, reader.end)
    return _Found(dialect, Calls(drafts, end.end() if end else position)) if drafts else None


def _kimi(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    drafts: list[CallDraft] = []
    position = opener.end()
    while begin := _KIMI_CALL.match(reader.text, position, reader.end):
        call = reader.named(begin[1], begin.span(1), begin.end())
        close = _KIMI_CLOSE.match(reader.text, call.end, reader.end) if call else None
        if call is None or close is None:
            return None
        drafts += call.drafts
        position = close.end()
    end = _KIMI_END.match(reader.text, position, reader.end)
    return _Found("kimi", Calls(drafts, end.end() if end else position)) if drafts else None


def _harmony(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    """`<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`."""
    name = _HARMONY_NAME.search(reader.text, opener.start(), opener.end())
    body = _HARMONY_BODY.match(reader.text, opener.end(), reader.end)
    if not name or not body:
        return None
    calls = reader.named(name[1], name.span(1), body.end())
    if calls is None:
        return None
    close = _HARMONY_CLOSE.match(reader.text, calls.end, reader.end)
    return _Found("harmony", calls._replace(end=close.end() if close else calls.end))


def _invoke(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    """`<invoke name="f"><parameter name="a">…</parameter></invoke>`, once for each call."""
    kind = str(opener.lastgroup)
    position = opener.start() if opener[0].startswith("<invoke") else opener.end()
    drafts: list[CallDraft] = []
    while begin := _INVOKE.match(reader.text, position, reader.end):
        parameters: list[TaggedParameter] = []
        inner = begin.end()
        while tag := _PARAMETER.match(reader.text, inner, reader.end):
            may_look = reader.completion.may_look_far
            close = _PARAMETER_END.search(reader.text, tag.end(), reader.end) if may_look else None
            if close is None:
                reader.completion.spend(reader.end - tag.end())
                return None
            parameters.append(
                TaggedParameter(
                    tag["name"], *_trimmed(reader.text, tag.end(), close.start()), tag["string"] == "false"
                )
            )
            inner = close.end()
        end = _INVOKE_END.match(reader.text, inner, reader.end)
        if end is None:
            return None
        drafts += reader.tagged(
            begin["name"], begin.span("name"), iter(parameters), (begin.start(), end.end())
        )
        position = end.end()
    end = _WRAPPER_END.match(reader.text, position, reader.end)
    return _Found(_DIALECT_OF[kind], Calls(drafts, end.end() if end else position)) if drafts else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the value without one newline on each side."""
    start += text.startswith("\n", start, end)
    return start, end - text.endswith("\n", start, end)


def _objects_in_a_row(reader: PayloadReader, position: int) -> Calls | None:
    """Read JSON calls one after the other, separated by white space or a semicolon. None if there are none."""
    drafts: list[CallDraft] = []
    end = position
    while (calls := reader.objects(position)) is not None:
        drafts += calls.drafts
        end = calls.end
        between = _SEPARATORS.match(reader.text, end, reader.end)
        if not between or not reader.text.startswith("{", between.end()):
            break
        position = between.end()
    return Calls(drafts, end) if drafts else None


def _minimax_m1(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    calls = _objects_in_a_row(reader, opener.end())
    if calls is None:
        return None
    end = _WRAPPER_END.match(reader.text, calls.end, reader.end)
    return _Found("minimax-m1", calls._replace(end=end.end()) if end else calls)


def _fence(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    """A code fence around nothing but calls."""
    calls = reader.objects(opener.end())
    dialect = "fenced-json"
    if calls is None:
        calls, dialect = reader.python_calls(opener.end()), "pythonic"
    close = _FENCE_END.match(reader.text, calls.end, reader.end) if calls else None
    return _Found(dialect, calls._replace(end=close.end())) if calls and close else None


def _near_miss(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    """`<tool_cal>{…}</tool_cal>`: a tag that is almost `<tool_call>`."""
    calls = reader.objects(opener.end()) if meant_tag(opener[0][1:-1]) == "<tool_call>" else None
    if calls is None:
        return None
    close = _TAG.match(reader.text, calls.end)
    if close and _closes_call(reader.completion, close):
        calls = calls._replace(end=close.end())
    return _Found("near-miss-tag", calls)


def _closes_call(completion: Completion, close: "re.Match[str]") -> bool:
    """Return whether a tag closes a call in a misspelled tag.

    A correct closing tag does so only at the lenient level. Otherwise it is a stray tag.
    """
    if CALL_CLOSE_ANY_CASE.fullmatch(close[0].strip()):
        return completion.level is Level.LENIENT
    return meant_tag(close[1]) == "</tool_call>"


def _json(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    calls = reader.objects(opener.end())
    return _Found("bare-json", calls) if calls else None


def _call(reader: PayloadReader, opener: "re.Match[str]") -> _Found | None:
    calls = reader.python_calls(opener.start())
    return _Found("pythonic", calls) if calls else None


_READERS: Final[dict[str, _Reader]] = {
    "mistral": _mistral,
    "llama": _llama,
    "python": _python,
    "deepseek": _deepseek,
    "dsml": _invoke,
    "kimi": _kimi,
    "harmony": _harmony,
    "invoke": _invoke,
    "minimax": _invoke,
    "minimax_m1": _minimax_m1,
    "near": _near_miss,
    "fence": _fence,
    "json": _json,
    "call": _call,
}
_DIALECT_OF: Final = {
    "mistral": "mistral",
    "llama": "llama-python-tag",
    "python": "pythonic",
    "deepseek": "deepseek-v3",
    "dsml": "deepseek-v3.2",
    "kimi": "kimi",
    "harmony": "harmony",
    "invoke": "invoke",
    "minimax": "minimax",
    "minimax_m1": "minimax-m1",
    "near": "near-miss-tag",
    "fence": "fenced-json",
    "json": "bare-json",
    "call": "pythonic",
}
