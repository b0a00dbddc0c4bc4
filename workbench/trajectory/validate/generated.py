"""Recognize keys and passwords that a tool of the row generated, which are nobody's."""

import re
from collections.abc import Iterator
from typing import Final

from workbench.chat.message import Role
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.row import EntryResult
from workbench.trajectory.validate.parsed_row import ParsedCall, ParsedRow
from workbench.trajectory.validate.secrets import secrets_in

_MAKES: Final = (
    r"(?:generate|generating|generator|create|creating|creator|random|issue|rotate|make|produce)\w*"
)
_KEY: Final = "keys?|tokens?|secrets?|credentials?"


def _generates(what: str) -> "re.Pattern[str]":
    secret = rf"(?:{what})\b"
    return re.compile(rf"\b{_MAKES} (?:\w+ ){{0,4}}?{secret}|\b{secret} (?:\w+ )?{_MAKES}\b", re.IGNORECASE)


_GENERATES_KEYS: Final = _generates(_KEY)
_GENERATES: Final = _generates(f"passwords?|passphrases?|{_KEY}")
_WORD_END: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
_ASSIGNED: Final = re.compile(r"[:=][ \t]*[\"']?")


def is_generated(secret: str, parsed: ParsedRow) -> bool:
    """Whether a secret comes from a result of a tool whose name or description says that it generates such.

    A key such as `sk-…` comes from a tool that generates keys, not from one that generates passwords.

    Args:
        secret: The secret, or an assignment of it such as `password: x`.
        parsed: The row with the secret.
    """
    value = _ASSIGNED.split(secret, maxsplit=1)[-1]
    is_key = any(match.code == "secret" and match.is_key for match in secrets_in(value))
    return any(value in text for text in _generated_texts(parsed, keys_only=is_key))


def generates_secrets(name: str, tools: OfferedTools, *, keys_only: bool = False) -> bool:
    """Whether a tool generates keys or passwords; with `keys_only`, whether it generates keys.

    >>> [generates_secrets(name, OfferedTools()) for name in ("generate_random_password", "checkPassword")]
    [True, False]
    """
    spec = tools.by_name.get(name)
    description = spec.function.get("description") if spec else None
    texts = (name, description if isinstance(description, str) else "")
    pattern = _GENERATES_KEYS if keys_only else _GENERATES
    return any(pattern.search(_WORD_END.sub(" ", text)) for text in texts)


def _generated_texts(parsed: ParsedRow, *, keys_only: bool) -> Iterator[str]:
    calls: tuple[ParsedCall, ...] = ()
    order = 0
    for parsed_entry in parsed.entries:
        if parsed_entry.entry.role is Role.ASSISTANT:
            calls, order = parsed_entry.calls, 0
        for result in parsed_entry.entry.results:
            name = result.name or _answered(result, calls, order)
            order += 1
            if name and generates_secrets(name, parsed.tools, keys_only=keys_only):
                yield result.text


def _answered(result: EntryResult, calls: tuple[ParsedCall, ...], order: int) -> str:
    """Return the tool that a result answers, by its id or by its order; empty if no call has either."""
    by_id = next((call.name for call in calls if call.id is not None and call.id == result.id), "")
    return by_id or (calls[order].name if order < len(calls) else "")
