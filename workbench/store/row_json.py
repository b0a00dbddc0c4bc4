"""The JSON of rows as values, and back."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

from pydantic import TypeAdapter, ValidationError

from workbench.chat.finding import Finding
from workbench.chat.message import ToolCall
from workbench.rollout.events import Generation
from workbench.rollout.ports import EmittedToken
from workbench.rollout.sampling import Sampling

_SAMPLING: Final = TypeAdapter(Sampling)
_FINDINGS: Final[TypeAdapter[tuple[Finding, ...]]] = TypeAdapter(tuple[Finding, ...])
_TOKENS: Final[TypeAdapter[tuple[EmittedToken, ...] | None]] = TypeAdapter(tuple[EmittedToken, ...] | None)
_GENERATION: Final = TypeAdapter(Generation)
_CALL_KEYS: Final = frozenset({"name", "arguments", "arguments_text"})


def generation_document(generation: Generation) -> dict[str, Any]:
    """The JSON of a generation whose message is still written."""
    return _GENERATION.dump_python(generation, mode="json")


def sampling_document(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of a sampling, with each number in the type that it is read in."""
    return _SAMPLING.dump_python(sampling_value(fields), mode="json")


def tokens_document(tokens: tuple[EmittedToken, ...] | None) -> list[dict[str, Any]] | None:
    """The JSON of a completion's tokens."""
    return _TOKENS.dump_python(tokens, mode="json")


def generation_of(document: Mapping[str, Any]) -> Generation:
    """The generation of a message that is still written.

    Raises:
        ValueError: A key has a value that it cannot have.
    """
    with place_told("generation"):
        return _GENERATION.validate_python(document)


def call_value(document: object) -> ToolCall:
    """A call of a row's JSON.

    Raises:
        ValueError: It is not one.
    """
    fields: Mapping[str, Any] = cast(Mapping[str, Any], document) if isinstance(document, Mapping) else {}
    text: object = fields.get("arguments_text")
    is_call = isinstance(fields.get("name"), str) and isinstance(fields.get("arguments"), Mapping)
    if not is_call or not isinstance(text, str | None) or set(fields) - _CALL_KEYS:
        raise ValueError(f"not a call: {dict(fields)!r}"[:80])
    return ToolCall(**fields)


def findings_documents(findings: tuple[Finding, ...]) -> list[dict[str, Any]] | None:
    """The JSON of findings; None for none."""
    return _FINDINGS.dump_python(findings, mode="json") or None


def findings_value(documents: Sequence[Mapping[str, Any]] | None) -> tuple[Finding, ...]:
    """Findings.

    Raises:
        ValueError: A key has a value that it cannot have.
    """
    with place_told("findings"):
        return _FINDINGS.validate_python(documents or ())


def tokens_value(documents: Sequence[Mapping[str, Any]] | None) -> tuple[EmittedToken, ...] | None:
    """The tokens of a completion; None if they were not kept.

    Raises:
        ValueError: A key has a value that it cannot have.
    """
    with place_told("tokens"):
        return _TOKENS.validate_python(documents)


def sampling_value(document: Mapping[str, Any]) -> Sampling:
    """How a completion was sampled.

    Raises:
        ValueError: A key has a value that it cannot have.
    """
    with place_told("sampling"):
        return _SAMPLING.validate_python(document)


@contextmanager
def place_told(name: str) -> Generator[None]:
    """Says in one line which key of a row's JSON cannot be read."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        raise ValueError(f"{name}.{place}: {first['msg']}") from error
