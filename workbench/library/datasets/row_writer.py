"""Write rows to a file that appears only once it is complete."""

import gzip
import json
import os
import re
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import IO, Final, Protocol, cast

from workbench.chat.json_value import JsonObject, JsonValue, as_object, loads_fast
from workbench.errors import BadInput
from workbench.trajectory.formats.logs.session_log import TRACES

STANDARD_OUTPUT: Final = "-"
"""Name for standard output, which gets JSON Lines."""


class RowWriter(Protocol):
    """Writes rows."""

    def __call__(self, row: JsonObject | bytes) -> None:
        """Write the next row, or a line that is a row already, without its line feed."""
        ...


@contextmanager
def open_writer(target: str) -> Generator[RowWriter]:
    """Open a writer for `NAME.jsonl`, `NAME.jsonl.gz`, `NAME.parquet` or standard output.

    Rows are written to a temporary file next to the target, which is renamed when the block ends without an
    exception.

    Raises:
        BadInput: The file cannot be written.
    """
    if target == STANDARD_OUTPUT:
        yield lambda row: _write(sys.stdout.buffer, row)
        sys.stdout.buffer.flush()
        return
    path = Path(target).expanduser()
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            draft = Path(file.name)
    except OSError as error:
        raise BadInput(f"file {target}", str(error.strerror or error), "does its folder exist?") from error
    try:
        with _packed(draft, path) as packed:
            yield lambda row: _write(packed, row)
        _settle(draft, path)
    except OSError as error:
        raise BadInput(f"file {target}", str(error.strerror or error)) from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def open_log_writer(target: str) -> Generator[RowWriter]:
    """Open a writer for rows that are files of their own: the events of a session, one on each line.

    `NAME.jsonl`, `NAME.jsonl.gz` and standard output take one session. Any other target is a folder, which gets a file
    for each session, named by the session's id.

    Raises:
        BadInput: The target is a Parquet file, or a file that would hold two sessions, or it cannot be written.
    """
    if target.endswith(".parquet"):
        raise BadInput(f"file {target}", "Parquet cannot hold the events of a session", "name a folder")
    if target == STANDARD_OUTPUT or target.endswith((".jsonl", ".jsonl.gz")):
        with open_writer(target) as write:
            yield _OneSession(target, write)
        return
    folder = Path(target).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix=".sessions-") as draft:
            yield _SessionFolder(Path(draft))
            for file in Path(draft).iterdir():
                file.chmod(0o666 & ~_umask())
                file.replace(folder / file.name)
    except OSError as error:
        raise BadInput(f"folder {target}", str(error.strerror or error)) from error


class _OneSession:
    def __init__(self, target: str, write: RowWriter) -> None:
        self._target = target
        self._write = write
        self._is_written = False

    def __call__(self, row: JsonObject | bytes) -> None:
        if self._is_written:
            problem = "it can hold one session, and there are several"
            raise BadInput(f"file {self._target}", problem, "name a folder, which gets a file for each")
        self._is_written = True
        for line in _event_lines(row):
            self._write(line)


class _SessionFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: set[str] = set()

    def __call__(self, row: JsonObject | bytes) -> None:
        lines = list(_event_lines(row))
        stem = _UNSAFE.sub("-", _session_id(row))[:_LONGEST_NAME].strip("-.") or "session"
        numbered = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        # Some file systems do not distinguish upper and lower case.
        name = next(name for name in numbered if name.lower() not in self._names)
        self._names.add(name.lower())
        (self._folder / f"{name}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))


def _events(row: JsonObject | bytes) -> Sequence[JsonValue]:
    fields = as_object(loads_fast(row)) if isinstance(row, bytes) else row
    events = fields.get(TRACES)
    return events if isinstance(events, list) else []


def _session_id(row: JsonObject | bytes) -> str:
    first = as_object(next(iter(_events(row)), None))
    return str(first.get("id") or first.get("sessionId") or as_object(first.get("payload")).get("id") or "")


def _event_lines(row: JsonObject | bytes) -> Iterator[bytes]:
    for event in _events(row):
        if isinstance(event, dict):
            yield line_of(event).removesuffix(b"\n")
        else:
            yield str(event or "").encode(errors="surrogatepass")


_UNSAFE: Final = re.compile(r"[^\w.-]+", re.ASCII)
_LONGEST_NAME: Final = 100
"""Characters of a file's name that a session's id may have."""


def line_of(row: JsonObject) -> bytes:
    """Return a row as a line of JSON. A lone surrogate, which UTF-8 cannot encode, is escaped."""
    text = _LINE.encode(row)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row, allow_nan=False).encode() + b"\n"


_LINE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)


def _write(file: IO[bytes], row: JsonObject | bytes) -> None:
    file.write(row + b"\n" if isinstance(row, bytes) else line_of(row))


@contextmanager
def _packed(draft: Path, path: Path) -> Generator[IO[bytes]]:
    if path.suffix != ".gz":
        with draft.open("wb") as file:
            yield file
        return
    # Without a name and a time in the header, the same rows give the same bytes.
    with draft.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        yield cast("IO[bytes]", packed)


def _settle(draft: Path, path: Path) -> None:
    """Rename the temporary file, after converting it to Parquet if necessary."""
    if path.suffix == ".parquet":
        from workbench.library.datasets.parquet import write_parquet

        lines = draft
        draft = lines.with_name(f"{lines.name}.parquet")
        try:
            write_parquet(draft, lambda: _drafted(lines))
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        return
    draft.chmod(0o666 & ~_umask())
    draft.replace(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _drafted(lines: Path) -> Iterator[JsonObject]:
    with lines.open("rb") as file:
        for line in file:
            yield cast(JsonObject, json.loads(line))
