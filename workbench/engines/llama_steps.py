"""Evaluate the tokens of several sequences side by side: continuous batching.

The idea: to compute one token, a processor reads all weights of the model, and reading them takes most of the time. If
eight answers each need their next token, the weights are read once for all eight. So a turn that needs tokens evaluated
adds them to `_pending`. A step evaluates either all single tokens together, or up to 512 tokens of one prompt. If both
are pending, they alternate, so that a long prompt does not hold answers up, nor answers a prompt:

    step 1:  1 token of A, 1 token of B
    step 2:  512 tokens of the prompt of C
    step 3:  1 token of A, 1 token of B
    step 4:  the other 30 tokens of the prompt of C
    step 5:  1 token of A, 1 token of B, 1 token of C

The turns run in threads of their own, which choose their tokens in parallel between two steps. So a step waits a moment
for those that took part in the last one: one that comes too late waits for a whole step.

Invariants:

- A sequence has at most one pending evaluation, and is never evaluated and changed at the same time, because all calls
  that use the context run in one thread.
- An answer does not depend on what runs beside it, as far as llama.cpp's kernels allow. That is why a step never mixes
  prompts with other tokens: llama.cpp would split such a batch into parts that have the same size for each sequence,
  and the attention of one token rounds differently from that of several.
- If llama.cpp fails for a step of several sequences, each is evaluated again on its own. Only those that fail again
  get an error.
- A running step is aborted only if all of its turns were stopped. Otherwise, a stopped turn ends after the step.
"""

import ctypes
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, repeat
from threading import Condition
from typing import Any, Final, cast

import llama_cpp
import numpy
from numpy.typing import NDArray

from workbench.engines.evaluating_thread import EvaluatingThread
from workbench.engines.llama_loading import explain_errors, llama_log
from workbench.errors import EngineError

BATCH_TOKENS: Final = 512
"""Maximum number of tokens that are evaluated in a step."""
SHORT_BATCH_TOKENS: Final = 128
"""The same for prompts on a processor, if there may be other turns, because they wait for each step."""
MOST_PATIENCE_S: Final = 0.02
"""Longest time that a step waits for the other sequences."""
_PATIENCE: Final = 0.5
"""The same as a share of the duration of the last step, because missing it costs a whole step."""
_TO_THE_END: Final = -1
_ABORTED: Final = 2

