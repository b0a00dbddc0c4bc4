"""Replicas of the `hermes` parsers of vLLM and SGLang, without streaming.

*Source:* `hermes_tool_parser.py` and its tests in https://github.com/vllm-project/vllm; the function call detectors and
their tests in https://github.com/sgl-project/sglang.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, cast

from workbench.chat.json_value import JsonValue, as_object, json_fault
from workbench.hermes.replicas.attempt import (
    CLOSE,
    OPEN,
    ReplicaCall,
    ReplicaReading,
    TaggedBlock,
    load_json,
    refusal,
    tag_blocks,
    unique,
)
from workbench.toolspec.spec import OfferedTools


def read_as_vllm(text: str, _: OfferedTools | None) -> ReplicaReading:
    """Parse each block with `json.loads`. It must have `name` and `arguments`, and one bad block loses all calls.

    The first closing tag ends a block, even inside a string. Without a closing tag, the block is the rest of the text.
    Names are not checked, and thoughts are not recognized. Text after the first opening tag is lost.
    """
    found = list(tag_blocks(text))
    calls: list[ReplicaCall] = []
    for index, block in enumerate(found, start=1):
        call = _call(block.body)
        if isinstance(call, str):
            return ReplicaReading(
                notes=(f"block {index} is rejected ({call}), and one bad block loses all calls",)
            )
        calls.append(call)
    notes = ["the text between or after calls is lost"] if _has_lost_text(text, found) else []
    return ReplicaReading(calls=tuple(calls), notes=unique(notes))


def _call(body: str) -> ReplicaCall | str:
    """Return the call, or why the block is rejected."""
    reason = refusal(body)
    if reason:
        return reason
    value = load_json(body)
    fields = as_object(value)
    if "name" not in fields or "arguments" not in fields:
        return f"not an object with name and arguments: {body.strip()[:20]!r}"
    name = fields["name"]
    return (
        ReplicaCall(name=name, arguments=_decoded(fields["arguments"]))
        if isinstance(name, str)
        else "bad name"
    )


def _decoded(arguments: JsonValue) -> JsonValue:
    """Return the arguments as they reach the client: a string of JSON is sent as that JSON."""
    if not isinstance(arguments, str) or refusal(arguments):
        return arguments
    return load_json(arguments)


def _has_lost_text(text: str, found: Sequence[TaggedBlock]) -> bool:
    starts = [*(block.start for block in found[1:]), len(text)]
    gaps = (text[block.end : start] for block, start in zip(found, starts, strict=False))
    return any(gap.replace("<|im_end|>", "").strip() for gap in gaps)


_SPACE: Final = re.compile(r"\s*")
_DECODER: Final = json.JSONDecoder()


def read_as_sglang(text: str, tools: OfferedTools | None) -> ReplicaReading:
    """Decode one JSON value after each opening tag. The first value that cannot be decoded ends the parsing.

    Tags inside strings are handled, and arrays of calls and `parameters` are accepted. Calls of tools that are not
    offered, or without arguments, are skipped. Thoughts are not recognized.
    """
    calls: list[ReplicaCall] = []
    notes: list[str] = []
    start = text.find(OPEN)
    while start >= 0:
        match = _SPACE.match(text, start + len(OPEN))
        begin = match.end() if match else start
        try:
            value, end = cast(tuple[JsonValue, int], _DECODER.raw_decode(text, begin))
        except (ValueError, RecursionError) as error:
            reason = json_fault(error) if isinstance(error, json.JSONDecodeError) else "it cannot be decoded"
            notes.append(f"parsing ends at the first invalid JSON ({reason} at character {begin})")
            break
        calls.extend(_calls(value, tools, notes))
        start = text.find(OPEN, end)
        rest = text[end:start] if start >= 0 else text[end:]
        if CLOSE in rest and rest.partition(CLOSE)[0].strip():
            notes.append("only the first JSON value of each block is read")
    return ReplicaReading(calls=tuple(calls), notes=unique(notes))


def _calls(value: JsonValue, tools: OfferedTools | None, notes: list[str]) -> Iterator[ReplicaCall]:
    for entry in value if isinstance(value, list) else [value]:
        fields = as_object(entry)
        name = fields.get("name")
        arguments = fields.get("arguments", fields.get("parameters"))
        if not isinstance(name, str) or not name:
            notes.append("an entry without a `name` is not a call")
        elif tools is not None and name not in tools.by_name:
            notes.append(f"tool {name!r} is not offered and its call is skipped")
        elif arguments is None:
            notes.append(f"the call of {name!r} has no arguments and is skipped")
        else:
            yield ReplicaCall(name=name, arguments=arguments)
