"""llama-cpp-python's own server with the embedded model, as a process on loopback."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workbench.engines.known_models import REMEDY, find_embedded

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
    model = find_embedded()
    if model is None:
        pytest.skip(f"no embedded model: {REMEDY}")
    command = [sys.executable, "-c", _SERVER, str(model), str(adapter or ""), api_key]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.stdin.close()
        process.wait(timeout=30)
