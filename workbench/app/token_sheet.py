"""A kept completion and its prompt, token by token, as the model's own vocabulary cuts them."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.app.services import Services
from workbench.chat.finding import Span
from workbench.errors import BadInput, WorkbenchError
from workbench.hermes.written_out import written_out
from workbench.records.sessions import KeptMessage
from workbench.rollout.ports import EmittedToken
from workbench.trajectory.mask import Token, Tokenizer


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
    """Whose vocabulary, as a person names it."""
    context_tokens: int
    """Room for prompt and completion together."""


def tokens_of_message(services: Services, model: str, kept: KeptMessage) -> TokenSheet:
    """The tokens of a kept completion and of its prompt.

    Args:
        services: The edges.
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
        services: The edges.
        model: Whose vocabulary; loaded where it is not.
        text: Prompt and completion.
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
