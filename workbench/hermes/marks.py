"""Tags and special tokens of the format with their sources, and how to escape them.

A *mark* is a tag such as `<tool_call>`, or a special token such as `<|im_start|>`.
"""

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
"""The opening or closing tag of a call, in upper or lower case. Group 1 is `/` in a closing tag."""
CALL_CLOSE_ANY_CASE: Final = re.compile(r"</(?i:tool_call)>")
"""The closing tag of a call, in upper or lower case."""
CALL_BEGINS: Final = re.compile(r"<(?i:tool_call)>(?=\s*+(?:[{\[]|<function))")
"""An opening tag that is directly followed by the payload of a call."""
ALTERNATE_BEGINS: Final = re.compile(
    rf"{CALL_BEGINS.pattern}|<(?:(?:tools|function_call|functioncall)>(?=\s*+[{{\[])"
    r"|function=[^<>&\n]*>(?=\s*+\{)|(?:function|tool_call) name=)"
)
"""The same, or another tag of a call."""
CUT_CALL_CLOSE: Final = re.compile(
    r"\s*+(?:</tool(?:_(?:c(?:a(?:ll?)?)?)?)?(?![\w>])|<(?:/(?:t(?:oo?)?)?)?\Z)"
)
"""The start of a closing tag that was cut off, such as `</tool_`. At the end of the text, `<` is enough."""

STOP: Final = re.compile(r"<\|(?:im_end|endoftext|eot_id)\|>")
"""The special token that ends a turn. *Source:* ChatML; Llama 3 (Hermes-4 70B and 405B)."""

SPACE: Final = re.compile(r"\s*+")
"""Unicode white space, so that a no-break space around a tag counts."""

FOREIGN_THOUGHTS: Final = {
    "[THINK]": "[/THINK]",
    "<seed:think>": "</seed:think>",
    "<mm:think>": "</mm:think>",
    "<ifm|think>": "</ifm|think>",
    "<ifm|think_fast>": "</ifm|think_fast>",
    "<ifm|think_faster>": "</ifm|think_faster>",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
    "<|plamo:begin_think:plamo|>": "<|plamo:end_think:plamo|>",
    "<|channel>thought": "<channel|>",
    "<|content_thinking|>": "<|end_message|>",
    "<|think|>": "<|end|>",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|start|>assistant<|channel|>analysis<|message|>": "<|end|>",
    "<|start|>assistant to=self<|message|>": "<|eom|>",
}
"""The token that ends a thought, by the token that begins it, in the forms of other families.

*Sources:* vLLM 0.33 (`vllm/reasoning`, `vllm/parser`) and llama.cpp. In this order: Mistral, Seed-OSS, MiniMax M3, K2
Horizon, Command R, Apertus, Kimi K3, PLaMo 3, Gemma 4, Inkling, Solar, gpt-oss, Muse."""
_SHARED_ENDS: Final = frozenset({"<channel|>", "<|end_message|>", "<|end|>", "<|eom|>"})
"""Tokens that end other things too, so that they end no thought that the prompt began."""
_OPENS: Final = "|".join(re.escape(token[1:]) for token in FOREIGN_THOUGHTS if token.startswith("<"))
_ENDS: Final = "|".join(
    re.escape(token[1:])
    for token in FOREIGN_THOUGHTS.values()
    if token.startswith("<") and token not in _SHARED_ENDS
)

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
    r"|(?P<wrapped>seed:tool_call>(?=\s*+<function=)|tool_calls>(?=\s*+<tool_call>))"
    rf"|(?P<foreign_thought>{_OPENS})"
    rf"|(?P<foreign_thought_end>{_ENDS})"
    r")"
)
"""Every mark with a meaning outside of a block; `lastgroup` names its kind. A tag with an HTML entity in its name
is text.

*Sources:* the goal prompt of Hermes-3 (`scratch_pad`), hermes-agent (`REASONING_SCRATCHPAD`), completions of
Qwen2.5-Coder (`tools`), llama.cpp (`function_call` and `<function name=`), glaive-function-calling-v2
(`functioncall`), the forms of Seed-OSS and Hunyuan V3 around a block (`wrapped`)."""

MARK_OR_BRACKET: Final = re.compile(
    MARK.pattern + r"|(?P<bracket_thought>\[THINK\])|(?P<bracket_thought_end>\[/THINK\])"
)
"""As `MARK`, with the marks of Mistral, whose other first character makes the search slower."""
BRACKET_MARKS: Final = ("[THINK]", "[/THINK]")

ANY_TAG: Final = re.compile(
    r"</?(?:(?i:tool_call)|think|scratch_pad|REASONING_SCRATCHPAD|tool_response|tools|function_call|functioncall"
    r"|function|parameter)(?:[= ][^<>\n]*)?>|<\|(?:im_end|endoftext|eot_id)\|>"
)
"""Any opening or closing tag of the format, or a stop token, whatever is around it."""

PAYLOAD_START: Final = re.compile(r"""["'“‘]?[{\[]|```|<function""")
"""The start of a call's payload, after the opening tag and white space."""

FENCE_OPEN: Final = re.compile(r"```[\w+-]*[^\S\n]*\r?\n\s*+")
"""The opening line of a code fence before a payload, with the white space after it."""
FENCE_CLOSE: Final = re.compile(r"\s*+```[^\S\n]*(?=\n|<|\Z)")
"""The closing line of a code fence after a payload, with the white space before it."""

