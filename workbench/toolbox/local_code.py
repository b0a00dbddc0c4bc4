"""Decide whether the Python files of a folder may run: a person is asked once for each folder and state of its files.

A folder that was downloaded may contain `tools_catalog/`. Its YAML files are data, but its Python files are programs.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

from workbench.errors import BadInput
from workbench.settings import Settings

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_MOST_LISTED: Final = 20
"""Files that a question lists; more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalCode:
    """The Python files of a catalog that does not belong to the workbench."""

    folder: Path
    """The folder that contains `tools_catalog/`, with links resolved."""
    names: tuple[str, ...]
    """Paths of the files in `folder`, sorted."""
    fingerprint: str
    """Hex SHA-256 of all names and contents."""

    @property
    def listed(self) -> str:
        """The names for people, one per line."""
        lines = [_visible(f"  {name}") for name in self.names[:_MOST_LISTED]]
        rest = len(self.names) - len(lines)
        return "\n".join([*lines, f"  and {rest} more"] if rest else lines)


def find_code(catalog: Path) -> LocalCode | None:
    """Return the Python files of a catalog. None if it has only those that come with the workbench.

    Raises:
        BadInput: A file cannot be read.
    """
    shipped = _PACKAGE / "shipped" / catalog.name
    if not shipped.is_dir():
        shipped = _PACKAGE.parent / catalog.name
    if catalog.resolve() == shipped:
        return None
    # Not only those that are imported, because they may import the others.
    paths = sorted(path for path in catalog.rglob("*.py") if path.is_file())
    total, are_ours = sha256(), True
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise BadInput(f"file {path}", str(error.strerror or error)) from error
        total.update(f"{path.relative_to(catalog)}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        total.update(content)
        ours = shipped / path.relative_to(catalog)
        are_ours = are_ours and ours.is_file() and ours.read_bytes() == content
    if are_ours:
        return None
    home = catalog.parent
    names = tuple(str(path.relative_to(home)) for path in paths)
    return LocalCode(folder=home.resolve(), names=names, fingerprint=total.hexdigest())


class TrustFile:
    """The answers of the person, in a file of the user's own data folder, whatever the current folder is.

    Args:
        path: The file; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def answer(self, code: LocalCode) -> bool | None:
        """Return the answer for these files. None if there is none, or if a file has changed since."""
        row = self._rows().get(str(code.folder))
        return row[1] if row and row[0] == code.fingerprint else None

    def folders(self) -> Iterator[str]:
        """Yield the folders that were trusted, sorted. Their files may have changed since."""
        yield from sorted(folder for folder, (_, is_trusted) in self._rows().items() if is_trusted)

    def save(self, code: LocalCode, *, is_trusted: bool) -> None:
        """Store an answer.

        Raises:
            BadInput: The file cannot be read or written.
        """
        self._write({**self._rows(), str(code.folder): (code.fingerprint, is_trusted)})

    def forget(self, folder: Path) -> bool:
        """Delete the answer for a folder. Return False if there is none.

        Raises:
            BadInput: The file cannot be read or written.
        """
        rows = self._rows()
        if rows.pop(str(folder.resolve()), None) is None:
            return False
        self._write(rows)
        return True

    def _rows(self) -> dict[str, tuple[str, bool]]:
        """Return fingerprint and answer by folder."""
        try:
            loaded: Any = json.loads(self._path.read_text(encoding="utf-8"))
            return {
                folder: (str(row["fingerprint"]), row["trusted"] is True)
                for folder, row in cast(dict[str, Any], loaded).items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            problem = f"it cannot be read: {' '.join(str(error).split())[:200]}"
            raise BadInput(
                f"file {self._path}", problem, "delete it, then trust your folders again"
            ) from error

    def _write(self, rows: Mapping[str, tuple[str, bool]]) -> None:
        text = json.dumps(
            {folder: {"fingerprint": mark, "trusted": answer} for folder, (mark, answer) in rows.items()},
            indent=2,
        )
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._path.with_suffix(".new")
            fresh.write_text(text + "\n", encoding="utf-8")
            fresh.replace(self._path)
        except OSError as error:
            raise BadInput(f"file {self._path}", str(error.strerror or error)) from error


def explain_refusal(catalog: Path, settings: Settings) -> str:
    """Return one line that says which Python files of a catalog may not run and why. Empty if all may run."""
    code = find_code(catalog)
    if code is None or _answer(code, settings):
        return ""
    files = "1 Python file" if len(code.names) == 1 else f"{len(code.names)} Python files"
    remedy = (
        "`workbench trust` loads them"
        if settings.runs_local_code
        else "`--no-local-code` or WORKBENCH_LOCAL_CODE=off is set"
    )
    named = ", ".join(code.names[:3]) + (", …" if len(code.names) > 3 else "")
    return _visible(
        f"{files} of {code.folder} not loaded, because the folder is not trusted: {named} ({remedy})"
    )


def ask_about(catalog: Path, settings: Settings) -> None:
    """Ask the person at the terminal whether the Python files of a catalog may run, unless they answered before.

    Without a terminal, say on standard error what is not loaded.

    Raises:
        BadInput: The answer cannot be stored.
    """
    code = find_code(catalog)
    if code is None or not settings.runs_local_code or _answer(code, settings):
        return
    is_answered = TrustFile(settings.trust_file).answer(code) is not None
    if not is_answered and sys.stdin.isatty() and sys.stderr.isatty():
        sys.stderr.write(
            f"{_visible(str(code.folder))} has Python files that would run with your permissions:\n{code.listed}\n"
            "Do you trust them? A change asks again. [y/N] "
        )
        sys.stderr.flush()
        is_trusted = sys.stdin.readline().strip().lower() in ("y", "yes")
        TrustFile(settings.trust_file).save(code, is_trusted=is_trusted)
        if is_trusted:
            return
    sys.stderr.write(f"workbench: {explain_refusal(catalog, settings)}\n")


def _answer(code: LocalCode, settings: Settings) -> bool:
    if not settings.runs_local_code:
        return False
    return code.folder in settings.trusted_folders or bool(TrustFile(settings.trust_file).answer(code))


def _visible(text: str) -> str:
    """Replace characters that could change how a line is shown, such as control characters."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)
