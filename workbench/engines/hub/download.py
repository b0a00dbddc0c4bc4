"""Download the files of a model from the hub, resumably and with progress.

`hf_hub_download` of huggingface_hub 2.4 discards a partial download when it is stopped. So the bytes are downloaded
here, with range requests, to where huggingface_hub looks for them. Then it is asked for the file, finds it, and adds it
to its cache.
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
"""Timeout while a file is downloaded."""
MOST_TRIES: Final = 5
"""Number of attempts in a row that bring no bytes."""
PAUSE_S: Final = 1.0
PARTIAL: Final = ".workbench.incomplete"
"""Suffix of partial downloads. huggingface_hub treats files that end in `.incomplete` as partial."""
_SHA256_CHARS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """What to download, and where to store it."""

    repository: str
    """`OWNER/NAME`."""
    parts: tuple[str, ...]
    """Paths in the repository."""
    endpoint: str | None
    """Address of the hub. None uses that of huggingface_hub."""
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
    """Download all parts, one after the other.

    Raises:
        RemoteFailed: The hub stopped sending, or sent other bytes than announced.
        BadInput: The disk is full, or the file is being downloaded already.
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
        raise BadInput(
            where, "it is being downloaded already", "wait for that download, or stop it"
        ) from None
    try:
        for part in parts:
            yield from _pull_part(part, parts, total, is_cancelled, wait)
            if is_cancelled():
                return
        paths = [_add_to_cache(download, file) for file in download.parts]
        yield PullProgress(done_bytes=total, total_bytes=total, path=paths[0])
    finally:
        lock.release()


def _look_up(download: Download, file: str) -> _Part:
    from huggingface_hub import get_token, hf_hub_url
    from huggingface_hub.file_download import repo_folder_name

    url = hf_hub_url(download.repository, file, endpoint=download.endpoint)
    metadata = _client().get_hf_file_metadata(url, token=get_token(), endpoint=download.endpoint)
    if metadata.etag is None or metadata.size is None:
        raise RemoteFailed("the hub", f"it does not report the size of {file!r}")
    folder = download.cache / repo_folder_name(repo_id=download.repository, repo_type="model") / "blobs"
    folder.mkdir(parents=True, exist_ok=True)
    return _Part(
        url, folder / metadata.etag, folder / f"{metadata.etag}{PARTIAL}", metadata.size, metadata.etag
    )


def _check_room(parts: Sequence[_Part], cache: Path) -> None:
    missing = sum(part.size - part.done_bytes() for part in parts)
    free = shutil.disk_usage(cache).free
    if missing > free:
        gigabytes = f"{missing / 1e9:.1f} GB needed, {free / 1e9:.1f} GB free"
        raise BadInput(
            f"folder {cache}",
            f"not enough disk space: {gigabytes}",
            "free some space, or set HF_HOME to another disk",
        )


def _pull_part(
    part: _Part,
    parts: Sequence[_Part],
    total: int,
    is_cancelled: Callable[[], bool],
    wait: Callable[[float], None],
) -> Generator[PullProgress]:
    """Download one part, resume as long as bytes arrive, then verify it and move it into the cache."""
    import httpx2

    def progress(note: str = "") -> PullProgress:
        return PullProgress(
            done_bytes=sum(entry.done_bytes() for entry in parts), total_bytes=total, note=note
        )

    tries = 0
    while part.done_bytes() < part.size:
        before, problem = part.done_bytes(), "it sent too few bytes"
        yield progress("resuming" if before else "")
        try:
            for _ in _fetch(part):
                yield progress()
                if is_cancelled():
                    return
        except (httpx2.TransportError, httpx2.StreamError) as error:
            problem = str(error) or type(error).__name__
        if is_cancelled():
            return
        tries = 1 if part.done_bytes() > before else tries + 1
        if tries >= MOST_TRIES:
            raise RemoteFailed("the hub", f"the download broke off: {problem}", "pull again to resume it")
        if part.done_bytes() < part.size:
            wait(PAUSE_S)
    if not part.blob.exists():
        yield progress("verifying")
        _verify(part)


def _fetch(part: _Part) -> Iterator[int]:
    """Download and append the missing bytes. Yield the length of each chunk once it is written."""
    from huggingface_hub import get_session, get_token
    from huggingface_hub.utils import hf_raise_for_status

    start = part.done_bytes()
    headers: dict[str, str] = _client().utils.build_hf_headers(token=get_token())
    headers["Accept-Encoding"] = "identity"
    if start:
        headers["Range"] = f"bytes={start}-"
    # The client follows the redirect to the storage of the file, and does not send the token to another host.
    with get_session().stream("GET", part.url, headers=headers, timeout=READ_TIMEOUT_S) as response:
        hf_raise_for_status(response)
        is_partial = response.status_code == 206
        with part.partial.open("ab" if is_partial else "wb") as file:
            for chunk in response.iter_raw():
                file.write(chunk)
                file.flush()
                yield len(chunk)


def _verify(part: _Part) -> None:
    """Verify a complete download and move it into the cache. Delete it if it is not the announced file."""
    if part.partial.stat().st_size != part.size or not _has_announced_hash(part):
        part.partial.unlink()
        raise RemoteFailed("the hub", "the downloaded file is damaged", "pull again")
    part.partial.replace(part.blob)


def _has_announced_hash(part: _Part) -> bool:
    """Return whether the SHA-256 matches the ETag. Small files have another hash there, which is not checked."""
    if len(part.etag) != _SHA256_CHARS:
        return True
    digest = sha256()
    with part.partial.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest() == part.etag


def _add_to_cache(download: Download, file: str) -> str:
    """Let huggingface_hub add the file to its cache. Return its path there."""
    path: str = _client().hf_hub_download(
        download.repository, file, cache_dir=download.cache, endpoint=download.endpoint
    )
    return path


def _client() -> Any:
    """Return huggingface_hub as Any, because its annotations are incomplete."""
    import huggingface_hub

    return huggingface_hub
