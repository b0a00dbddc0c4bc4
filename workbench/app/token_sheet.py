"""Split stored prompts and completions into the tokens of a model's vocabulary, with logprobs."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.app.queued_engine import QueuedLogprobs
from workbench.app.services import Services
from workbench.chat.finding import Span
from workbench.errors import BadInput, WorkbenchError
from workbench.hermes.spelling.families import FAMILIES
from workbench.hermes.written_out import written_out
from workbench.records.run_config import RunConfig
from workbench.records.sessions import StoredMessage
from workbench.rollout.events import Generation
from workbench.rollout.logprobs import Decision, opening_of
from workbench.rollout.ports import ChoiceKind, EmittedToken
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.mask import Token, Tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSize:
    """The size of the tools in one way of writing them."""

    families: tuple[str, ...]
    """The template families that write the tools in this way."""
    chars: int
    """Length in characters."""
    tokens: int | None
    """Length in tokens. None if no model is loaded to count them."""


def tool_sizes(tools: OfferedTools, count: Callable[[str], int] | None) -> tuple[ToolSize, ...]:
    """Return the size of the tools in each way of writing them, shortest first.

    Args:
        tools: Valid tools.
        count: Returns the number of tokens of a text. None if no model is loaded.
    """
    families: dict[str, list[str]] = {}
    for name, family in FAMILIES.items():
        families.setdefault(family.render_tools(tools), []).append(name)
    sizes = (
        ToolSize(families=tuple(names), chars=len(text), tokens=count(text) if count else None)
        for text, names in families.items()
    )
    return tuple(sorted(sizes, key=lambda size: size.chars))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionLogprobs:
    """The probabilities that a model assigns to a completion."""

    decision: Decision
    """The probabilities of how the answer begins."""
    tokens: tuple[EmittedToken, ...]
    """The completion's tokens with their logprobs, including the prefill."""
    is_writer: bool
    """Whether this is the model that generated the completion."""
    call_threshold: float = 0.0
    """Least probability of a call with which the answer begins with one; 0 if the model decides."""


def message_logprobs(
    services: Services, setup: RunConfig, stored: StoredMessage, *, is_cancelled: Callable[[], bool]
) -> CompletionLogprobs | None:
    """Compute the probabilities of a stored completion with the setup's model. None if it was cancelled.

    Raises:
        BadInput: No model wrote the message, or the setup's model does not report probabilities.
        EngineError: The model is missing, or prompt and completion do not fit.
    """
    generation = stored.generation
    if generation is None:
        raise BadInput("decision", "no model wrote this message", "choose an answer or a call")
    services.limits.check_setup(setup)
    with services.at_work() as at_work:
        return _compute_logprobs(at_work, setup, stored, generation, is_cancelled)


