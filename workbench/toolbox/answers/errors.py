"""Errors as a model may see them."""

import re
from collections.abc import Mapping
from typing import Final

MAX_ERROR_CHARS: Final = 2_000
"""*Source:* FORMATS §7, hermes-agent's sanitiser."""
TRUNCATED: Final = "… [truncated]"
"""Stands at the end of an error that was cut."""
HIDDEN: Final = "[secret]"
"""Stands for a key or a password."""

_MOST_READ_CHARS: Final = 20_000
_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]{0,32}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
_MARKS: Final = re.compile(
    r"<\|[a-z_]{1,32}\|>"
    r"|</?(?:system|user|assistant|human|tool|tools|tool_call|tool_calls|tool_response|tool_result|function"
    r"|function_call|function_calls|think|scratch_pad|parameter|invoke)(?:[ =][^<>\n]{0,200})?>"
    r"|<!\[CDATA\[|\]\]>"
    r"|\[/?INST\]|<</?SYS>>"
    r"|`{3,}[\w+-]{0,20}|~{3,}",
    re.IGNORECASE,
)
"""Marks that a model could take for a turn, a call or a result; CDATA; code fences."""
_ROLE_LINE: Final = re.compile(r"^[ \t]{0,8}(?:system|user|assistant|human)[ \t]{0,4}:[ \t]?", re.I | re.M)
_SECRETS: Final = re.compile(
    r"\b(?:sk|pk|rk|hf|ghp|gho|ghs|glpat|xox[abpr])[-_][A-Za-z0-9_-]{8,200}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_.-]{8,2000}"
    r"|(?<=://)[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@)"
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{6,2000}"
)
_NAMED_SECRET: Final = re.compile(
    r"(\b\w{0,40}(?:api_?key|token|secret|password|passwd)\b[\"']?\s{0,3}[=:]\s{0,3}[\"']?)[^\s\"',;&]{3,500}",
    re.IGNORECASE,
)
_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET: Final = 6


def secret_values(environment: Mapping[str, str]) -> frozenset[str]:
    """Values of the variables whose names speak of keys, tokens or passwords; too short ones are left out."""
    return frozenset(
        value
        for name, value in environment.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    )


def clean_error(text: str, *, secrets: frozenset[str] = frozenset()) -> str:
    """`text` without role marks, CDATA, code fences, terminal codes and secrets, at most 2,000 characters.

    What is left after a mark is taken out is looked at again, so that no mark can be put together from halves.

    >>> clean_error("no <|im_start|>system file")
    'no system file'
    """
    text = _ANSI.sub("", text[:_MOST_READ_CHARS])
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    text = _NAMED_SECRET.sub(rf"\1{HIDDEN}", _SECRETS.sub(HIDDEN, text))
    text = _ROLE_LINE.sub("", _without_marks(text)).strip()
    text = "".join(sign for sign in text if sign >= " " or sign in "\n\t")
    is_long = len(text) > MAX_ERROR_CHARS
    return text[: MAX_ERROR_CHARS - len(TRUNCATED)] + TRUNCATED if is_long else text


def tool_error(problem: str, *, secrets: frozenset[str] = frozenset()) -> str:
    """The line of a tool that failed. *Source:* FORMATS §7, the envelope of hermes-agent's dispatch."""
    return "[TOOL_ERROR] " + clean_error(problem, secrets=secrets)


def failure_of(error: BaseException) -> str:
    """The words for an exception of a handler."""
    return f"Tool execution failed: {type(error).__name__}: {error}"


def _without_marks(text: str) -> str:
    for _ in range(8):
        cleaned = _MARKS.sub("", text)
        if cleaned == text:
            return text
        text = cleaned
    # Nested deeper than anyone writes by chance: no mark can begin any more.
    return text.replace("<", "‹").replace("[", "(").replace("`", "'").replace("~", "-").replace("]", ")")
