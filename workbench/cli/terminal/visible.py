"""Show control characters instead of obeying them: a text from outside must not control the terminal.

Whatever a command prints may come from a model, a server, an MCP tool or a file. So at a terminal, everything passes
through `VisibleOutput`. Only our own colours and progress lines get through: they are marked with a secret that no text
from outside can know. A pipe or a file gets every character as it is, if it can be encoded.

| text | shown as |
|---|---|
| escape, bell, backspace and other control characters | `␛`, `␇`, `␈` |
| characters that change the direction of the text after them | `<U+202E>` |
| characters without a shape, in which text can be hidden | `<U+200B>`, `<U+E0041>` |
| halves of surrogate pairs, which cannot be encoded, also in a pipe or a file | `\\ud83d` |
"""

import io
import re
import secrets
import sys
from codecs import getincrementaldecoder
from typing import Any, BinaryIO, Final, TextIO, cast

_HIDDEN: Final = (
    0x061C, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF,
    *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080),
)  # fmt: skip
CONTROLS: Final[dict[int, int | str]] = {
    **{code: 0x2400 + code for code in range(0x20) if code != ord("\n")},
    **dict.fromkeys(range(0x7F, 0xA0), 0xFFFD),
    **{code: f"<U+{code:04X}>" for code in _HIDDEN},
}
"""Characters that are not shown as they are, and their replacements."""
_OWN: Final = f"\ufdd0{secrets.token_hex(8)}"
"""Stands for the escape character in our own codes."""
_ALLOWED: Final = re.compile(rf"\A\r|\r(?={_OWN})|\t|{_OWN}")
"""What reaches the terminal. Progress bars of libraries begin a line with a carriage return."""


def shown(text: str) -> str:
    """Return `text` with visible control characters. Line breaks stay as they are.

    >>> shown("a\\x1b[31m\\tb\\u202e")
    'a␛[31m␉b<U+202E>'
    """
    return text.translate(CONTROLS)


def own_code(code: str) -> str:
    """Return a code for the terminal, such as `31m`. To be printed only where `is_protected`."""
    return f"{_OWN}[{code}"


def is_protected(stream: TextIO) -> bool:
    """Whether a stream is a terminal at which control characters are shown, and our own codes obeyed."""
    return isinstance(getattr(stream, "buffer", None), VisibleOutput)


def _for_terminal(text: str) -> str:
    parts: list[str] = []
    end = 0
    for allowed in _ALLOWED.finditer(text):
        parts += [shown(text[end : allowed.start()]), "\x1b" if allowed[0] == _OWN else allowed[0]]
        end = allowed.end()
    return "".join([*parts, shown(text[end:])])


class VisibleOutput(io.RawIOBase):
    """The bytes of a terminal, with visible control characters.

    Args:
        terminal: Where to write to.
        encoding: The encoding of the terminal.
    """

    def __init__(self, terminal: BinaryIO, encoding: str) -> None:
        self._terminal = terminal
        self._encoding = encoding
        self._decoder = getincrementaldecoder(encoding)(errors="replace")

    def write(self, data: Any) -> int:
        """Write text in the encoding of the terminal. Characters may be cut between two calls."""
        text = self._decoder.decode(bytes(data))
        self._terminal.write(_for_terminal(text).encode(self._encoding, errors="replace"))
        return len(data)

    def flush(self) -> None:
        """Flush the terminal."""
        self._terminal.flush()

    def fileno(self) -> int:
        """Return the terminal's file descriptor."""
        return self._terminal.fileno()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return True

    def writable(self) -> bool:
        """Whether it can be written to."""
        return True


def protect_terminals() -> None:
    """Show control characters in everything that this process prints at a terminal, and escape what has no encoding."""
    if sys.stdout.isatty():
        sys.stdout = _protected(sys.stdout)
    else:
        # Standard error escapes what it cannot encode anyway.
        cast(io.TextIOWrapper, sys.stdout).reconfigure(errors="backslashreplace")
    if sys.stderr.isatty():
        sys.stderr = _protected(sys.stderr)


def _protected(stream: TextIO) -> TextIO:
    output = cast(BinaryIO, VisibleOutput(stream.buffer, stream.encoding))
    return io.TextIOWrapper(output, stream.encoding, errors="backslashreplace", line_buffering=True)
