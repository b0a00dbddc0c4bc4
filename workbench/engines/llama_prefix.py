"""The prefix cache: reuse evaluated prompts, so that a shared prefix is not evaluated again.

The idea: evaluating a token costs time, and a model's memory (the KV cache) stays valid for each prompt that begins
with the same tokens. The next round of a conversation begins with everything that was there before, and the cases of a
suite share their contract and tools. So we remember which tokens are in memory (`_live`), evaluate only the ones after
the common prefix, and save the state of a conversation in RAM before another one replaces it:

    memory:  <system A> <user 1> <answer 1>
    prompt:  <system A> <user 1> <answer 1> <user 2>     -> evaluates <user 2>
    prompt:  <system B> <user 1>                         -> saves the state of A, evaluates everything
    prompt:  <system A> <user 1> <answer 1> <user 3>     -> saves the state of B, restores A, evaluates <user 3>

Invariants:

- `_live` are exactly the tokens whose keys and values are in llama.cpp's memory. When an evaluation fails, nobody knows
  what is there, so both are cleared. When it is cancelled, memory is cut back to the batches that are complete.
- The last token of a prompt is always evaluated, even if it is in memory, because its logits are needed.
- Saved states never take more than `limit_bytes`. The least recently used one is dropped first. A state that is a
  prefix of a new one is replaced by it.

Tokens, not text, must match, and that is harder than it sounds. Constrained by a grammar, a model writes tokens in a
way that the tokenizer would not choose: `{"`, `colour`, `":` instead of `{"colour":`. Tokenizing the text of the next
prompt would give other tokens from there on, which all had to be evaluated again, and the model would see a text that
it did not write. So `tokenize` reuses the known tokens where their text matches, and tokenizes only the rest. The two
parts may only meet at a special token such as `<|im_end|>`, because no other token can span it. Anywhere else, the
end of the known part and the beginning of the rest could form one token.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import takewhile
from operator import eq, itemgetter
from typing import Final, NamedTuple

from workbench.engines.llama_binding import Binding, State
from workbench.errors import EngineError

LEAST_WORTH_TOKENS: Final = 8
"""For fewer tokens than this, evaluating again is faster than saving and restoring."""


class PromptEvaluation(NamedTuple):
    """How a prompt got into memory."""

    cached_tokens: int
    """Tokens that were in memory already."""
    evaluated_tokens: int
    is_whole: bool
    """False if it was cancelled before the end of the prompt."""


class Prefixes:
    """The tokens in the model's memory, and saved states of earlier prompts."""

    def __init__(self, binding: Binding, *, limit_bytes: int) -> None:
        self._binding = binding
        self._limit_bytes = limit_bytes
        self._live: list[int] = []
        # Some vocabularies add a begin token to each prompt. It is not part of the text.
        self._added = len(binding.tokenize("", is_start=True))
        # By their tokens; the most recently used state is last.
        self._saved: OrderedDict[tuple[int, ...], State] = OrderedDict()

    @property
    def saved_bytes(self) -> int:
        """Size of all saved states."""
        return sum(len(state) for state in self._saved.values())

    def tokenize(self, text: str) -> list[int]:
        """Tokenize a prompt, reusing known tokens where their text matches; the module's docstring explains why."""
        fresh = self._binding.tokenize(text, is_start=True)
        known = [tuple(self._live), *self._saved]
        shared = [common_length(tokens, fresh) for tokens in known]
        data = text.encode(errors="replace")
        # Compare the part that all prompts share only once.
        sizes = self._sizes_within(fresh, data)
        counts = (
            (self._count_within(sequence, data, sizes[: common + 1]), sequence)
            for sequence, common in zip(known, shared, strict=True)
        )
        count, tokens = max(counts, key=itemgetter(0))
        joined = self._joined(tokens, count, data)
        return joined if len(joined) - count < len(fresh) - max(shared) else fresh

    def evaluate(self, prompt: Sequence[int], is_cancelled: Callable[[], bool]) -> PromptEvaluation:
        """Bring a prompt into memory and compute the logits after its last token.

        Raises:
            EngineError: llama.cpp failed. Memory is empty then.
        """
        cached = self._reuse(prompt)
        rest = prompt[cached:]
        count = self._decode(rest, is_cancelled)
        return PromptEvaluation(cached_tokens=cached, evaluated_tokens=count, is_whole=count == len(rest))

    def extend(self, tokens: Sequence[int], *, all_logits: bool = False) -> None:
        """Evaluate one more batch; see `Binding.decode`.

        Raises:
            EngineError: llama.cpp failed. Memory is empty then.
        """
        try:
            self._binding.decode(tokens, all_logits=all_logits)
        except EngineError:
            self.forget()
            raise
        self._live.extend(tokens)

    def cut(self, tokens: int) -> None:
        """Remove everything after the first `tokens` tokens, or everything if this kind of model cannot be cut."""
        if self._binding.cut(tokens):
            del self._live[tokens:]
        else:
            self.forget()

    def forget(self) -> None:
        """Clear memory. Saved states stay."""
        self._binding.clear()
        self._live.clear()

    def _sizes_within(self, tokens: Sequence[int], data: bytes) -> list[int]:
        """Return the sizes in bytes of the first 0, 1, 2… tokens, as far as `data` begins with their text."""
        sizes = [0] * (self._added + 1)
        for token in tokens[self._added :]:
            piece = self._binding.piece(token)
            if not data.startswith(piece, sizes[-1]):
                break
            sizes.append(sizes[-1] + len(piece))
        return sizes

    def _count_within(self, tokens: Sequence[int], data: bytes, sizes: Sequence[int]) -> int:
        """Return the number of leading tokens whose text `data` begins with.

        Args:
            data: Bytes of the prompt.
            sizes: Result of `_sizes_within` for the leading tokens that are known to match; at least one entry.
        """
        size, known = sizes[-1], max(len(sizes) - 1, self._added)
        for count, token in enumerate(tokens[known:], start=known):
            piece = self._binding.piece(token)
            if not data.startswith(piece, size):
                return count
            size += len(piece)
        return len(tokens)

    def _joined(self, tokens: tuple[int, ...], count: int, data: bytes) -> list[int]:
        """Return up to `count` of the tokens, cut at a special token, followed by the tokens of the rest of `data`."""
        reused = list(tokens[:count])
        while True:
            size = sum(len(self._binding.piece(token)) for token in reused[self._added :])
            rest = self._binding.tokenize(data[size:].decode(errors="replace"), is_start=not reused)
            marks = (*reused[-1:], *rest[:1])
            if not reused or any(self._binding.is_mark(token) for token in marks):
                return reused + rest
            while reused and not self._binding.is_mark(reused[-1]):
                reused.pop()

    def _decode(self, tokens: Sequence[int], is_cancelled: Callable[[], bool]) -> int:
        try:
            count = self._binding.decode_all(tokens, is_cancelled)
        except EngineError:
            self.forget()
            raise
        self._live.extend(tokens[:count])
        if count < len(tokens):
            # An aborted batch may have left some of its tokens in memory.
            self.cut(len(self._live))
        return count

    def _reuse(self, prompt: Sequence[int]) -> int:
        """Prepare memory to hold the longest known prefix of `prompt`, and return its number of tokens."""
        most = len(prompt) - 1  # The last token is always evaluated: its logits are needed.
        common = min(common_length(self._live, prompt), most)
        best = max(self._saved, key=lambda saved: common_length(saved, prompt), default=())
        known = min(common_length(best, prompt), most)
        if len(self._live) - common >= LEAST_WORTH_TOKENS:
            self._save()
        if known >= common + LEAST_WORTH_TOKENS and self._restore(best):
            common = known
        self.cut(common)
        return len(self._live)

    def _save(self) -> None:
        tokens = tuple(self._live)
        size = self._binding.state_bytes()
        if size > self._limit_bytes or tokens in self._saved:
            return
        for saved in [known for known in self._saved if known == tokens[: len(known)]]:
            del self._saved[saved]
        while self._saved and self.saved_bytes + size > self._limit_bytes:
            self._saved.popitem(last=False)
        self._saved[tokens] = self._binding.save()

    def _restore(self, tokens: tuple[int, ...]) -> bool:
        state = self._saved.get(tokens)
        if state is None:
            # Saving the previous memory has dropped this state to make room.
            return False
        self._saved.move_to_end(tokens)
        self._binding.clear()
        if not self._binding.restore(state):
            del self._saved[tokens]
            self.forget()
            return False
        self._live = list(tokens)
        return True


def common_length(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the length of the common prefix of two sequences."""
    return sum(1 for _ in takewhile(bool, map(eq, first, second)))