FOREIGN: Final = re.compile(
    r"(?P<glm>[\w.-]+\s*+<(?:arg_key|tool_sep)>)|(?P<harmony>to=)|(?P<pythonic>[A-Za-z_][\w.-]*\()"
    r"|(?P<m3>\]<\]minimax\[>\[)|(?P<name>[A-Za-z_][\w.-]*+)\s*+(?=</tool_call>)"
)
"""The start of a body in another family's format: GLM-4.5 (`<arg_key>`), gpt-oss (`to=`), a Python call, or MiniMax M3.

A name alone is a call of GLM-4.7 without arguments if a tool has this name."""

GLM_BODY: Final = re.compile(
    r"\s*+[\w.-]++\s*+(?:<tool_sep>\s*+)?(?:<arg_key>[^<]*+</arg_key>\s*+"
    r"<arg_value>[^<]*+(?:<(?!/?arg_(?:key|value)>)[^<]*+)*+</arg_value>\s*+)++(?=</(?i:tool_call)>)"
)
"""The complete body of a call in GLM's form. Its values may contain the tags of calls."""

FUNCTION_OPEN: Final = re.compile(r"<function=([^>\n]{0,500})>")
"""Group 1 is the name; its length is limited to keep the search linear. *Source:* Qwen3-Coder chat template."""
FUNCTION_NAMED: Final = re.compile(r'<function name="([^"<>\n]{0,500})">(?=\s*+\{)')
"""Group 1 is the name. *Source:* llama.cpp, older Hermes-2-Pro parser."""
PARAMETER_OPEN: Final = re.compile(r"<parameter=([^>\n]{0,500})>")
"""Group 1 is the name. *Source:* Qwen3-Coder chat template."""
VALUE_EVENT: Final = re.compile(
    r"<(?:/parameter>(?P<ends>(?=\s*+(?:\Z|<parameter=|</function>|</?tool_call>|<function=)))?"
    r"|parameter=(?P<parameter>[^<>\n]*)>(?P<line>[^\S\n]*+(?=\n|\Z))?"
    r"|(?P<opens>function=)|(?P<closes>/function>)|(?P<tag>/?(?i:tool_call)>))"
)
"""Every tag that may end a value or belong to it. Group `line` matches if nothing else follows on the line."""
DRIFTED_CLOSE: Final = re.compile(r"</parameter(?!>)[^<>\n]*>?\s*\Z")
"""A misspelled closing tag at the end of a value: `</parameter1>`, `</parameter_function>` or `</parameter`."""

ALTERNATE_CLOSE: Final = {
    "tools": re.compile(r"</tools>"),
    "function_call": re.compile(r"</function_call>"),
    "functioncall": re.compile(r"</functioncall>"),
    "tool_call": CALL_CLOSE_ANY_CASE,
    "function": re.compile(r"</function>"),
}
"""The closing tag of each alternate tag.

`<functioncall>` has no closing tag; if there is one, it is removed as well.
"""


TURN_OPEN: Final = "<|im_start|>"
"""Opens a turn and is followed by the role. *Source:* ChatML, chat templates of Hermes-3 and Qwen2.5."""
TURN_CLOSE: Final = "<|im_end|>"
"""Ends a turn. *Source:* as `TURN_OPEN`."""

CONTROL_MARK: Final = re.compile(r"<\|[A-Za-z0-9_]{1,64}\|>")
"""Any special token, recognized by its form: those of ChatML, Llama 3's headers and Qwen's vision tokens.

A tokenizer with special tokens turned on makes one token of such a text, wherever it is in the prompt.

*Source:* special tokens in tokenizer_config.json of Hermes-3-Llama-3.1 and Qwen3.
"""

JSON_TAGS: Final = ("tools", "tool_call", "tool_response", "think")
"""Names of the tags that all families use. *Source:* `docs/reference/families.md`."""

ANY_MARK_JSON: Final = re.compile(CONTROL_MARK.pattern + r"|</?(?:" + "|".join(JSON_TAGS) + ")>")
"""Marks with a meaning in a family that writes calls as JSON."""
ANY_MARK_XML: Final = re.compile(
    ANY_MARK_JSON.pattern + r"|<(?:function|parameter)=|</(?:function|parameter)>"
)
"""Marks with a meaning in a family that writes calls as `<function=…>`."""


class Escape(NamedTuple):
    """Replacements for the angle brackets of a mark, so that it has no effect."""

    less: str
    """Replaces `<`."""
    greater: str
    """Replaces `>`."""

    def applied(self, mark: str) -> str:
        """Return `mark` with its angle brackets escaped.

        >>> HTML_ESCAPE.applied("<|im_end|>")
        '&lt;|im_end|&gt;'
        """
        return mark.replace("<", self.less).replace(">", self.greater)


JSON_ESCAPE: Final = Escape("\\u003c", "\\u003e")
"""For JSON strings. The decoded value stays the same."""
PYTHON_ESCAPE: Final = Escape("\\x3c", "\\x3e")
"""For Python string literals. The decoded value stays the same."""
HTML_ESCAPE: Final = Escape("&lt;", "&gt;")
"""For plain text. The reader escapes stray tags in the same way."""


def escape_for(text: str) -> Escape:
    """Return the escape that changes least: JSON's if `text` is JSON, where marks only occur in strings.

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