Logits = NDArray[numpy.float32]
"""One value for each token of the vocabulary; with two dimensions, one row for each evaluated token."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Evaluation:
    """Tokens of one sequence to evaluate in one step, and the result."""

    sequence: int
    tokens: Sequence[int]
    has_all_logits: bool
    is_stopped: bool = False
    is_done: bool = False
    logits: Logits | None = None
    """Set if it was evaluated."""
    error: Exception | None = None


@dataclass(slots=True, kw_only=True)
class Steps:
    """Evaluates tokens in a context. Safe for several threads, if each uses a sequence of its own."""

    context: llama_cpp.llama_context_p
    thread: EvaluatingThread
    vocabulary_size: int
    _abort: "_AbortFlag" = field(init=False)
    _changed: Condition = field(default_factory=Condition)
    """Protects the fields below. Notified when an evaluation is added."""
    _pending: list[_Evaluation] = field(default_factory=list[_Evaluation])
    _running: list[_Evaluation] = field(default_factory=list[_Evaluation])
    _expected: set[int] = field(default_factory=set[int])
    """The sequences of the last step of single tokens, as long as they take part."""
    _is_turn_of_prompt: bool = False
    _patience_s: float = 0.0

    def __post_init__(self) -> None:
        self._abort = _AbortFlag(self.context)

    def evaluate(
        self,
        sequence: int,
        tokens: Sequence[int],
        *,
        has_all_logits: bool,
        is_cancelled: Callable[[], bool] | None,
    ) -> Logits | None:
        """Evaluate tokens in one of the next steps; see `Binding.decode`."""
        evaluation = _Evaluation(sequence=sequence, tokens=tokens, has_all_logits=has_all_logits)

        def look() -> None:
            if is_cancelled is not None and is_cancelled():
                with self._changed:
                    evaluation.is_stopped = True
                    if self._running and all(running.is_stopped for running in self._running):
                        self._abort.stop()

        with self._changed:
            self._pending.append(evaluation)
            self._changed.notify_all()
        try:
            # Most of these calls find that the first one of the step has evaluated theirs, too.
            self.thread.run(lambda: self._finish(evaluation), while_waiting=look if is_cancelled else None)
        finally:
            with self._changed:
                if evaluation in self._pending:
                    self._pending.remove(evaluation)
        if evaluation.error is not None:
            raise evaluation.error
        return evaluation.logits

    def _finish(self, evaluation: _Evaluation) -> None:
        while not evaluation.is_done:
            running = self._begin()
            started_s = time.perf_counter()
            try:
                self._evaluate(running)
            except Exception as problem:  # noqa: BLE001  Each turn raises it in its own thread.
                for failed in running:
                    failed.error = problem
            with self._changed:
                self._running = []
                self._abort.reset()
            self._patience_s = min(_PATIENCE * (time.perf_counter() - started_s), MOST_PATIENCE_S)
            for done in running:
                done.is_done = True

    def _begin(self) -> list[_Evaluation]:
        """Choose what the next step evaluates, in the order of the sequences.

        llama.cpp evaluates neighbors such as 2, 3, 4 together, but would split a batch of 4, 2, 3.
        """
        with self._changed:
            prompt = next((waiting for waiting in self._pending if len(waiting.tokens) > 1), None)
            if prompt is None or not self._is_turn_of_prompt:
                self._changed.wait_for(lambda: self._expected <= self._waiting(), self._patience_s)
                self._expected &= self._waiting()
            singles = [waiting for waiting in self._pending if len(waiting.tokens) == 1]
            if prompt is not None and (self._is_turn_of_prompt or not singles):
                self._running = [prompt]
            else:
                self._running = sorted(singles, key=lambda single: single.sequence)
                self._expected = {single.sequence for single in singles}
            self._is_turn_of_prompt = prompt not in self._running
            self._pending = [waiting for waiting in self._pending if waiting not in self._running]
            return self._running

    def _waiting(self) -> set[int]:
        return {waiting.sequence for waiting in self._pending}

    def _evaluate(self, running: Sequence[_Evaluation]) -> None:
        memory = llama_cpp.llama_get_memory(self.context)
        assert memory is not None
        ends = [llama_cpp.llama_memory_seq_pos_max(memory, one.sequence) + 1 for one in running]
        code = self._decode(running)
        if code == 0:
            self._read_logits(running)
        elif code != _ABORTED and len(running) == 1:
            reason = explain_errors(llama_log().take())
            running[0].error = EngineError(f"llama.cpp failed with code {code}: {reason}")
        elif code != _ABORTED:
            for one, end in zip(running, ends, strict=True):
                if llama_cpp.llama_memory_seq_rm(memory, one.sequence, end, _TO_THE_END):
                    self._evaluate([one])
                else:
                    one.error = EngineError(f"llama.cpp failed with code {code} in a step of several turns")

    def _decode(self, running: Sequence[_Evaluation]) -> int:
        tokens = list(chain.from_iterable(one.tokens for one in running))
        count = len(tokens)
        flags: list[int] = []
        sequences = list[Any]()
        for one in running:
            before = len(one.tokens) - 1
            flags += [int(one.has_all_logits)] * before + [1]
            sequences += repeat(ctypes.pointer(llama_cpp.llama_seq_id(one.sequence)), before + 1)
        # Without positions, llama.cpp continues each sequence.
        batch = llama_cpp.llama_batch(
            n_tokens=count,
            token=(llama_cpp.llama_token * count)(*tokens),
            n_seq_id=(ctypes.c_int32 * count)(*repeat(1, count)),
            seq_id=(ctypes.POINTER(llama_cpp.llama_seq_id) * count)(*sequences),
            logits=(ctypes.c_int8 * count)(*flags),
        )
        return llama_cpp.llama_decode(self.context, batch)

    def _read_logits(self, running: Sequence[_Evaluation]) -> None:
        """Copy the logits, which the next step overwrites."""
        for one, end in zip(running, accumulate(len(one.tokens) for one in running), strict=True):
            rows = len(one.tokens) if one.has_all_logits else 1
            one.logits = numpy.empty((rows, self.vocabulary_size), numpy.float32)
            for row, index in enumerate(range(end - rows, end)):
                pointer = llama_cpp.llama_get_logits_ith(self.context, index)
                one.logits[row] = numpy.ctypeslib.as_array(cast(Any, pointer), shape=(self.vocabulary_size,))


class _AbortFlag:
    """Makes llama.cpp stop, without Python in its inner loop.

    llama.cpp calls a C function before each step of its graph, hundreds of times per token. A Python function would
    need the interpreter's lock each time, and wait for it while the page is busy. So the C function is `strlen`, and
    its argument is our flag: an empty C string to continue, a string of one character to stop.
    """

    def __init__(self, context: llama_cpp.llama_context_p) -> None:
        self._flag = ctypes.create_string_buffer(2)
        library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
        # Stored because C only has the address.
        self._ask = ctypes.cast(library.strlen, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(context, self._ask, ctypes.cast(self._flag, ctypes.c_void_p))

    def stop(self) -> None:
        """Stop the running evaluation within milliseconds."""
        self._flag[0] = b"x"

    def reset(self) -> None:
        """Let the next evaluation run."""
        self._flag[0] = b"\0"
