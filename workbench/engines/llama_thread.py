"""The one thread in which a model is evaluated."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Made = TypeVar("Made")


class EvaluatingThread:
    """Runs llama.cpp's evaluations, whoever asks for them, in one thread that lives as long as the model.

    llama.cpp's threads belong to OpenMP, which keeps a team for every thread that ever asked it for work. With
    more of them than processors it takes away their spinning, and each of the hundred barriers of a token then
    waits for the kernel: a page that plays each turn in a thread of its own would get half the tokens a second.

    *Source:* libgomp, `gomp_managed_threads` and `gomp_throttled_spin_count_var`.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="llama.cpp")

    def run(self, work: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs) -> Made:
        """What `work` returns; an interrupt is raised once it has ended, for it uses memory that may be freed then.

        An interrupt may come anywhere, in the middle of handing over the work too: whoever is first to take
        `turn` says whether the work is done.
        """
        turn, ended = Lock(), Event()

        def in_turn() -> Made | None:
            if not turn.acquire(blocking=False):
                return None
            try:
                return work(*args, **kwargs)
            finally:
                ended.set()

        try:
            return cast(Made, self._pool.submit(in_turn).result())
        finally:
            if not turn.acquire(blocking=False):
                ended.wait()

    def close(self) -> None:
        """Ends the thread, and its team with it."""
        self._pool.shutdown()
