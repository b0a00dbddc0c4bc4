"""Chance that comes out the same each time: by seed, tool, arguments and call number."""

from hashlib import sha256
from random import Random

from workbench.chat.message import ToolCall
from workbench.toolspec.spec import canonical_json


def chance(seed: int, call: ToolCall, call_number: int) -> Random:
    """The chance of one call; equal calls with equal numbers have equal chance."""
    text = canonical_json([seed, call.name, call.arguments, call_number])
    return Random(int.from_bytes(sha256(text.encode(errors="replace")).digest()[:8], "big"))
