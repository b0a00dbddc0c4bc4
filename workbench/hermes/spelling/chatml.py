"""The literal marks that a prompt is framed with, and how foreign text that holds them is made harmless."""

import json
import re
from typing import Final, NamedTuple

TURN_OPEN: Final = "<|im_start|>"
"""Opens a turn; the role follows. *Source:* ChatML, chat templates of Hermes-3 and Qwen2.5."""
TURN_CLOSE: Final = "<|im_end|>"
"""Ends a turn. *Source:* as `TURN_OPEN`."""

CONTROL_MARK: Final = re.compile(r"<\|[A-Za-z0-9_]{1,64}\|>")
"""Any control token by its shape: ChatML's, Llama 3's headers, Qwen's vision marks.

A tokenizer that reads a prompt with special tokens on makes one token of such a text, wherever it stands.
*Source:* special tokens in tokenizer_config.json of Hermes-3-Llama-3.1 and Qwen3.
"""

JSON_TAGS: Final = ("tools", "tool_call", "tool_response", "think")
"""Names of the tags of all families. *Source:* `docs/reference/families.md`."""

ANY_MARK_JSON: Final = re.compile(CONTROL_MARK.pattern + r"|</?(?:" + "|".join(JSON_TAGS) + ")>")
"""What has a meaning in a family whose calls are JSON."""
ANY_MARK_XML: Final = re.compile(
    ANY_MARK_JSON.pattern + r"|<(?:function|parameter)=|</(?:function|parameter)>"
)
"""What has a meaning in a family whose calls are `<function=…>`."""


class Escape(NamedTuple):
    """How the two ends of a mark are written so that it is none."""

    less: str
    """Instead of `<`."""
    greater: str
    """Instead of `>`."""

    def applied(self, mark: str) -> str:
        """`mark` with its angle brackets escaped.

        >>> HTML_ESCAPE.applied("<|im_end|>")
        '&lt;|im_end|&gt;'
        """
        return mark.replace("<", self.less).replace(">", self.greater)


JSON_ESCAPE: Final = Escape("\\u003c", "\\u003e")
"""Inside a JSON string: the decoded value stays the same."""
PYTHON_ESCAPE: Final = Escape("\\x3c", "\\x3e")
"""Inside a Python string literal: the decoded value stays the same."""
HTML_ESCAPE: Final = Escape("&lt;", "&gt;")
"""In plain text; the reader writes stray tags in the same way."""


def escape_for(text: str) -> Escape:
    """The escape that changes least: JSON's where `text` is JSON, for there a mark only stands in a string.

    >>> escape_for('{"a": "<think>"}') is JSON_ESCAPE, escape_for("a <think>") is HTML_ESCAPE
    (True, True)
    """
    if text.lstrip()[:1] not in ('"', "{", "["):
        return HTML_ESCAPE
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return HTML_ESCAPE
    return JSON_ESCAPE
