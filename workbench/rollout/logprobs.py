"""Logprobs of how an answer begins and of a given completion: the values, and the port of the engine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Protocol, runtime_checkable

from workbench.hermes.marks import CALL_OPEN
from workbench.hermes.spelling.families import family_named
from workbench.rollout.ports import EmittedToken


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOpening:
    """How a family writes the beginning of a call, up to the tool's name."""

    mark: str
    """What a call begins with, such as `<tool_call>`. The model is free to write it or not."""
    before_name: str
    """The text between the tag and the name."""
    after_name: str
    """The character that ends a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionBar:
    """The probability of one way to begin the answer."""

    tool: str | None
    """The tool that is called. None for all other beginnings."""
    logprob: float
    """Natural logarithm of the probability."""

    @property
    def probability(self) -> float:
        """The probability, from 0 to 1."""
        return exp(self.logprob)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How a model would begin its answer. The probabilities of all parts add up to 1."""

    tools: tuple[DecisionBar, ...]
    """One bar for each offered tool, in their order."""
    no_call: DecisionBar
    """The answer begins without a call."""
    other_name: DecisionBar
    """The answer begins with a call of a tool that is not offered."""


@runtime_checkable
class LogprobsEngine(Protocol):
    """An engine that can report probabilities from its own logits."""

    def decide(
        self, prompt: str, opening: CallOpening, names: Sequence[str], *, is_cancelled: Callable[[], bool]
    ) -> Decision | None:
        """Return how the answer to `prompt` would begin, or None if it was cancelled.

        Args:
            prompt: The exact text, up to where the answer begins.
            opening: How a call is written.
            names: The offered tools' names, in order.
            is_cancelled: Called while waiting and between steps.

        Raises:
            EngineError: The model cannot be asked.
        """
        ...

    def completion_logprobs(
        self, prompt: str, completion: str, *, is_cancelled: Callable[[], bool]
    ) -> tuple[EmittedToken, ...] | None:
        """Return the tokens of `completion` after `prompt`, each with its logprob, or None if cancelled.

        Raises:
            EngineError: The model cannot be asked, or prompt and completion do not fit into its context.
        """
        ...


def opening_of(family: str) -> CallOpening:
    """Return how a family opens a call.

    >>> opening_of("qwen3-coder").before_name
    '\\n<function='
    """
    if family_named(family).dialect == "xml":
        return CallOpening(mark=CALL_OPEN, before_name="\n<function=", after_name=">")
    return CallOpening(mark=CALL_OPEN, before_name='\n{"name": "', after_name='"')
