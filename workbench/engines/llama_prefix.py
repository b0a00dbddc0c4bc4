"""Keep evaluated prompts in llama.cpp's memory, so that a shared prefix is not evaluated again."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import takewhile
from operator import eq, itemgetter
from typing import Final, NamedTuple

from workbench.engines.llama_binding import Binding, State
from workbench.errors import EngineError

LEAST_WORTH_TOKENS: Final = 8
"""Fewer tokens than this are evaluated again sooner than they are saved."""


class PromptEvaluation(NamedTuple):
    """What it took to have a prompt in memory."""

    cached_tokens: int
    """Were there already."""
    evaluated_tokens: int
    """Were evaluated for it."""
    is_whole: bool
    """False where it was cancelled on the way."""


class Prefixes:
    """The tokens in a model's memory, and the saved states of former ones, the last used last.

    A prompt that goes on from what is in memory costs its new tokens only. One that goes on from a former
    conversation, or shares its beginning, takes that one's state; what was in memory is saved before.
    """

    def __init__(self, binding: Binding, *, limit_bytes: int) -> None:
        self._binding = binding
        self._limit_bytes = limit_bytes
        self._live: list[int] = []
        # A begin token is added to each prompt, where the vocabulary wants one, and stands in no text.
        self._added = len(binding.tokenize("", is_start=True))
        self._saved: OrderedDict[tuple[int, ...], State] = OrderedDict()

    @property
    def saved_bytes(self) -> int:
        """Size of all saved states."""
        return sum(len(state) for state in self._saved.values())

    def tokenize(self, text: str) -> list[int]:
        """The tokens of a prompt; where it goes on from what the model wrote itself, those that it wrote.

        Held to a grammar, a model often writes other tokens than the vocabulary would make of its text. Made anew,
        they would have to be evaluated again, and the model would see what it did not write. The two are joined
        where a control mark begins or ends: there no token reaches across.
        """
        fresh = self._binding.tokenize(text, is_start=True)
        known = [tuple(self._live), *self._saved]
        shared = [common_length(tokens, fresh) for tokens in known]
        data = text.encode(errors="replace")
        # Where many prompts begin alike, what they have in common is gone through once.
        sizes = self._sizes_within(fresh, data)
        counts = (
            (self._count_within(one, data, sizes[: common + 1]), one)
            for one, common in zip(known, shared, strict=True)
        )
        count, tokens = max(counts, key=itemgetter(0))
        joined = self._joined(tokens, count, data)
        return joined if len(joined) - count < len(fresh) - max(shared) else fresh

    def evaluate(self, prompt: Sequence[int], is_cancelled: Callable[[], bool]) -> PromptEvaluation:
        """Has `prompt` in memory, and the logits behind its last token.

        Raises:
            EngineError: llama.cpp stopped; nothing is in memory then.
        """
        cached = self._reuse(prompt)
        rest = prompt[cached:]
        count = self._decode(rest, is_cancelled)
        return PromptEvaluation(cached_tokens=cached, evaluated_tokens=count, is_whole=count == len(rest))

    def extend(self, tokens: Sequence[int], *, all_logits: bool = False) -> None:
        """Evaluates one batch more; see `Binding.decode`.

        Raises:
            EngineError: llama.cpp stopped; nothing is in memory then.
        """
        try:
            self._binding.decode(tokens, all_logits=all_logits)
        except EngineError:
            self.forget()
            raise
        self._live.extend(tokens)

    def cut(self, tokens: int) -> None:
        """Forgets all behind the first `tokens`; all, where this kind of model cannot do so in part."""
        if self._binding.cut(tokens):
            del self._live[tokens:]
        else:
            self.forget()

    def forget(self) -> None:
        """Nothing is in memory; what is saved stays."""
        self._binding.clear()
        self._live.clear()

    def _sizes_within(self, tokens: Sequence[int], data: bytes) -> list[int]:
        """Bytes of the first none, one, two… tokens, as far as their text stands at the beginning of `data`."""
        sizes = [0] * (self._added + 1)
        for token in tokens[self._added :]:
            piece = self._binding.piece(token)
            if not data.startswith(piece, sizes[-1]):
                break
            sizes.append(sizes[-1] + len(piece))
        return sizes

    def _count_within(self, tokens: Sequence[int], data: bytes, sizes: Sequence[int]) -> int:
        """How many of the tokens have their text at the beginning of `data`.

        Args:
            tokens: From the first.
            data: The text's bytes.
            sizes: What `_sizes_within` gives of those that are known to; it has one entry at least.
        """
        size, known = sizes[-1], max(len(sizes) - 1, self._added)
        for count, token in enumerate(tokens[known:], start=known):
            piece = self._binding.piece(token)
            if not data.startswith(piece, size):
                return count
            size += len(piece)
        return len(tokens)

    def _joined(self, tokens: tuple[int, ...], count: int, data: bytes) -> list[int]:
        """The first `count` tokens or fewer, up to a control mark, and those of the rest of `data`."""
        kept = list(tokens[:count])
        while True:
            size = sum(len(self._binding.piece(token)) for token in kept[self._added :])
            rest = self._binding.tokenize(data[size:].decode(errors="replace"), is_start=not kept)
            marks = (*kept[-1:], *rest[:1])
            if not kept or any(self._binding.is_mark(token) for token in marks):
                return kept + rest
            while kept and not self._binding.is_mark(kept[-1]):
                kept.pop()

    def _decode(self, tokens: Sequence[int], is_cancelled: Callable[[], bool]) -> int:
        try:
            count = self._binding.decode_all(tokens, is_cancelled)
        except EngineError:
            self.forget()
            raise
        self._live.extend(tokens[:count])
        if count < len(tokens):
            # An aborted batch may have left some of its tokens.
            self.cut(len(self._live))
        return count

    def _reuse(self, prompt: Sequence[int]) -> int:
        """Leaves in memory what `prompt` begins with, as much as is known; how many tokens that is."""
        most = len(prompt) - 1  # The last one is evaluated in any case: its logits are wanted.
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
        for saved in [one for one in self._saved if one == tokens[: len(one)]]:
            del self._saved[saved]
        while self._saved and self.saved_bytes + size > self._limit_bytes:
            self._saved.popitem(last=False)
        self._saved[tokens] = self._binding.save()

    def _restore(self, tokens: tuple[int, ...]) -> bool:
        state = self._saved.get(tokens)
        if state is None:
            # Saving what was in memory took its place.
            return False
        self._saved.move_to_end(tokens)
        self._binding.clear()
        if not self._binding.restore(state):
            del self._saved[tokens]
            self.forget()
            return False
        self._live = list(tokens)
        return True


def common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two sequences begin with in common."""
    return sum(1 for _ in takewhile(bool, map(eq, one, other)))
