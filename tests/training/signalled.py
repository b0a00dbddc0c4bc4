"""`workbench` that signals its process group itself, so that the signal comes at the same step on a busy machine too.

python -m tests.training.signalled NUMBER AFTER WORD...: send the signal when a line that starts with AFTER is reported.
"""

import io
import os
import sys

from workbench.__main__ import main


class SignallingStream(io.TextIOWrapper):
    """Standard error that sends a signal when it is given a line that starts with a text."""

    def __init__(self, number: int, after: str) -> None:
        super().__init__(sys.stderr.buffer, encoding="utf-8", line_buffering=True)
        self._number, self._after = number, after

    def write(self, text: str) -> int:
        """Write the text, and send the signal if it begins the line."""
        written = super().write(text)
        if text.startswith(self._after):
            self.flush()
            os.killpg(0, self._number)
        return written


if __name__ == "__main__":
    number, after, *words = sys.argv[1:]
    sys.stderr, sys.argv = SignallingStream(int(number), after), ["workbench", *words]
    main()
