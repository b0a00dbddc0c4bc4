"""What came of an import."""

from dataclasses import dataclass

from workbench.chat.finding import Finding, Severity
from workbench.toolspec.spec import OfferedTools


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Tools that were read, and what of the original they do not keep."""

    tools: OfferedTools
    """In the order of the original."""
    form: str
    """Which form it was: `openai`, `bare`, `anthropic`, `gemini`, `mcp`, `openapi`, `python` or `mixed`."""
    findings: tuple[Finding, ...] = ()
    """What was left out or put otherwise; pointers lead into the original."""


def loss(message: str, pointer: str) -> Finding:
    """A note of what the spec does not keep."""
    return Finding(code="import-loss", message=message[:99], severity=Severity.WARNING, pointer=pointer)
