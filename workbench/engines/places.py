"""Names of models that may be paths: what is a plain name, and what a path means."""

from pathlib import Path, PurePosixPath, PureWindowsPath

from workbench.errors import BadInput


def is_plain(name: str) -> bool:
    """Whether a name is one part of a path on every system, so that a folder and the name stay in the folder.

    >>> [is_plain(name) for name in ("first", "../first", "a/b", "a\\\\b", "C:x", "..", "")]
    [True, False, False, False, False, False, False]
    """
    parts = PurePosixPath(name).name, PureWindowsPath(name).name
    return parts == (name, name) and name not in ("", ".", "..") and name.isprintable()


def place_of(text: str) -> Path:
    """The path that a person wrote, `~` filled in.

    Raises:
        BadInput: It can be none: too long, of a home that is not there, or with U+0000 in it.
    """
    try:
        if "\0" in text:
            raise ValueError("it holds U+0000")
        path = Path(text).expanduser()
        # Asked here, where a name that is too long for the system can be told from a file that is not there.
        path.exists()
    except (RuntimeError, ValueError, OSError) as error:
        raise BadInput(f"path {text[:100]!r}", f"it cannot be used: {error}"[:200], "name a file") from error
    return path
