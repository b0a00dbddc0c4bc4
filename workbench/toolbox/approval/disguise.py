"""A command without its disguises: what a shell would run, not how it was spelled."""

import re
import unicodedata
from typing import Final

_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTINUATION: Final = re.compile(r"\\\r?\n")
_IFS: Final = re.compile(r"\$(?:\{IFS[^}\n]{0,40}\}|IFS(?![A-Za-z0-9_]))(?:\$(?:[1-9@*]|\{[1-9@*]\}))?+")
"""`$IFS`, `${IFS}`, `${IFS%?}` and `$IFS$9`, which come to white space."""
_ANSI_C: Final = re.compile(r"\$'((?:[^'\\]|\\.)*+)'", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


def undisguised(command: str) -> str:
    """`command` without terminal codes, look-alike letters, invisible characters, continued lines and `$IFS`.

    Quotes stay: what they part is for the reader of words to say. Linear in the command's length.

    >>> undisguised("r\\\\\\nm$IFS-rf")
    'rm -rf'
    """
    text = unicodedata.normalize("NFKC", _ANSI.sub("", command))
    text = "".join(sign for sign in text if not _is_invisible(sign))
    text = _IFS.sub(" ", _CONTINUATION.sub("", text))
    return _ANSI_C.sub(lambda match: "'" + _unescaped(match.group(1)).replace("'", "") + "'", text)


def _is_invisible(sign: str) -> bool:
    return sign == "\0" or unicodedata.category(sign) == "Cf"


def _unescaped(text: str) -> str:
    """The text of `$'…'`. *Source:* Bash manual, 3.1.2.4, ANSI-C quoting."""

    def letter(match: re.Match[str]) -> str:
        hexadecimal, unicode, octal, other = match.groups()
        if hexadecimal or unicode:
            return chr(int(hexadecimal or unicode, 16))
        return chr(int(octal, 8)) if octal else _LETTERS.get(other, other)

    return _ESCAPE.sub(letter, text)
