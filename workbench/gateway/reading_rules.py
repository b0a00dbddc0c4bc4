"""How a request wants the text of its answer to be read: by its headers, otherwise by the settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from workbench.gateway.faults import RequestFault
from workbench.settings import GATEWAY_CALLS, GATEWAY_LEVELS, Settings

LEVEL_HEADER: Final = "X-Hermes-Level"
CALLS_HEADER: Final = "X-Hermes-Calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRules:
    """How an answer is read."""

    level: str
    """How much the reader may repair."""
    calls: str
    """When calls are taken out of the text: `offered`, `always` or `never`."""

    def takes_calls(self, *, are_tools_offered: bool) -> bool:
        """Return whether calls are taken out of the text.

        A client that offers no tools, or forbids calls, reads the text itself if it expects calls at all.
        """
        return self.calls == "always" or (self.calls == "offered" and are_tools_offered)


def reading_rules(headers: Mapping[str, str], settings: Settings) -> ReadingRules:
    """Return the rules for a request.

    Raises:
        RequestFault: A header has an unknown value.
    """
    return ReadingRules(
        level=_chosen(headers, LEVEL_HEADER, GATEWAY_LEVELS) or settings.gateway_level,
        calls=_chosen(headers, CALLS_HEADER, GATEWAY_CALLS) or settings.gateway_calls,
    )


def _chosen(headers: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    value = headers.get(name, "").strip().lower()
    if value and value not in words:
        problem = f"header {name}: {value[:40]!r} is unknown. Use {', '.join(words)}."
        raise RequestFault(400, problem, "invalid_value", name)
    return value
