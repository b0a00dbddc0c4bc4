"""What llama.cpp says while it works: kept for an error's text and for the page, off the terminal."""

import ctypes
import re
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Final

_ERROR: Final = 4
_CONTINUED: Final = 5
_OFFLOADED: Final = re.compile(rb"offloaded (\d+)/(\d+) layers to GPU")
_DEVICE: Final = re.compile(rb"using device (\S+) \(([^)]*)\)")


class LlamaLog:
    """The last lines of error that llama.cpp wrote in this process, and where it put the last model."""

    def __init__(self) -> None:
        self.offloaded: str = ""
        self.devices: list[str] = []
        self._lines: deque[str] = deque(maxlen=3)
        self._is_error = False
        self.callback: Callable[..., None] | None = None

    def take(self) -> str:
        """The lines so far, which are then forgotten; empty where there are none."""
        text = " ".join(line.strip() for line in self._lines)
        self._lines.clear()
        return text

    def begin(self) -> None:
        """A model is loaded from here on: what was said of another one is forgotten."""
        self._lines.clear()
        self.devices.clear()
        self.offloaded = ""

    def write(self, level: int, text: bytes, _: ctypes.c_void_p) -> None:
        """One message of llama.cpp; level 5 goes on with the line before."""
        if level != _CONTINUED:
            self._is_error = level == _ERROR
        if device := _DEVICE.search(text):
            self.devices.append(b" ".join(device.groups()).decode(errors="replace"))
        if layers := _OFFLOADED.search(text):
            self.offloaded = b"/".join(layers.groups()).decode()
        if self._is_error and text.strip():
            self._lines.append(text.decode(errors="replace"))


@cache
def llama_log() -> LlamaLog:
    """The process's one log; the first call takes it over from the binding, which prints warnings."""
    import llama_cpp

    log = LlamaLog()
    # C keeps only the address: the wrapper must live as long as the process.
    log.callback = llama_cpp.llama_log_callback(log.write)
    llama_cpp.llama_log_set(log.callback, ctypes.c_void_p(0))
    return log
