"""The quick way for a block that needs nothing: valid JSON between exact tags."""

from typing import cast

from workbench.chat.json_value import JsonObject
from workbench.hermes.body.shape import Draft, is_plain_name
from workbench.hermes.json_text.fast import decode
from workbench.hermes.marks import CALL_CLOSE, CALL_OPEN, SPACE
from workbench.hermes.reading import Dialect, SegmentKind
from workbench.hermes.scanner.block import Block
from workbench.hermes.text.completion import Completion
from workbench.toolspec.coerce import coercions


def read_clean_block(completion: Completion, start: int) -> Block | None:
    """The block whose open tag begins at `start`, if nothing in it is to be noted.

    None where the careful reader must look. In a clean block it finds the same, only slower.
    """
    text = completion.text
    if not text.startswith(CALL_OPEN, start) or completion.dialect is Dialect.XML:
        return None
    space = SPACE.match(text, start + len(CALL_OPEN))
    begin = space.end() if space else start
    close = completion.find(CALL_CLOSE, begin)
    if close < 0 or not text.startswith("{", begin) or 0 <= completion.find(CALL_OPEN, begin) < close:
        return None
    decoded = decode(text[begin:close])
    if decoded is None or text[begin + decoded[1] : close].strip():
        return None
    draft = _plain_call(completion, decoded[0], begin, begin + decoded[1])
    return Block(start, close + len(CALL_CLOSE), SegmentKind.CALL, True, (draft,)) if draft else None


def _plain_call(completion: Completion, value: object, start: int, end: int) -> Draft | None:
    if not isinstance(value, dict):
        return None
    members = cast("dict[str, object]", value)
    name, arguments = members.get("name"), members.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    if not is_plain_name(name, completion.tools):
        return None
    given = cast(JsonObject, arguments)
    spec = completion.spec(name)
    if spec is not None and spec.parameters and coercions(spec.parameters, given):
        return None
    return Draft(name, given, Dialect.JSON, start, end)
