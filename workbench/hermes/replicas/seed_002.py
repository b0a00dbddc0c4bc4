"""A replica of the parser that the "Stella Tool Calling Guide" prints for `<function=…>` calls (seed 002).

*Source:* that guide's `parse_hermes_tool_call`.
"""

from collections.abc import Iterator

from workbench.hermes.replicas.attempt import Attempt, TakenCall, tag_blocks, unique
from workbench.toolspec.spec import OfferedTools


def read_as_seed_002(text: str, tools: OfferedTools | None) -> Attempt:
    r"""The first `<function=…>` of each closed block, and its parameters as stripped text.

    The guide's `<parameter=([^>]+)>\s*(.*?)\s*</parameter>` takes cubic time; here each mark is searched for
    once, with the same result. JSON bodies are not read at all, and no value is typed.
    """
    calls: list[TakenCall] = []
    notes: list[str] = []
    for block in tag_blocks(text):
        name = next(_marks(block.body, "<function="), None)
        if not block.is_closed:
            notes.append("a block without its close tag is no call")
        elif name is None:
            notes.append("a body without <function=…> is skipped: JSON is not read")
        else:
            if block.body.count("<function=") > 1:
                notes.append("of each block only the first function is read")
            calls.append(TakenCall(name=name[0], arguments=_arguments(block.body, name[0], tools, notes)))
    return Attempt(calls=tuple(calls), notes=unique(notes))


def _arguments(body: str, name: str, tools: OfferedTools | None, notes: list[str]) -> dict[str, str]:
    spec = tools.by_name.get(name) if tools else None
    arguments: dict[str, str] = {}
    position = 0
    for key, begin in _marks(body, "<parameter="):
        if begin < position:
            continue
        close = body.find("</parameter>", begin)
        if close < 0:
            notes.append("a value without </parameter> is lost")
            break
        raw = body[begin:close]
        arguments[key] = raw.strip()
        position = close + len("</parameter>")
        if "<parameter=" in raw:
            notes.append("a value without </parameter> swallows the next parameter")
        if arguments[key] != _one_line_break_less(raw):
            notes.append("white space at both ends of a value is stripped, indentation too")
        if spec and spec.properties.get(key, {}).get("type", "string") != "string":
            notes.append("a value stays text, whatever the schema says")
    return arguments


def _marks(body: str, opening: str) -> Iterator[tuple[str, int]]:
    """The name in each `<opening NAME>`, and where it ends."""
    start = body.find(opening)
    while start >= 0:
        begin = start + len(opening)
        end = body.find(">", begin)
        if end < 0:
            return
        if end > begin:
            yield body[begin:end], end + 1
        start = body.find(opening, max(end, begin))


def _one_line_break_less(raw: str) -> str:
    return raw.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")
