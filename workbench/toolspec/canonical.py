"""One text for equal JSON values."""

import json

from workbench.chat.json_value import JsonValue


def canonical_json(value: JsonValue) -> str:
    """JSON with sorted keys and no white space, so that equal values give equal text.

    >>> canonical_json({"b": 1, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
