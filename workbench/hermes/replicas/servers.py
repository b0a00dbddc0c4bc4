"""Replicas of the `hermes` parsers of vLLM and SGLang, without streaming.

*Source:* `hermes_tool_parser.py` in https://github.com/vllm-project/vllm, and `hermes_detector.py` with
`base_format_detector.py` in https://github.com/sgl-project/sglang, in the releases of
`workbench.hermes.server_releases`.
"""

from collections.abc import Mapping, Sequence

from workbench.chat.json_value import as_object
from workbench.hermes.replicas.attempt import (
    ReplicaCall,
    ReplicaReading,
    TaggedBlock,
    explain_refusal,
    load_json,
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
            return ReplicaReading(notes=(_rejected(index, call),))
        calls.append(call)
    notes = ["the text between or after calls is lost"] if _has_lost_text(text, found) else []
    return ReplicaReading(calls=tuple(calls), notes=unique(notes))


def _call(body: str) -> ReplicaCall | str:
    """Return the call, or why the block is rejected."""
    reason = explain_refusal(body)
    if reason:
        return reason
    value = load_json(body)
    fields = as_object(value)
    if "name" not in fields or "arguments" not in fields:
        return f"not an object with name and arguments: {body.strip()[:20]!r}"
    name = fields["name"]
    return ReplicaCall(name=name, arguments=fields["arguments"]) if isinstance(name, str) else "bad name"


def _rejected(index: int, reason: str) -> str:
    return f"block {index} is rejected ({reason}), and one bad block loses all calls"


def _has_lost_text(text: str, found: Sequence[TaggedBlock]) -> bool:
    starts = [*(block.start for block in found[1:]), len(text)]
    gaps = (text[block.end : start] for block, start in zip(found, starts, strict=False))
    return any(gap.replace("<|im_end|>", "").strip() for gap in gaps)


def read_as_sglang(text: str, tools: OfferedTools | None) -> ReplicaReading:
    """Parse each block with `json.loads`, an array as several calls. One bad block loses all calls.

    The first closing tag ends a block, even inside a string. Without a closing tag, the block is the rest of the text.
    `parameters` counts more than `arguments` unless it is empty. Calls of tools that are not offered are skipped, and
    thoughts are not recognized. Text after the first opening tag is lost.
    """
    found = list(tag_blocks(text))
    calls: list[ReplicaCall] = []
    notes: list[str] = []
    for index, block in enumerate(found, start=1):
        # Unlike vLLM's parser, it skips an empty block and strips what Python counts as white space.
        reason = _add_entries(block.body.strip(), tools, calls, notes) if block.body else ""
        if reason:
            return ReplicaReading(notes=(_rejected(index, reason),))
    if _has_lost_text(text, found):
        notes.append("the text between or after calls is lost")
    return ReplicaReading(calls=tuple(calls), notes=unique(notes))


def _add_entries(body: str, tools: OfferedTools | None, calls: list[ReplicaCall], notes: list[str]) -> str:
    """Add the calls of a block. Return why the block is rejected; empty if it is not."""
    reason = explain_refusal(body)
    if reason:
        return reason
    value = load_json(body)
    for entry in value if isinstance(value, list) else [value]:
        if not isinstance(entry, Mapping):
            return f"not an object or an array of objects: {body[:20]!r}"
        fields = as_object(entry)
        name = fields.get("name")
        if isinstance(name, list | Mapping) and name:
            return "bad name"
        arguments = fields.get("parameters") or fields.get("arguments", {})
        if not isinstance(name, str) or not name:
            notes.append("an entry without a `name` is not a call")
        elif tools is not None and name not in tools.by_name:
            notes.append(f"tool {name!r} is not offered and its call is skipped")
        else:
            calls.append(ReplicaCall(name=name, arguments=arguments))
    return ""
