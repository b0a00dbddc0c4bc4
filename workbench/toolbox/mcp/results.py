"""Turn the result of a tool of an MCP server into a value for the model. Images and other binary data are described.

A model reads text only: an image of 20 × 20 pixels as Base64 has hundreds of tokens, and says nothing to it.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from workbench.chat.json_value import JsonObject, JsonValue, is_too_deep
from workbench.toolbox.mcp.bounds import MOST_LEVELS

_HEADER_CHARS: Final = 64
"""Characters of Base64 that contain the size of an image."""
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[\w=-]+)*;base64,([A-Za-z0-9+/]{64,}={0,2})")


def result_value(result: JsonObject) -> JsonValue:
    """Return the structured result of a call, or else its text.

    Args:
        result: The answer to `tools/call`, as the protocol spells it.
    """
    blocks = [cast(JsonObject, block) for block in cast("list[object]", result.get("content") or [])]
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    if result.get("isError"):
        return {"error": "\n".join(texts) or "the tool failed"}
    structured = result.get("structuredContent")
    if is_too_deep(structured, MOST_LEVELS):
        return {"error": f"the server's answer is nested more than {MOST_LEVELS} levels deep"}
    described = [_described(block) for block in blocks]
    if structured is not None:
        others = [text for block, text in zip(blocks, described, strict=True) if block.get("type") != "text"]
        value = _without_data(structured)
        return {"result": value, "attachments": others} if others else value
    return described[0] if len(described) == 1 else {"content": described}


def _described(block: JsonObject) -> str:
    """Return the text of a block, or what it is."""
    kind = block.get("type")
    if kind == "text":
        return _without_data(str(block.get("text", "")))
    if kind in ("image", "audio"):
        return _placeholder(str(kind), str(block.get("mimeType", "")), str(block.get("data", "")))
    if kind == "resource":
        return _resource(cast("Mapping[str, Any]", block.get("resource") or {}))
    if kind == "resource_link":
        named = (block.get("title") or block.get("name"), block.get("mimeType"), block.get("description"))
        about = ", ".join(str(part) for part in named if part)
        return f"[link to a resource: {block.get('uri', '')}" + (f" ({about})]" if about else "]")
    return f"[{str(kind)[:40]}; not shown to you]"


def _resource(resource: Mapping[str, Any]) -> str:
    uri = str(resource.get("uri", ""))
    if isinstance(text := resource.get("text"), str):
        return f"[resource {uri}]\n{_without_data(text)}"
    return _placeholder(f"resource {uri}", str(resource.get("mimeType") or ""), str(resource.get("blob", "")))


def _placeholder(what: str, mime: str, data: str) -> str:
    """Describe binary data, such as `[image: image/png, 20 × 20 pixels, 312 bytes; not shown to you]`."""
    size = len(data) * 3 // 4 - data[-2:].count("=")
    parts = (mime, _pixels(data), f"{size:,} bytes" if data else "")
    return f"[{what}: {', '.join(filter(None, parts)) or 'no data'}; not shown to you]"


def _pixels(data: str) -> str:
    """Return the width and height of a PNG or GIF image. Empty for other data."""
    try:
        head = base64.b64decode(data[:_HEADER_CHARS], validate=True)
    except (binascii.Error, ValueError):
        return ""
    if head.startswith(b"\x89PNG") and len(head) >= 24:
        width, height = int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    elif head.startswith(b"GIF8") and len(head) >= 10:
        width, height = int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    else:
        return ""
    return f"{width} × {height} pixels"


def _without_data(value: Any) -> Any:
    """Replace binary data in texts, `data:image/png;base64,…`, by its description."""
    if isinstance(value, str):
        return _DATA_URL.sub(lambda match: _placeholder("data", match[1], match[2]), value)
    if isinstance(value, list):
        return [_without_data(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {key: _without_data(item) for key, item in cast("dict[str, object]", value).items()}
    return value
