"""Every literal mark of the format with its source, and how text that contains marks is escaped."""

import json
import re
from typing import Final, NamedTuple

CALL_OPEN: Final = "<tool_call>"
"""*Source:* Hermes-2-Pro, Hermes-3, Qwen2.5 and Qwen3 chat templates."""
CALL_CLOSE: Final = "</tool_call>"
"""*Source:* as `CALL_OPEN`."""
THINK_CLOSE: Final = "</think>"
"""*Source:* Hermes-4 and Qwen3 chat templates."""
FUNCTION_CLOSE: Final = "</function>"
"""*Source:* Qwen3-Coder chat template."""
PARAMETER_CLOSE: Final = "</parameter>"
"""*Source:* Qwen3-Coder chat template."""

CALL_TAG: Final = re.compile(r"<(/?)(?i:tool_call)>")
"""An open or close tag of a call, in any case of letters; group 1 is `/` of a close tag."""
CALL_CLOSE_ANY_CASE: Final = re.compile(r"</(?i:tool_call)>")
"""The close tag of a call, in any case of letters."""
CALL_BEGINS: Final = re.compile(r"<(?i:tool_call)>(?=\s*+(?:[{\[]|<function))")
"""An open tag with the payload of a call directly behind it."""
CUT_CALL_CLOSE: Final = re.compile(
    r"\s*+(?:</tool(?:_(?:c(?:a(?:ll?)?)?)?)?(?![\w>])|<(?:/(?:t(?:oo?)?)?)?\Z)"
)
"""What is left of a close tag that was cut: `</tool_`, or at the end of the text still less."""

STOP: Final = re.compile(r"<\|(?:im_end|endoftext|eot_id)\|>")
"""The mark that ends a turn. *Source:* ChatML; Llama-3 (Hermes-4 70B, 405B)."""

SPACE: Final = re.compile(r"\s*+")
"""White space of text: Unicode's, so that a no-break space around a tag counts."""

MARK: Final = re.compile(
    r"<(?:"
    r"(?P<open>(?i:tool_call)>)"
    r"|(?P<close>/(?i:tool_call)>)"
    r"|(?P<thought>(?:think|scratch_pad|REASONING_SCRATCHPAD)>)"
    r"|(?P<thought_end>/(?:think|scratch_pad|REASONING_SCRATCHPAD)>)"
    r"|(?P<stop>\|(?:im_end|endoftext|eot_id)\|>)"
    r"|(?P<response>tool_response>)"
    r"|(?P<alternate>(?:tools|function_call|functioncall)>(?=\s*+[{\[]))"
    r'|(?P<named>(?:tool_call name="[^"<>&\n]*"|function name="[^"<>&\n]*"|function=[^<>&\n]*)>(?=\s*+\{))'
    r"|(?P<function>function=[^<>&\n]*>)"
    r")"
)
"""All that means something outside of a block; `lastgroup` says what. An entity in a name makes it text.
*Source:* `scratch_pad` the Hermes-3 goal prompt, `REASONING_SCRATCHPAD` hermes-agent, `tools` Qwen2.5-Coder's
drift, `function_call` and `<function name=` llama.cpp, `functioncall` glaive v2."""

ANY_TAG: Final = re.compile(
    r"</?(?:(?i:tool_call)|think|scratch_pad|REASONING_SCRATCHPAD|tool_response|tools|function_call|functioncall"
    r"|function|parameter)(?:[= ][^<>\n]*)?>|<\|(?:im_end|endoftext|eot_id)\|>"
)
"""Any tag of the format, open or close, or stop mark, whatever stands around it."""

PAYLOAD_START: Final = re.compile(r"""["'“‘]?[{\[]|```|<function""")
"""How the payload of a call begins, behind its open tag and white space."""

FENCE_OPEN: Final = re.compile(r"```[\w+-]*[^\S\n]*\r?\n\s*+")
"""The fence line before a payload, with the white space behind it."""
FENCE_CLOSE: Final = re.compile(r"\s*+```[^\S\n]*(?=\n|<|\Z)")
"""The fence behind a payload, with the white space before it."""

FOREIGN: Final = re.compile(r"(?P<glm>[\w.-]+\s*+<arg_key>)|(?P<harmony>to=)|(?P<python>[A-Za-z_][\w.-]*\()")
"""How a body of another family begins. *Source:* GLM-4.5 (`<arg_key>`), gpt-oss (`to=`), pythonic calls."""

FUNCTION_OPEN: Final = re.compile(r"<function=([^>\n]{0,500})>")
"""*Source:* Qwen3-Coder chat template; group 1 is the name. Bounded: a name is short."""
FUNCTION_NAMED: Final = re.compile(r'<function name="([^"<>\n]{0,500})">(?=\s*+\{)')
"""*Source:* llama.cpp, older Hermes-2-Pro parser; group 1 is the name."""
PARAMETER_OPEN: Final = re.compile(r"<parameter=([^>\n]{0,500})>")
"""*Source:* Qwen3-Coder chat template; group 1 is the name."""
VALUE_EVENT: Final = re.compile(
    r"<(?:/parameter>(?P<ends>\s*+(?:\Z|<parameter=|</function>|</?tool_call>|<function=))?"
    r"|parameter=(?P<parameter>[^<>\n]*)>(?P<line>[^\S\n]*+(?=\n|\Z))?"
    r"|(?P<opens>function=)|(?P<closes>/function>)|(?P<tag>/?(?i:tool_call)>))"
)
"""All that may matter inside a value; `line` where nothing else follows on the line."""
DRIFTED_CLOSE: Final = re.compile(r"</parameter(?!>)[^<>\n]*>?\s*\Z")
"""A misspelt close tag at the end of a value: `</parameter1>`, `</parameter_function>`, `</parameter`."""

ALTERNATE_CLOSE: Final = {
    "tools": re.compile(r"</tools>"),
    "function_call": re.compile(r"</function_call>"),
    "functioncall": re.compile(r"</functioncall>"),
    "tool_call": CALL_CLOSE_ANY_CASE,
    "function": re.compile(r"</function>"),
}
"""The close tag of each alternate tag; of `<functioncall>`, which has none, one that is taken along."""


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
