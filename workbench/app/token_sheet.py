"""Cut a stored prompt and completion into the tokens of the model's vocabulary, with their log-probabilities."""

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
from workbench.rollout.ports import EmittedToken
from workbench.toolspec.spec import OfferedTools
from workbench.trajectory.mask import Token, Tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSize:
    """The size of one spelling."""

    families: tuple[str, ...]
    """Families that spell the tools so."""
    chars: int
    """Its length in characters."""
    tokens: int | None
    """Its length in tokens; None where no model is there to count them."""


def tool_sizes(tools: OfferedTools, count: Callable[[str], int] | None) -> tuple[ToolSize, ...]:
    """The tools' size in each spelling that there is, the shortest first.

    Args:
        tools: The tools, all sound.
        count: Tells how many tokens a text has; None where no model is loaded.
    """
    families: dict[str, list[str]] = {}
    for name, family in FAMILIES.items():
        families.setdefault(family.spell_tools(tools), []).append(name)
    sizes = (
        ToolSize(families=tuple(names), chars=len(text), tokens=count(text) if count else None)
        for text, names in families.items()
    )
    return tuple(sorted(sizes, key=lambda size: size.chars))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionLogprobs:
    """What a model says of a completion."""

    decision: Decision
    """How the answer might have begun."""
    tokens: tuple[EmittedToken, ...]
    """The completion's tokens with their log-probabilities, prefill included."""
    is_writer: bool
    """False: another model than the one that wrote it was asked."""


def message_logprobs(
    services: Services, setup: RunConfig, kept: StoredMessage, *, is_cancelled: Callable[[], bool]
) -> CompletionLogprobs | None:
    """What the setup's model says of a kept completion; None where it was cancelled.

    Raises:
        BadInput: No model wrote the message, or the setup's model cannot tell probabilities.
        EngineError: The model is missing, or prompt and completion do not fit.
    """
    made = kept.generation
    if made is None:
        raise BadInput("decision", "no model wrote this message", "pick one that a model wrote")
    services.limits.check_setup(setup)
    with services.at_work() as at_work:
        return _weighed(at_work, setup, kept, made, is_cancelled)


def _weighed(
    services: Services,
    setup: RunConfig,
    kept: StoredMessage,
    made: Generation,
    is_cancelled: Callable[[], bool],
) -> CompletionLogprobs | None:
    engine = services.engine(setup.model)
    if not isinstance(engine, QueuedLogprobs):
        remedy = "choose a local GGUF model, such as 'embedded'"
        raise BadInput(f"model {setup.model!r}", "it does not tell probabilities", remedy)
    names, opening = setup.offered_tools().names, opening_of(setup.contract().family)
    try:
        decision = engine.decide(made.prompt_text, opening, names, is_cancelled=is_cancelled)
        tokens = (
            engine.completion_logprobs(made.prompt_text, kept.message.text, is_cancelled=is_cancelled)
            if decision
            else None
        )
    finally:
        engine.asker.end()
    if decision is None or tokens is None:
        return None
    is_writer = engine.fingerprint == made.engine_fingerprint
    return CompletionLogprobs(decision=decision, tokens=tokens, is_writer=is_writer)


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetToken:
    """One token of a text."""

    id: int
    """Its number in the vocabulary; -1 where a server does not say."""
    text: str
    """What it adds: joined, the tokens are the text. Empty of one that ends within a character."""
    logprob: float | None = None
    """Natural logarithm of its probability; None where it was not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSheet:
    """The tokens of one round."""

    prompt: tuple[Token, ...]
    """With their places in the prompt."""
    completion: tuple[SheetToken, ...]
    """In order; joined, they are the completion."""
    is_as_written: bool
    """True: they are those that the model wrote. False: made anew of the text, which may be cut otherwise."""
    is_writer: bool
    """False: another model's vocabulary than that of the one that wrote it."""
    model: str
    context_tokens: int
    """Room for prompt and completion together."""


def tokens_of_message(services: Services, model: str, kept: StoredMessage) -> TokenSheet:
    """The tokens of a kept completion and of its prompt.

    Args:
        model: Whose vocabulary, as `--model` takes it; loaded where it is not.
        kept: A model's message.

    Raises:
        BadInput: No model wrote the message, or the engine has no tokenizer.
        EngineError: The model is missing, or its vocabulary changes the text.
    """
    made = kept.generation
    if made is None:
        raise BadInput("tokens", "no model wrote this message", "pick one that a model wrote")
    engine = services.models.engine(model)
    if not isinstance(engine, Tokenizer):
        remedy = "choose a local GGUF model, such as 'embedded'"
        raise BadInput(f"model {model!r}", "its engine does not show its tokens", remedy)
    text = written_out(kept.message)
    whole = engine.tokens(made.prompt_text + text)
    size = len(made.prompt_text)
    again = sheet_tokens([token for token in whole if token.span.end > size], text, start=size)
    told = "".join(token.text for token in made.tokens or ())
    is_as_written = bool(made.tokens) and made.prefill + told == text
    begun = [token for token in engine.tokens(made.prefill) if token.span.end] if made.prefill else ()
    return TokenSheet(
        prompt=tuple(token for token in whole if token.span.end <= size),
        completion=(*sheet_tokens(begun, made.prefill), *map(_emitted, made.tokens or ()))
        if is_as_written
        else again,
        is_as_written=is_as_written,
        is_writer=engine.fingerprint == made.engine_fingerprint,
        model=engine.name,
        context_tokens=engine.context_tokens,
    )


def count_sections(
    services: Services, model: str, text: str, sections: Sequence[Span]
) -> tuple[int, ...] | None:
    """How many tokens begin in each stretch of a text; None where the model cannot say.

    Args:
        model: Whose vocabulary; loaded where it is not.
        sections: In order, covering it.
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
    """Tokens with what each adds to `text`, which begins at `start`; a character counts to its first token."""
    found: list[SheetToken] = []
    position = 0
    for token in tokens:
        end = max(position, token.span.end - start)
        found.append(SheetToken(id=token.id, text=text[position:end]))
        position = end
    return tuple(found)


def _emitted(token: EmittedToken) -> SheetToken:
    return SheetToken(id=token.id, text=token.text, logprob=token.logprob)
