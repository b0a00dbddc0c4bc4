"""A prompt's evaluation, ended while llama.cpp is inside it."""

import ctypes
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

import llama_cpp

LOOK_EVERY_S: Final = 0.02
"""How often a watched evaluation asks whether it is still wanted."""


class AbortFlag:
    """Tells llama.cpp to stop, without Python in its inner loop.

    llama.cpp asks a C function before each step of its graph, hundreds of times a token. A Python function would
    need the interpreter's lock each time, and wait for it while the page is busy. `strlen` does it instead: its
    argument is our flag, an empty C string until it is raised, then one of a single character.
    """

    def __init__(self, context: llama_cpp.llama_context_p) -> None:
        self._flag = ctypes.create_string_buffer(2)
        library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
        # Kept: C holds the address alone.
        self._ask = ctypes.cast(library.strlen, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(context, self._ask, ctypes.cast(self._flag, ctypes.c_void_p))

    @contextmanager
    def watching(self, is_cancelled: Callable[[], bool]) -> Generator[None]:
        """Ends what is evaluated inside within some milliseconds of `is_cancelled` becoming true."""
        is_over = Event()

        def watch() -> None:
            while not is_over.wait(LOOK_EVERY_S):
                if is_cancelled():
                    self._flag[0] = b"x"
                    return

        watcher = Thread(target=watch, name="llama-abort", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            is_over.set()
            watcher.join()
            self._flag[0] = b"\0"
