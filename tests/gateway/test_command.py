"""`workbench gateway` and `workbench serve --gateway` as processes, with the command lines of the documentation."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial

import httpx
import pytest

from tests.databases import put_database
from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER
from tests.served import free_port
from tests.services import CHECKOUT
from workbench.app.passwords import hash_password

PAGE = CHECKOUT / "docs/how-to/serve-a-contract.md"


def environment(folder, *completions, **variables):
    (folder / "data/scripts").mkdir(parents=True, exist_ok=True)
    put_database(folder / "data")
    script = folder / "data/scripts/one.yaml"
    script.write_text(json.dumps({"completions": completions or [CALL, ANSWER]}))
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")},
        "WORKBENCH_MODEL": "scripted:one",
        "WORKBENCH_DATA": str(folder / "data"),
        "WORKBENCH_HOME": str(CHECKOUT),
        "PYTHONPATH": str(CHECKOUT),
        **variables,
    }


@contextmanager
def running(line, variables):
    """Run a command until the line that says that it is ready. Yields the address."""
    words = shlex.split(line)
    assert words[0] == "workbench"
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", *words[1:]],
        env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Tests that run in the background of a shell would pass on that interrupts are ignored.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        said = next(
            (found for text in process.stdout if (found := re.search(r"gateway is running at (\S+)", text))),
            None,
        )
        assert said, process.stderr.read()
        yield said.group(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0, process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


@pytest.mark.slow
def test_a_gateway_answers_until_it_is_interrupted(tmp_path):
    port = free_port()
    with running(f"workbench gateway --port {port}", environment(tmp_path)) as url:
        assert url == f"http://127.0.0.1:{port}/v1"
        body = {"model": "minimal/scripted:one", "messages": QUESTION, "tools": [WEATHER]}
        answer = httpx.post(f"{url}/chat/completions", json=body, timeout=30).json()
        assert answer["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--host 0.0.0.0", "other machines could use the gateway without a key"),
        ("--family nothing", "nothing"),
        ("--upstream ''", "WORKBENCH_OPENAI_BASE_URL"),
    ],
)
@pytest.mark.slow
@pytest.mark.long
def test_a_gateway_that_cannot_start_says_why(tmp_path, options, problem):
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "gateway", *shlex.split(options)],
        env=environment(tmp_path), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and problem in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.long
def test_the_page_and_the_gateway_share_an_address(tmp_path):
    port = free_port()
    with running(f"workbench serve --gateway --port {port}", environment(tmp_path)) as url:
        assert url == f"http://127.0.0.1:{port}/v1"
        body = {"model": "scripted:one", "messages": QUESTION, "stream": True}
        assert "data: [DONE]" in httpx.post(f"{url}/chat/completions", json=body, timeout=30).text
        page = httpx.get(f"http://127.0.0.1:{port}/", timeout=60)
        assert page.status_code == 200 and "content-security-policy" in page.headers


@pytest.mark.slow
@pytest.mark.long
def test_a_gateway_for_other_machines_asks_for_the_key_of_the_page(tmp_path):
    port = free_port()
    keys = {"WORKBENCH_GATEWAY_KEYS": f"agent:{hash_password('secret', n=2**4)}"}
    variables = environment(tmp_path, WORKBENCH_GATEWAY_PORT=str(port), **keys)
    assert "workbench gateway --host 0.0.0.0" in PAGE.read_text(encoding="utf-8")
    with running("workbench gateway --host 0.0.0.0", variables):
        models = f"http://127.0.0.1:{port}/v1/models"
        assert httpx.get(models).status_code == 401
        assert httpx.get(models, headers={"Authorization": "Bearer secret"}).status_code == 200
