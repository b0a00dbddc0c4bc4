"""llama-cpp-python's own server and llama.cpp's, with the embedded model, as processes on loopback."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from workbench.engines.embedded_model import REMEDY, find_embedded

_SERVER = """
import sys, threading, time, uvicorn
from llama_cpp.server.app import create_app
from llama_cpp.server.settings import ModelSettings, ServerSettings
model = ModelSettings(
    model=sys.argv[1], model_alias="hermes", n_ctx=2048, verbose=False, lora_path=sys.argv[2] or None
)
app = create_app(server_settings=ServerSettings(api_key=sys.argv[3] or None), model_settings=[model])
server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
threading.Thread(target=lambda: (sys.stdin.read(), setattr(server, "should_exit", True)), daemon=True).start()
threading.Thread(target=lambda: ([time.sleep(0.05) for _ in iter(lambda: server.started, True)],
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)), daemon=True).start()
server.run()
"""
"""It prints its port once it listens, and ends when its standard input does."""


@contextmanager
def real_server(adapter: Path | None = None, *, api_key: str = "") -> Iterator[str]:
    """Serve the embedded model as `hermes`. Yields the base URL. Skips the test if the server is not installed.

    Args:
        adapter: A LoRA adapter for the model. None uses none.
        api_key: The key that requests must have. Empty requires none.
    """
    reason = "llama-cpp-python's server is not installed: pip install 'llama-cpp-python[server]'"
    pytest.importorskip("llama_cpp.server.app", reason=reason)
    command = [sys.executable, "-c", _SERVER, str(_embedded()), str(adapter or ""), api_key]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.stdin.close()
        process.wait(timeout=30)


@contextmanager
def llama_server(*, api_key: str) -> Iterator[str]:
    """Serve the embedded model as `hermes` with llama.cpp's `llama-server`. Yields the base URL.

    Skips the test if the program is not on the PATH.
    """
    program = shutil.which("llama-server")
    if program is None:
        pytest.skip("llama-server is not on the PATH (Debian unstable: apt-get install llama.cpp-tools)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = ["--host", "127.0.0.1", "--port", str(port)]
    model = [
        "--model",
        str(_embedded()),
        "--alias",
        "hermes",
        "--ctx-size",
        "2048",
        "--parallel",
        "1",
        "--jinja",
    ]
    command = [program, *address, *model, "--api-key", api_key]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not _is_healthy(port):
                assert process.poll() is None, f"llama-server ended with exit code {process.returncode}"
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def _is_healthy(port: int) -> bool:
    """Return whether llama-server has loaded its model."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return answer.status == HTTPStatus.OK
    except (URLError, OSError):
        return False


def _embedded() -> Path:
    model = find_embedded()
    if model is None:
        pytest.skip(f"no embedded model: {REMEDY}")
    return model
