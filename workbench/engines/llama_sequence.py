"""The sequences of tokens in the model's memory, and saved states of earlier ones; see `llama_prefix` for the idea."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import takewhile
from operator import eq
from threading import RLock
from typing import Final, NamedTuple

from workbench.engines.llama_binding import Binding, State
from workbench.engines.llama_steps import Logits

LEAST_WORTH_TOKENS: Final = 8
"""For fewer tokens than this, evaluating again is faster than saving and restoring."""


class PromptEvaluation(NamedTuple):
    """How a prompt got into memory."""

    cached_tokens: int
    """Tokens that were in memory already."""
    evaluated_tokens: int
    is_whole: bool
    """False if it was cancelled before the end of the prompt."""


class SavedStates:
    """The states of earlier sequences, by their tokens. The lock protects them while several calls belong together."""

    def __init__(self, binding: Binding, *, limit_bytes: int) -> None:
        self.lock: Final = RLock()
        self._binding = binding
        self._limit_bytes = limit_bytes
        # The most recently used state is last.
        self._states: OrderedDict[tuple[int, ...], State] = OrderedDict()

    @property
    def size_bytes(self) -> int:
        """Size of all saved states."""
        with self.lock:
            return sum(len(state) for state in self._states.values())

    def tokens(self) -> list[tuple[int, ...]]:
        """Return the tokens of each state."""
        with self.lock:
            return list(self._states)

    def save(self, tokens: tuple[int, ...], sequence: int) -> None:
        """Save the state of a sequence with these tokens, unless it is too large."""
        size = self._binding.state_bytes(sequence=sequence)
        if size > self._limit_bytes or tokens in self._states:
            return
        for saved in [known for known in self._states if known == tokens[: len(known)]]:
            del self._states[saved]
        while self._states and self.size_bytes + size > self._limit_bytes:
            self._states.popitem(last=False)
        self._states[tokens] = self._binding.save(sequence=sequence)

    def restore(self, tokens: tuple[int, ...], sequence: int) -> bool:
        """Replace a sequence by a saved state. If llama.cpp refuses it, return False and leave the sequence empty."""
        self._states.move_to_end(tokens)
        self._binding.clear(sequence=sequence)
        if self._binding.restore(self._states[tokens], sequence=sequence):
            return True
        del self._states[tokens]
        self._binding.clear(sequence=sequence)
        return False


class LlamaSequence:
    """A sequence of the model's memory. One turn uses it at a time."""

    def __init__(self, binding: Binding, saved: SavedStates, number: int) -> None:
        self._binding = binding
        self._saved = saved
        self._number = number
        self.tokens: list[int] = []
        """Exactly the tokens whose keys and values are in memory."""
        self.logits: Logits
        """The logits after the last token. Set once something was evaluated."""

    def evaluate(self, prompt: Sequence[int], is_cancelled: Callable[[], bool]) -> PromptEvaluation:
        """Bring a prompt into memory and compute the logits after its last token.

        Raises:
            EngineError: llama.cpp failed. The sequence is empty then.
        """
        cached = done = self._reuse(prompt)
        while done < len(prompt):
            batch = prompt[done : done + self._binding.prompt_tokens]
            if is_cancelled() or self._decoded(batch, is_cancelled) is None:
                # An aborted batch may have left some of its tokens in memory.
                self.cut(done)
                break
            done += len(batch)
        return PromptEvaluation(cached, done - cached, is_whole=done == len(prompt))

    def extend(self, tokens: Sequence[int]) -> Logits:
        """Evaluate up to `BATCH_TOKENS` more tokens, and return the logits after each of them.

        Raises:
            EngineError: llama.cpp failed. The sequence is empty then.
        """
        logits = self._decoded(tokens)
        assert logits is not None
        return logits

    def cut(self, tokens: int) -> None:
        """Remove everything after the first `tokens` tokens, or everything if this kind of model cannot be cut."""
        if self._binding.cut(tokens, sequence=self._number):
            del self.tokens[tokens:]
        else:
            self._forget()

    def _decoded(
        self, tokens: Sequence[int], is_cancelled: Callable[[], bool] | None = None
    ) -> Logits | None:
        """Evaluate tokens, and return the logits: of the last one only if it can be cancelled, which prompts can."""
        try:
            logits = self._binding.decode(
                tokens,
                sequence=self._number,
                has_all_logits=is_cancelled is None,
                is_cancelled=is_cancelled,
            )
        except BaseException:
            self._forget()
            raise
        if logits is not None:
            self.tokens.extend(tokens)
            self.logits = logits[-1]
        return logits

    def _forget(self) -> None:
        self._binding.clear(sequence=self._number)
        self.tokens.clear()

    def _reuse(self, prompt: Sequence[int]) -> int:
        """Prepare memory to hold the longest known prefix of `prompt`, and return its number of tokens."""
        most = len(prompt) - 1  # The last token is always evaluated: its logits are needed.
        common = min(common_length(self.tokens, prompt), most)
        with self._saved.lock:
            best = max(self._saved.tokens(), key=lambda saved: common_length(saved, prompt), default=())
            known = min(common_length(best, prompt), most)
            if len(self.tokens) - common >= LEAST_WORTH_TOKENS:
                self._saved.save(tuple(self.tokens), self._number)
            # Saving may have dropped the best state to make room.
            if known >= common + LEAST_WORTH_TOKENS and best in self._saved.tokens():
                is_restored = self._saved.restore(best, self._number)
                self.tokens = list(best) if is_restored else []
                common = known if is_restored else 0
        self.cut(common)
        return len(self.tokens)


def common_length(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the length of the common prefix of two sequences."""
    return sum(1 for _ in takewhile(bool, map(eq, first, second)))
