"""Bodies of requests that are not JSON objects or too large are refused, and uploads cannot fill the disk."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.security.gate_requests import ask
from tests.served import Server
from workbench.ui.gate.bodies import BodyTooLarge, UploadQuota

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"{", b'{"data": NaN', b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe\x00"]
)
def test_a_call_that_is_not_a_json_object_is_refused_without_a_traceback(laptop: Server, body: bytes) -> None:
    json_type = ("Content-Type", "application/json")
    for path in ("queue/join", "call/parse", "call/v2/parse", "run/parse", "cancel", "reset"):
        assert ask(laptop, "POST", f"/gradio_api/{path}", json_type, body=body).status == 400
    assert "Traceback" not in (laptop.folder / "server.log").read_text()


def chunks(size_bytes: int, head: bytes = b"") -> Iterator[bytes]:
    """Yield a body without a declared size."""
    yield head
    for _ in range(size_bytes // 65536):
        yield b"x" * 65536


def test_a_call_that_is_too_large_is_refused(laptop: Server) -> None:
    for content in (b"x" * 20_000_001, chunks(21_000_000, b'{"data": ["')):
        answer = httpx.post(f"{laptop.url}/gradio_api/queue/join", content=content, timeout=60)
        assert answer.status_code == 413
    answer = ask(laptop, "POST", "/gradio_api/queue/join", ("Content-Length", "400000000"))
    assert answer.status == 413


def stored_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "gradio").rglob("*") if path.is_file())


@pytest.mark.parametrize("way", ["declared", "in chunks"])
def test_an_upload_that_is_too_large_is_refused_and_leaves_nothing(laptop: Server, way: str) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="big.bin"\r\n\r\n'
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    before = stored_bytes(laptop.folder)
    for size_bytes in (2_200_000, 40_000_000):
        body: bytes | Iterator[bytes] = chunks(size_bytes, head)
        if way == "declared":
            body = b"".join(body) + b"\r\n--b--\r\n"
        try:
            answer = httpx.post(f"{laptop.url}/gradio_api/upload", content=body, headers=form, timeout=60)
        except httpx.WriteError:
            # The server hung up on what it does not read.
            continue
        assert answer.status_code == 413
    assert stored_bytes(laptop.folder) - before < 3_000_000
    assert "Traceback" not in (laptop.folder / "server.log").read_text()


def test_many_files_of_one_upload_count_together(laptop: Server) -> None:
    before = stored_bytes(laptop.folder)
    files = [("files", (f"{number}.bin", bytes(1_000_000))) for number in range(5)]
    assert httpx.post(f"{laptop.url}/gradio_api/upload", files=files, timeout=60).status_code == 413
    assert stored_bytes(laptop.folder) == before


def test_a_stranger_cannot_fill_the_disk_with_many_uploads(space: Server) -> None:
    files = [("files", ("a.bin", bytes(19_000_000)))]
    codes = list[int]()
    for number in range(12):
        # A new browser each time, and an address that it makes up: the last one counts, which a proxy adds.
        headers = {"X-Forwarded-For": f"93.184.216.{number}, 198.35.26.96"}
        codes.append(
            httpx.post(f"{space.url}/gradio_api/upload", files=files, headers=headers, timeout=60).status_code
        )
    assert codes == [200] * 10 + [429] * 2
    other = {"X-Forwarded-For": "198.35.26.97"}
    assert (
        httpx.post(f"{space.url}/gradio_api/upload", files=files, headers=other, timeout=60).status_code
        == 200
    )


def test_the_received_part_of_a_broken_upload_counts() -> None:
    now_s = 0.0
    quota = UploadQuota(100, lambda: now_s)
    quota.count("a", 90)
    assert (quota.left_bytes("a"), quota.left_bytes("b")) == (10, 100)
    with pytest.raises(BodyTooLarge):
        quota.count("a", 11)
    assert quota.left_bytes("a") == 0
    now_s = 3601.0
    assert quota.left_bytes("a") == 100
