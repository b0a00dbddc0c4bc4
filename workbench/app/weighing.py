"""A kept completion, weighed by the model: what else it might have begun with, and how likely each token was."""

from collections.abc import Callable
from dataclasses import dataclass

from workbench.app.queued import QueuedWeigher
from workbench.app.services import Services
from workbench.errors import BadInput
from workbench.records.sessions import KeptMessage
from workbench.records.setup import Setup
from workbench.rollout.events import Generation
from workbench.rollout.ports import EmittedToken
from workbench.rollout.weighing import Decision, opening_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What a model says of a completion."""

    decision: Decision
    """How the answer might have begun."""
    tokens: tuple[EmittedToken, ...]
    """The completion's tokens with their log-probabilities, prefill included."""
    is_writer: bool
    """False: another model than the one that wrote it was asked."""


def weigh_message(
    services: Services, setup: Setup, kept: KeptMessage, *, is_cancelled: Callable[[], bool]
) -> Weighed | None:
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
    setup: Setup,
    kept: KeptMessage,
    made: Generation,
    is_cancelled: Callable[[], bool],
) -> Weighed | None:
    engine = services.engine(setup.model)
    if not isinstance(engine, QueuedWeigher):
        remedy = "choose a local GGUF model, such as 'embedded'"
        raise BadInput(f"model {setup.model!r}", "it does not tell probabilities", remedy)
    names, opening = setup.offered_tools().names, opening_of(setup.contract().family)
    try:
        decision = engine.decide(made.prompt_text, opening, names, is_cancelled=is_cancelled)
        tokens = (
            engine.weigh(made.prompt_text, kept.message.text, is_cancelled=is_cancelled) if decision else None
        )
    finally:
        engine.asker.end()
    if decision is None or tokens is None:
        return None
    is_writer = engine.fingerprint == made.engine_fingerprint
    return Weighed(decision=decision, tokens=tokens, is_writer=is_writer)
