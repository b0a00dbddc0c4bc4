"""One thread in which llama.cpp evaluates."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, Lock
from typing import Final, TypeVar, cast

LOOK_EVERY_S: Final = 0.02
"""How often `while_waiting` is called."""

Returned = TypeVar("Returned")


class EvaluatingThread:
    """Runs all evaluations of llama.cpp in one thread that lives as long as the model.

    llama.cpp's threads belong to OpenMP, which creates a team of threads for every thread that ever gave it work. If
    there are more of them than processors, they stop spinning, and each of the hundred barriers of a token waits for
    the kernel. A page that runs each turn in a thread of its own would get half the tokens per second.

    *Source:* libgomp, `gomp_managed_threads` and `gomp_throttled_spin_count_var`.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="llama.cpp")

    def run(
        self, work: Callable[[], Returned], *, while_waiting: Callable[[], None] | None = None
    ) -> Returned:
        """Run `work` in the thread and return its result. Meanwhile, call `while_waiting` again and again.

        If KeyboardInterrupt is raised meanwhile, it is passed on once the work has ended, because the caller may
        free memory that the work uses. An interrupt can come at any point, even while the work is handed over. So both
        sides try to take `turn`: if the thread has it, the work runs and is waited for; if the caller has it, the
        work never starts.
        """
        turn, ended = Lock(), Event()

        def in_turn() -> Returned | None:
            if not turn.acquire(blocking=False):
                return None
            try:
                return work()
            finally:
                ended.set()

        try:
            running = self._pool.submit(in_turn)
            while while_waiting and not wait([running], LOOK_EVERY_S).done:
                while_waiting()
            return cast(Returned, running.result())
        finally:
            if not turn.acquire(blocking=False):
                ended.wait()

    def close(self) -> None:
        """End the thread and its OpenMP team."""
        self._pool.shutdown()
