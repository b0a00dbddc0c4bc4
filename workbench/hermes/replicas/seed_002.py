"""A replica of the parser that the "Stella Tool Calling Guide" prints for `<function=…>` calls (seed 002).

*Source:* that guide's `parse_hermes_tool_call`.
"""

from typing import Final, NamedTuple

from workbench.hermes.replicas.attempt import Attempt, TakenCall, tag_blocks, unique
from workbench.toolspec.spec import OfferedTools

_VALUE_CLOSE: Final = "</parameter>"


class _Mark(NamedTuple):
    """An open tag that carries a name."""

    name: str
    end: int


def read_as_seed_002(text: str, tools: OfferedTools | None) -> Attempt:
    r"""The first `<function=…>` of each closed block, and its parameters as stripped text.

    The guide's `<parameter=([^>]+)>\s*(.*?)\s*</parameter>` takes cubic time; here each mark is searched for
    once, with the same result. JSON bodies are not read at all, and no value is typed.
    """
    calls: list[TakenCall] = []
    notes: list[str] = []
    for block in tag_blocks(text):
        function = _next_mark(block.body, "<function=", 0)
        if not block.is_closed:
            notes.append("a block without its close tag is no call")
        elif function is None:
            notes.append("a body without <function=…> is skipped: JSON is not read")
        else:
            if block.body.count("<function=") > 1:
                notes.append("of each block only the first function is read")
            arguments = _arguments(block.body, function.name, tools, notes)
            calls.append(TakenCall(name=function.name, arguments=arguments))
    return Attempt(calls=tuple(calls), notes=unique(notes))


def _arguments(body: str, name: str, tools: OfferedTools | None, notes: list[str]) -> dict[str, str]:
    spec = tools.by_name.get(name) if tools else None
    arguments: dict[str, str] = {}
    mark = _next_mark(body, "<parameter=", 0)
    while mark is not None:
        key = mark.name
        close = body.find(_VALUE_CLOSE, mark.end)
        if close < 0:
            notes.append("a value without </parameter> is lost")
            break
        raw = body[mark.end : close]
        arguments[key] = raw.strip()
        if "<parameter=" in raw:
            notes.append("a value without </parameter> swallows the next parameter")
        if arguments[key] != _one_line_break_less(raw):
            notes.append("white space at both ends of a value is stripped, indentation too")
        if spec and spec.properties.get(key, {}).get("type", "string") != "string":
            notes.append("a value stays text, whatever the schema says")
        mark = _next_mark(body, "<parameter=", close + len(_VALUE_CLOSE))
    return arguments


def _next_mark(body: str, opening: str, position: int) -> _Mark | None:
    """What `<opening([^>]+)>` finds from `position` on."""
    start = body.find(opening, position)
    while start >= 0:
        begin = start + len(opening)
        end = body.find(">", begin)
        if end < 0:
            return None
        if end > begin:
            return _Mark(body[begin:end], end + 1)
        start = body.find(opening, end)
    return None


def _one_line_break_less(raw: str) -> str:
    return raw.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")