def _compute_logprobs(
    services: Services,
    setup: RunConfig,
    stored: StoredMessage,
    generation: Generation,
    is_cancelled: Callable[[], bool],
) -> CompletionLogprobs | None:
    engine = services.engine(setup.model)
    if not isinstance(engine, QueuedLogprobs):
        remedy = "choose a local GGUF model, such as 'embedded'"
        raise BadInput(f"model {setup.model!r}", "it does not report probabilities", remedy)
    names, opening = setup.offered_tools().names, opening_of(setup.contract().family)
    try:
        decision = engine.decide(generation.prompt_text, opening, names, is_cancelled=is_cancelled)
        tokens = (
            engine.completion_logprobs(generation.prompt_text, stored.message.text, is_cancelled=is_cancelled)
            if decision
            else None
        )
    finally:
        engine.client.end()
    if decision is None or tokens is None:
        return None
    threshold = generation.sampling.call_threshold or engine.capabilities.call_threshold
    return CompletionLogprobs(
        decision=decision,
        tokens=tokens,
        is_writer=engine.fingerprint == generation.engine_fingerprint,
        call_threshold=threshold if generation.tool_choice == ChoiceKind.AUTO else 0.0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetToken:
    """One token of a text."""

    id: int
    """Number of the token in the vocabulary. -1 if a server does not report it."""
    text: str
    """The text that the token adds. Empty if the token ends inside a character."""
    logprob: float | None = None
    """Natural logarithm of the token's probability. None if it was not stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSheet:
    """The tokens of one round."""

    prompt: tuple[Token, ...]
    """The tokens with their positions in the prompt."""
    completion: tuple[SheetToken, ...]
    """Joined, their texts are the completion."""
    is_as_written: bool
    """True if these are the tokens that the model emitted. False if the text was tokenized again, which may differ."""
    is_writer: bool
    """Whether the vocabulary is that of the model that generated the completion."""
    model: str
    context_tokens: int
    """Size of the context, for prompt and completion together."""


def tokens_of_message(services: Services, model: str, stored: StoredMessage) -> TokenSheet:
    """Split a stored completion and its prompt into tokens.

    Args:
        model: The model whose vocabulary is used, as in `--model`. It is loaded if necessary.
        stored: A message that a model wrote.

    Raises:
        BadInput: No model wrote the message, or the engine has no tokenizer.
        EngineError: The model is missing, or its vocabulary changes the text.
    """
    generation = stored.generation
    if generation is None:
        raise BadInput("tokens", "no model wrote this message", "choose an answer or a call")
    engine = services.models.engine(model)
    if not isinstance(engine, Tokenizer):
        remedy = "choose a local GGUF model, such as 'embedded'"
        raise BadInput(f"model {model!r}", "its engine does not show its tokens", remedy)
    text = written_out(stored.message)
    prompt_text, prefill, emitted = generation.prompt_text, generation.prefill, generation.tokens or ()
    tokens = engine.tokens(prompt_text + text)
    size = len(prompt_text)
    is_as_written = bool(emitted) and prefill + "".join(token.text for token in emitted) == text
    prefill_tokens = [token for token in engine.tokens(prefill) if token.span.end] if prefill else ()
    return TokenSheet(
        prompt=tuple(token for token in tokens if token.span.end <= size),
        completion=(*sheet_tokens(prefill_tokens, prefill), *map(_emitted, emitted))
        if is_as_written
        else sheet_tokens([token for token in tokens if token.span.end > size], text, start=size),
        is_as_written=is_as_written,
        is_writer=engine.fingerprint == generation.engine_fingerprint,
        model=engine.name,
        context_tokens=engine.context_tokens,
    )


def count_sections(
    services: Services, model: str, text: str, sections: Sequence[Span]
) -> tuple[int, ...] | None:
    """Count the tokens that start in each section of a text. None if the model cannot count tokens.

    Args:
        model: The model whose vocabulary is used, as in `--model`. It is loaded if necessary.
        sections: Consecutive sections that cover the text.
    """
    try:
        engine = services.models.engine(model)
        tokens = engine.tokens(text) if isinstance(engine, Tokenizer) else None
    except WorkbenchError:
        return None
    if tokens is None:
        return None
    starts = [token.span.start for token in tokens]
    return tuple(bisect_left(starts, span.end) - bisect_left(starts, span.start) for span in sections)


def sheet_tokens(tokens: Sequence[Token], text: str, *, start: int = 0) -> tuple[SheetToken, ...]:
    """Return each token with the text that it adds. A character with several tokens belongs to the first of them.

    Args:
        text: The text that the tokens cover.
        start: Position of `text` in the text that the tokens' spans refer to.
    """
    found: list[SheetToken] = []
    position = 0
    for token in tokens:
        end = max(position, token.span.end - start)
        found.append(SheetToken(id=token.id, text=text[position:end]))
        position = end
    return tuple(found)


def _emitted(token: EmittedToken) -> SheetToken:
    return SheetToken(id=token.id, text=token.text, logprob=token.logprob)
