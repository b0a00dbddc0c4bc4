"""Report the progress of a training run, and stop it on request."""

import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import NamedTuple

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments


class TrainingProgress(NamedTuple):
    """Where a run stands."""

    step: int
    steps: int
    loss: float
    """Mean a token since it was last told."""
    left_s: float
    """Seconds to the end at the pace so far."""


class ProgressReporter(TrainerCallback):
    """Hands on where the run stands, and ends it where that is wished.

    Args:
        tell: Is told of every logged step.
        is_stopped: Asked behind every step.
    """

    def __init__(self, report: Callable[[TrainingProgress], None], is_stopped: Callable[[], bool]) -> None:
        self._report = report
        self._is_stopped = is_stopped
        self._begun = 0.0
        self._first = 0
        self.curve: list[tuple[int, float]] = []

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Starts the clock."""
        self._begun, self._first = time.monotonic(), state.global_step

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Ends the run, with a checkpoint, where that is wished."""
        if self._is_stopped():
            control.should_save = True
            control.should_training_stop = True

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Tells of the last logged loss."""
        last = state.log_history[-1] if state.log_history else {}
        if "loss" not in last:
            return
        done = max(state.global_step - self._first, 1)
        left = (state.max_steps - state.global_step) * (time.monotonic() - self._begun) / done
        self._report(TrainingProgress(state.global_step, state.max_steps, float(last["loss"]), left))


@contextmanager
def stopped_by_interrupt() -> Generator[Callable[[], bool]]:
    """Ctrl+C once asks the run to end behind its step; twice ends it at once."""
    stopped = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopped
        if stopped:
            raise KeyboardInterrupt
        stopped = True

    if current_thread() is not main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: stopped
    finally:
        signal.signal(signal.SIGINT, before)
