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
    """The progress of a training run."""

    step: int
    steps: int
    loss: float
    """Mean loss per token since the last report."""
    left_s: float
    """Estimated seconds to the end."""
    reward: float | None = None
    """Mean reward of the episodes of the step. None for a training on rows."""


class ProgressReporter(TrainerCallback):
    """Reports the progress of a run, and ends it on request.

    Args:
        report: Called with the progress after every logged step.
        is_stopped: Called after every step. The run ends once it returns True.
    """

    def __init__(self, report: Callable[[TrainingProgress], None], is_stopped: Callable[[], bool]) -> None:
        self._report = report
        self._is_stopped = is_stopped
        self._started_s = 0.0
        self._first = 0
        self.curve: list[tuple[int, float]] = []

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Start the clock."""
        self._started_s, self._first = time.monotonic(), state.global_step

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Save a checkpoint and end the run if it was stopped."""
        if self._is_stopped():
            control.should_save = True
            control.should_training_stop = True

    def on_log(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Report the last logged loss."""
        last = state.log_history[-1] if state.log_history else {}
        if "loss" not in last:
            return
        done = max(state.global_step - self._first, 1)
        left = (state.max_steps - state.global_step) * (time.monotonic() - self._started_s) / done
        loss, reward = float(last["loss"]), last.get("reward")
        self._report(TrainingProgress(state.global_step, state.max_steps, loss, left, reward))


@contextmanager
def stopped_by_interrupt() -> Generator[Callable[[], bool]]:
    """Handle Ctrl+C: the first time, the run ends after its step; the second time, it ends at once.

    Yields:
        A function that returns whether Ctrl+C was pressed.
    """
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
