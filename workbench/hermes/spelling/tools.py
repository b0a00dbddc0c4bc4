"""How offered tools are written between `<tools>` and `</tools>`: JSON lines, a JSON array, a Python list."""

import json
from collections.abc import Mapping
from typing import cast

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.toolspec.spec import OfferedTools


def spelled_json(value: JsonValue) -> str:
    """JSON as `tojson` in Hugging Face chat templates writes it: a blank after `,` and `:`, no escapes.

    *Source:* transformers' `chat_template_utils`.

    >>> spelled_json({"q": "a<b> é", "n": None})
    '{"q": "a<b> é", "n": null}'
    """
    return json.dumps(value, ensure_ascii=False, default=_plain)


def spelled_python(value: JsonValue) -> str:
    """The value as Python's `repr` writes it.

    >>> spelled_python({"ok": True, "x": None})
    "{'ok': True, 'x': None}"
    """
    return repr(_plain(value))


def json_lines(tools: OfferedTools) -> str:
    """One spec a line. *Source:* chat templates of Qwen2.5 and Qwen3; seed 001."""
    return "\n".join(spelled_json(spec.document) for spec in tools.specs)


def json_array(tools: OfferedTools) -> str:
    """All specs as one JSON array, on one line. *Source:* seed 000, complete example."""
    return spelled_json([spec.document for spec in tools.specs])


def python_list(tools: OfferedTools) -> str:
    """All specs as a Python list. *Source:* README of Hermes-Function-Calling."""
    return spelled_python([spec.document for spec in tools.specs])


def _plain(value: object) -> JsonValue:
    """`value` with each mapping a dict and each sequence a list."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in cast(JsonObject, value).items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in cast(list[JsonValue], value)]
    return cast(JsonValue, value)
