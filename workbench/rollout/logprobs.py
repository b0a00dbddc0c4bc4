"""Log-probabilities of how an answer begins and of a given completion: values, and the engine's port."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Protocol, runtime_checkable

from workbench.hermes.marks import CALL_OPEN
from workbench.hermes.spelling.families import family_named
from workbench.rollout.ports import EmittedToken


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOpening:
    """How a family spells a call up to the tool's name."""

    mark: str
    """What a call begins with, such as `<tool_call>`; the model is free to write it or not."""
    before_name: str
    """What stands between the mark and the name."""
    after_name: str
    """What ends a name: one character."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionBar:
    """How likely one way to begin the answer is."""

    tool: str | None
    """The tool that is called; None for all other beginnings."""
    logprob: float
    """Natural logarithm of the probability."""

    @property
    def probability(self) -> float:
        """From 0 to 1."""
        return exp(self.logprob)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How a model would begin its answer; the probabilities of all its parts sum to 1."""

    tools: tuple[DecisionBar, ...]
    """One a tool, in the order offered."""
    no_call: DecisionBar
    """The answer does not begin with a call."""
    other_name: DecisionBar
    """It begins with a call of no offered tool."""


@runtime_checkable
class LogprobsEngine(Protocol):
    """An engine that tells probabilities from its own logits."""

    def decide(
        self, prompt: str, opening: CallOpening, names: Sequence[str], *, is_cancelled: Callable[[], bool]
    ) -> Decision | None:
        """How the answer to `prompt` would begin; None where it was cancelled.

        Args:
            prompt: The exact text, up to where the answer begins.
            opening: How a call is spelled.
            names: The offered tools' names, in order.
            is_cancelled: Asked while it waits and between steps.

        Raises:
            EngineError: The model cannot be asked.
        """
        ...

    def completion_logprobs(
        self, prompt: str, completion: str, *, is_cancelled: Callable[[], bool]
    ) -> tuple[EmittedToken, ...] | None:
        """The tokens of `completion` behind `prompt`, each with its log-probability; None where cancelled.

        Raises:
            EngineError: The model cannot be asked, or the two do not fit.
        """
        ...


def opening_of(family: str) -> CallOpening:
    """How a family opens a call.

    >>> opening_of("qwen3-coder").before_name
    '\\n<function='
    """
    if family_named(family).dialect == "xml":
        return CallOpening(mark=CALL_OPEN, before_name="\n<function=", after_name=">")
    return CallOpening(mark=CALL_OPEN, before_name='\n{"name": "', after_name='"')
