"""Write rows to a file that appears only once it is complete."""

import gzip
import json
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Final, Protocol, cast

from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput

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


def line_of(row: JsonObject) -> bytes:
    """Return a row as a line of JSON. A lone surrogate, which UTF-8 cannot encode, is escaped."""
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row, allow_nan=False).encode() + b"\n"


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
