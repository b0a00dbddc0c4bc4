"""Download the source archives that hold other people's test suites, each at a pinned version and hash.

Nothing of them is committed. They lie in a cache folder, `$CONFORMANCE_CACHE` or `~/.cache/hermes-workbench/conformance`.
`pip download` would first build each of them to learn its metadata, so the archives are fetched from the index itself.

*Source:* PEP 691, the JSON form of the simple API.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin
from zipfile import ZipFile

import httpx2

INDEX = "https://pypi.org/simple"
"""Where pip looks if it is not configured."""
JSON_FORM = "application/vnd.pypi.simple.v1+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """A source archive on PyPI."""

    project: str
    version: str
    sha256: str
    parts: tuple[str, ...]
    """Folders that are unpacked, below the folder of the archive."""
    wheel: str = ""
    """The tags of a wheel, for a project that publishes no source archive."""

    @property
    def stem(self) -> str:
        return f"{self.project.replace('-', '_')}-{self.version}"

    @property
    def file(self) -> str:
        return f"{self.stem}-{self.wheel}.whl" if self.wheel else f"{self.stem}.tar.gz"


VLLM = Archive(
    project="vllm",
    version="0.33.0",
    sha256="f4c33c2503d52bb411146afa9618a4f48bed68912f617e6803ac8d76e4c74112",
    parts=("tests", "vllm"),
)
OLDER_VLLM = (
    Archive(
        project="vllm",
        version="0.11.0",
        sha256="f435a64c24e9c4178d657a76f8edd8548ddc444012f7d06a9f79ac3a6392bfae",
        parts=("vllm",),
    ),
    Archive(
        project="vllm",
        version="0.14.0",
        sha256="ed86c6a9d22fbfd059648794493cad88444c71688f3ff6efcb26c5ca353f0e5d",
        parts=("vllm",),
    ),
    Archive(
        project="vllm",
        version="0.25.1",
        sha256="ddbdec3f1c0f21afa70b7eb6ddf3faa29d26b1302ee4b5d5e00ec3af41b0c2e4",
        parts=("vllm",),
    ),
)
"""One release of each earlier layout of its modules: the plugin is imported into all of them."""
SGLANG = Archive(
    project="sglang",
    version="0.5.23",
    sha256="00b3cd5b265ac76c64185fbb6b95424f324ddd9f428d0306b77bc9db9d859937",
    parts=("sglang/srt",),
    wheel="cp311-cp311-manylinux_2_34_x86_64",
)
"""Only its Python files are read, so the tags do not matter."""
LLAMA_CPP = Archive(
    project="llama-cpp-python",
    version="0.3.36",
    sha256="832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
    parts=("vendor/llama.cpp/tests", "vendor/llama.cpp/models/templates"),
)
JSON_SCHEMA = Archive(
    project="jsonschema",
    version="4.26.0",
    sha256="0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326",
    parts=("json",),
)
JSON_REPAIR = Archive(
    project="json-repair",
    version="0.58.3",
    sha256="bc1fad983e12b38cef066f73315765537b60b7e0544106b5c410de83aa2e1f4b",
    parts=("tests",),
)
BFCL = Archive(
    project="bfcl-eval",
    version="2026.3.23",
    sha256="4a3869673721fa59be93d8f55ca92d69ab5797058aed792149c6adafda064bc1",
    parts=("bfcl_eval",),
)
ARCHIVES = (VLLM, *OLDER_VLLM, SGLANG, LLAMA_CPP, JSON_SCHEMA, JSON_REPAIR, BFCL)


class Unavailable(Exception):
    """An archive cannot be had. The message says which, why, and what to do."""


def cache_folder() -> Path:
    set_folder = os.environ.get("CONFORMANCE_CACHE")
    return Path(set_folder) if set_folder else Path.home() / ".cache" / "hermes-workbench" / "conformance"


def unpacked(archive: Archive) -> Path:
    """Return the folder of an archive; download and unpack it if it is not in the cache.

    Raises:
        Unavailable: It cannot be downloaded, or its hash is not the pinned one.
    """
    folder = cache_folder() / archive.stem
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = folder.with_name(f"{archive.stem}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    packed = folder.with_name(archive.file)
    try:
        _download(archive, packed)
        _unpack(archive, packed, partial)
    finally:
        packed.unlink(missing_ok=True)
    (partial if archive.wheel else partial / archive.stem).rename(folder)
    shutil.rmtree(partial, ignore_errors=True)
    return folder


def _download(archive: Archive, packed: Path) -> None:
    print(f"Downloading {archive.file}", file=sys.stderr)
    index = f"{_index().rstrip('/')}/{archive.project}/"
    digest = hashlib.sha256()
    try:
        with httpx2.Client(follow_redirects=True, timeout=60) as client:
            page = client.get(index, headers={"Accept": JSON_FORM}).raise_for_status()
            files = {file["filename"]: file["url"] for file in page.json()["files"]}
            address = urljoin(str(page.url), files[archive.file])
            with client.stream("GET", address) as answer, packed.open("wb") as file:
                for piece in answer.raise_for_status().iter_bytes():
                    digest.update(piece)
                    file.write(piece)
    except (httpx2.HTTPError, KeyError, ValueError) as error:
        raise Unavailable(
            f"{archive.file} could not be downloaded from the package index: {error or type(error).__name__}. "
            f"Run this command with a connection to the package index once; later it needs none."
        ) from error
    if digest.hexdigest() != archive.sha256:
        raise Unavailable(f"{archive.file} has the hash {digest.hexdigest()}, not {archive.sha256}.")


def _unpack(archive: Archive, packed: Path, folder: Path) -> None:
    if archive.wheel:
        with ZipFile(packed) as wheel:
            prefixes = tuple(f"{part}/" for part in archive.parts)
            names = [name for name in wheel.namelist() if name.startswith(prefixes) and name.endswith(".py")]
            wheel.extractall(folder, names)
        return
    prefixes = tuple(f"{archive.stem}/{part}/" for part in archive.parts)
    with tarfile.open(packed) as tar:
        tar.extractall(folder, [file for file in tar if file.name.startswith(prefixes)], filter="data")


def _index() -> str:
    """Return the index that pip is configured to use."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return os.environ.get("PIP_INDEX_URL") or configured or INDEX
