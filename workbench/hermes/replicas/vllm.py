"""A replica of the rules of vLLM's `hermes` tool parser, without streaming.

*Source:* vLLM, `hermes_tool_parser.py` and its tests.
"""

from collections.abc import Sequence

from workbench.chat.json_value import JsonValue, as_object
from workbench.hermes.replicas.attempt import (
    Attempt,
    Block,
    TakenCall,
    load_json,
    refusal,
    tag_blocks,
    unique,
)
from workbench.toolspec.spec import OfferedTools


def read_as_vllm(text: str, _: OfferedTools | None) -> Attempt:
    """Each block is given to `json.loads` and must have `name` and `arguments`; one bad block loses all.

    The first close tag ends a block, inside a string too; with no close tag left the rest of the text is a
    block. Names are not checked, thoughts are not known. Text behind the first open tag is lost.
    """
    found = list(tag_blocks(text))
    calls: list[TakenCall] = []
    for index, block in enumerate(found, start=1):
        call = _call(block.body)
        if isinstance(call, str):
            return Attempt(notes=(f"block {index} is refused ({call}), and one bad block loses every call",))
        calls.append(call)
    notes = ["the text between or behind calls is lost"] if _has_lost_text(text, found) else []
    return Attempt(calls=tuple(calls), notes=unique(notes))


def _call(body: str) -> TakenCall | str:
    """The call, or why there is none."""
    reason = refusal(body)
    if reason:
        return reason
    value = load_json(body)
    fields = as_object(value)
    if "name" not in fields or "arguments" not in fields:
        return f"no object with name and arguments: {body.strip()[:20]!r}"
    name = fields["name"]
    return (
        TakenCall(name=name, arguments=_decoded(fields["arguments"])) if isinstance(name, str) else "bad name"
    )


def _decoded(arguments: JsonValue) -> JsonValue:
    """Arguments that came as a string of JSON reach the client as that JSON, others as they are."""
    if not isinstance(arguments, str) or refusal(arguments):
        return arguments
    return load_json(arguments)


def _has_lost_text(text: str, found: Sequence[Block]) -> bool:
    starts = [*(block.start for block in found[1:]), len(text)]
    gaps = (text[block.end : start] for block, start in zip(found, starts, strict=False))
    return any(gap.replace("<|im_end|>", "").strip() for gap in gaps)
