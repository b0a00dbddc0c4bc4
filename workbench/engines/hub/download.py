"""Download the files of a model from the hub, resumably and with progress.

`hf_hub_download` of huggingface_hub 2.4 throws away what it has when it is stopped. So the bytes are fetched here,
by ranges, into the place where it looks for them; then it is asked for the file, finds it, and does the rest of its
bookkeeping.
"""

import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from workbench.engines.hub.hub_models import PullProgress
from workbench.errors import BadInput, RemoteFailed

CHUNK_BYTES: Final = 1 << 20
READ_TIMEOUT_S: Final = 30.0
"""How long the hub may be silent within a file."""
MOST_TRIES: Final = 5
"""How often a file is gone on with, in one pull, without a byte coming."""
PAUSE_S: Final = 1.0
PARTIAL: Final = ".workbench.incomplete"
"""Ending of what has come so far; huggingface_hub counts files that end in `.incomplete` as such."""
_SHA256_CHARS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """What to fetch, and where to."""

    repository: str
    """`OWNER/NAME`."""
    parts: tuple[str, ...]
    """Paths in the repository."""
    endpoint: str | None
    """Where the hub is; None takes huggingface_hub's."""
    cache: Path
    """Folder of the hub's cache."""


class _Part(NamedTuple):
    url: str
    blob: Path
    partial: Path
    size: int
    etag: str

    def done_bytes(self) -> int:
        if self.blob.exists():
            return self.size
        return self.partial.stat().st_size if self.partial.exists() else 0


def pull_parts(
    download: Download, *, is_cancelled: Callable[[], bool], wait: Callable[[float], None]
) -> Iterator[PullProgress]:
    """All parts, one after the other.

    Raises:
        RemoteFailed: The hub does not go on, or sent something else than it said.
        BadInput: The disk has no room, or the file is being fetched already.
    """
    from filelock import FileLock, Timeout

    parts = [_look_up(download, file) for file in download.parts]
    total = sum(part.size for part in parts)
    _check_room(parts, download.cache)
    lock = FileLock(parts[0].partial.with_suffix(".lock"), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        where = f"model {download.repository}/{download.parts[0]}"
        raise BadInput(where, "it is being fetched already", "wait for it, or stop it first") from None
    try:
        for part in parts:
            yield from _pull_part(part, parts, total, is_cancelled, wait)
            if is_cancelled():
                return
        paths = [_enter(download, file) for file in download.parts]
        yield PullProgress(done_bytes=total, total_bytes=total, path=paths[0])
    finally:
        lock.release()


def _look_up(download: Download, file: str) -> _Part:
    from huggingface_hub import get_token, hf_hub_url
    from huggingface_hub.file_download import repo_folder_name

    url = hf_hub_url(download.repository, file, endpoint=download.endpoint)
    metadata = _client().get_hf_file_metadata(url, token=get_token(), endpoint=download.endpoint)
    if metadata.etag is None or metadata.size is None:
        raise RemoteFailed("the hub", f"it does not say how large {file!r} is")
    folder = download.cache / repo_folder_name(repo_id=download.repository, repo_type="model") / "blobs"
    folder.mkdir(parents=True, exist_ok=True)
    return _Part(
        url, folder / metadata.etag, folder / f"{metadata.etag}{PARTIAL}", metadata.size, metadata.etag
    )


def _check_room(parts: Sequence[_Part], cache: Path) -> None:
    missing = sum(part.size - part.done_bytes() for part in parts)
    free = shutil.disk_usage(cache).free
    if missing > free:
        gigabytes = f"{missing / 1e9:.1f} GB are wanted and {free / 1e9:.1f} GB are free"
        raise BadInput(
            f"folder {cache}", f"no room: {gigabytes}", "free some, or set HF_HOME to another disk"
        )


def _pull_part(
    part: _Part,
    parts: Sequence[_Part],
    total: int,
    is_cancelled: Callable[[], bool],
    wait: Callable[[float], None],
) -> Generator[PullProgress]:
    """One part: gone on with as long as bytes come, then checked and put in its place."""
    import httpx2

    def progress(note: str = "") -> PullProgress:
        return PullProgress(done_bytes=sum(one.done_bytes() for one in parts), total_bytes=total, note=note)

    tries = 0
    while part.done_bytes() < part.size:
        before, trouble = part.done_bytes(), "it sent too little"
        yield progress("goes on where it stopped" if before else "")
        try:
            for _ in _fetch(part):
                yield progress()
                if is_cancelled():
                    return
        except (httpx2.TransportError, httpx2.StreamError) as error:
            trouble = str(error) or type(error).__name__
        if is_cancelled():
            return
        tries = 1 if part.done_bytes() > before else tries + 1
        if tries >= MOST_TRIES:
            raise RemoteFailed("the hub", f"it broke off: {trouble}", "pull again to go on from there")
        if part.done_bytes() < part.size:
            wait(PAUSE_S)
    if not part.blob.exists():
        yield progress("checking")
        _settle(part)


def _fetch(part: _Part) -> Iterator[int]:
    """Appends what is missing; gives the length of each chunk once it is written."""
    from huggingface_hub import get_session, get_token
    from huggingface_hub.utils import hf_raise_for_status

    start = part.done_bytes()
    headers: dict[str, str] = _client().utils.build_hf_headers(token=get_token())
    headers["Accept-Encoding"] = "identity"
    if start:
        headers["Range"] = f"bytes={start}-"
    # The client follows the redirect to the store of the bytes, and leaves the token behind at another host.
    with get_session().stream("GET", part.url, headers=headers, timeout=READ_TIMEOUT_S) as response:
        hf_raise_for_status(response)
        is_rest = response.status_code == 206
        with part.partial.open("ab" if is_rest else "wb") as file:
            for chunk in response.iter_raw():
                file.write(chunk)
                file.flush()
                yield len(chunk)


def _settle(part: _Part) -> None:
    """Checks what has come and makes it the cache's; a file that is not what the hub said is thrown away."""
    if part.partial.stat().st_size != part.size or not _is_as_said(part):
        part.partial.unlink()
        raise RemoteFailed("the hub", "what came is not the file that it should be", "pull again")
    part.partial.replace(part.blob)


def _is_as_said(part: _Part) -> bool:
    """The hub names large files by their SHA-256; small ones by another hash, which is not checked."""
    if len(part.etag) != _SHA256_CHARS:
        return True
    digest = sha256()
    with part.partial.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest() == part.etag


def _enter(download: Download, file: str) -> str:
    """Lets huggingface_hub find the bytes and enter them into its cache; the path of the file there."""
    path: str = _client().hf_hub_download(
        download.repository, file, cache_dir=download.cache, endpoint=download.endpoint
    )
    return path


def _client() -> Any:
    """huggingface_hub, whose annotations leave some types open."""
    import huggingface_hub

    return huggingface_hub
