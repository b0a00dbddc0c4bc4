"""JSON on standard output: one value a line, UTF-8 whatever the locale."""

import json
import sys

from workbench.chat.json_value import JsonObject


def write_json_line(value: JsonObject) -> None:
    """Writes one line and hands it on at once, so that a program may wait for it."""
    try:
        line = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8, but JSON can escape it.
        line = json.dumps(value).encode()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()
