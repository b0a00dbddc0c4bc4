"""The prefix cache: reuse evaluated prompts, so that a shared prefix is not evaluated again.

The idea: evaluating a token costs time, and a model's memory (the KV cache) stays valid for each prompt that begins
with the same tokens. The next round of a conversation begins with everything that was there before, and the cases of a
suite share their contract and tools. So each sequence of the memory remembers its tokens, a turn gets the free sequence
with the longest common prefix and evaluates only the rest, and the state of a conversation is saved in RAM before
another one replaces it. With one sequence:

    memory:  <system A> <user 1> <answer 1>
    prompt:  <system A> <user 1> <answer 1> <user 2>     -> evaluates <user 2>
    prompt:  <system B> <user 1>                         -> saves the state of A, evaluates everything
    prompt:  <system A> <user 1> <answer 1> <user 3>     -> saves the state of B, restores A, evaluates <user 3>

Invariants:

- The tokens of a sequence are exactly those whose keys and values are in llama.cpp's memory. When an evaluation fails,
  nobody knows what is there, so both are cleared. When it is cancelled, memory is cut back to the complete batches.
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

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from threading import Condition

from workbench.engines.llama_binding import Binding
from workbench.engines.llama_sequence import LEAST_WORTH_TOKENS, LlamaSequence, SavedStates, common_length


class Prefixes:
    """The sequences of the model's memory, and saved states of earlier prompts."""

    def __init__(self, binding: Binding, *, limit_bytes: int) -> None:
        self._binding = binding
        self._saved = SavedStates(binding, limit_bytes=limit_bytes)
        self._all = [LlamaSequence(binding, self._saved, number) for number in range(binding.sequences)]
        self._free = list(self._all)
        """The sequences that no turn uses, the least recently used first."""
        self._changed = Condition()
        # Some vocabularies add a begin token to each prompt. It is not part of the text.
        self._added = len(binding.tokenize("", is_start=True))

    @property
    def saved_bytes(self) -> int:
        """Size of all saved states."""
        return self._saved.size_bytes

    @contextmanager
    def sequence(self, prompt: Sequence[int]) -> Generator[LlamaSequence]:
        """Lend the free sequence with the longest common prefix; if none has one, the least recently used."""

        def worth(sequence: LlamaSequence) -> int:
            common = common_length(sequence.tokens, prompt)
            return common if common >= LEAST_WORTH_TOKENS else 0

        with self._changed:
            self._changed.wait_for(lambda: self._free)
            sequence = max(self._free, key=worth)
            self._free.remove(sequence)
        try:
            yield sequence
        finally:
            with self._changed:
                self._free.append(sequence)
                self._changed.notify_all()

    def tokenize(self, text: str) -> list[int]:
        """Tokenize a prompt, reusing known tokens where their text matches; the module's docstring explains why."""
        fresh = self._binding.tokenize(text, is_start=True)
        known = [*(tuple(sequence.tokens) for sequence in self._all), *self._saved.tokens()]
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
