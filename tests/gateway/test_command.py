"""`workbench gateway` and `workbench serve --gateway` as processes, with the command lines of the documentation."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from textwrap import dedent

import httpx
import pytest

from tests.databases import put_database
from tests.engines.remote import scripted_server as servers
from tests.gateway.serving import ANSWER, CALL, QUESTION, WEATHER
from tests.services import CHECKOUT
from workbench.app.passwords import hash_password

PAGE = CHECKOUT / "docs/how-to/serve-a-contract.md"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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


def lines_of_page():
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in dedent(block).splitlines()]


@pytest.mark.slow
@pytest.mark.long
def test_the_command_lines_of_the_page_run_from_top_to_bottom(tmp_path):
    """The gateway of each `workbench gateway` answers the lines up to the next one, from a free port."""
    gateways = [0]
    lines = lines_of_page()
    starts = [index for index, line in enumerate(lines) if line.startswith("workbench gateway")]
    assert lines[0] == "workbench gateway" and len(starts) == 3
    with servers.scripted_server(servers.said("Hello.")) as server:
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            port = free_port()
            variables = environment(
                tmp_path, CALL.replace("<tool_call>\n", ""), ANSWER, WORKBENCH_GATEWAY_PORT=str(port)
            )
            if "0.0.0.0" in lines[start]:
                variables["WORKBENCH_GATEWAY_KEYS"] = f"agent:{hash_password('secret', n=2**4)}"
            with running(lines[start].replace("http://127.0.0.1:8000/v1", server.url), variables) as url:
                if "0.0.0.0" in lines[start]:
                    headers = {"Authorization": "Bearer secret"}
                    models = f"http://127.0.0.1:{port}/v1/models"
                    assert httpx.get(models).status_code == 401
                    assert httpx.get(models, headers=headers).status_code == 200
                elif "--upstream" in lines[start]:
                    body = {"model": "hermes", "messages": QUESTION}
                    answer = httpx.post(f"{url}/chat/completions", json=body, timeout=30).json()
                    assert answer["choices"][0]["message"]["content"] == "Hello."
                for line in lines[start + 1 : end]:
                    gateways[0] += _run(line, port, variables)
    assert gateways[0] >= 5


def _run(line, port, variables):
    """Run a curl line against the gateway. Return 1 if it was one."""
    if not line.startswith("curl"):
        assert line.startswith(("export ", "workbench auth hash")), line
        return 0
    line = line.replace("127.0.0.1:7861", f"127.0.0.1:{port}").replace('"embedded"', '"scripted:one"')
    line = line.replace("minimal/embedded", "minimal/scripted:one")
    done = subprocess.run(
        ["/bin/sh", "-c", line], env=variables, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"error"' not in done.stdout and done.stdout.startswith(("{", "data: ")), done.stdout
    return 1
