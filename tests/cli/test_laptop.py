"""A person at their own machine is asked nothing, and nothing leaves the machine.

The tutorial's command lines run in a fresh folder, and so does the command of `make run`.
"""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest

from tests.databases import put_database
from tests.security.hostile_folder import WORKBENCH
from tests.security.visitor import Visitor
from tests.served import free_port, write_script

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]
TUTORIAL = (CHECKOUT / "docs/tutorial/first-conversation.md").read_text(encoding="utf-8")
QUESTIONS = re.compile(r"\[[yY]/[nN]\]|not loaded|workbench trust|sandbox|Allow|Traceback")
CALL = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo"}}\n</tool_call>'
PATIENCE_S = 100
AUDIT = """
import socket, sys

def note(event, arguments):
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto"):
        host = arguments[1] if arguments[0].family == socket.AF_UNIX else arguments[1][0]
    else:
        return
    with open({log!r}, "a") as file:
        print(host, file=file)

sys.addaudithook(note)
"""
"""Python runs this as `sitecustomize` in each process, and it writes down where a process sends something."""
OWN = re.compile(r"127\.0\.0\.1|::1|localhost|None|/.*")


@pytest.fixture
def variables(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a person without settings, and with a model that answers at once.

    At the end, the processes that had it must have sent nothing to other machines.
    """
    script = write_script(tmp_path / "script.yaml", CALL, "It is 42.")
    put_database(tmp_path / "data")
    (audit := tmp_path / "audit").mkdir()
    log = audit / "hosts"
    log.touch()
    (audit / "sitecustomize.py").write_text(AUDIT.format(log=str(log)), encoding="utf-8")
    yield {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": f"{audit}:{CHECKOUT}",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "WORKBENCH_MODEL": f"scripted:{script}",
        "WORKBENCH_DATA": str(tmp_path / "data"),
        "WORKBENCH_PORT": str(free_port()),
    }
    asked = log.read_text(encoding="utf-8").split("\n")[:-1]
    assert not [host for host in asked if not OWN.fullmatch(host)]


@contextmanager
def terminal(
    place: Path, variables: dict[str, str], *arguments: str
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Start a command at a terminal at which nobody types anything."""
    own, other = pty.openpty()
    process = subprocess.Popen(
        [*WORKBENCH, *arguments], cwd=place, env=variables, stdin=other, stdout=other, stderr=other
    )
    os.close(other)
    try:
        yield own, process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        os.close(own)


def shown_at(own: int, until: str = "") -> str:
    """Return what a command shows, up to a text or its end. A question that waits for an answer fails the test."""
    shown, until_s = "", time.monotonic() + PATIENCE_S
    while not (until and until in shown):
        assert time.monotonic() < until_s, f"it waits: {shown[-500:]}"
        if not select.select([own], [], [], 1)[0]:
            continue
        try:
            piece = os.read(own, 4096)
        except OSError:  # The command has ended.
            break
        shown += piece.decode(errors="replace")
    return shown


def test_the_command_lines_of_the_tutorial_ask_nothing(tmp_path: Path, variables: dict[str, str]) -> None:
    (tmp_path / "fresh").mkdir()
    [block] = re.findall(r"```sh\n(.*?)```", TUTORIAL, re.DOTALL)
    lines = [line.removeprefix("workbench ") for line in dedent(block).splitlines()]
    assert [line.split()[0] for line in lines] == ["chat", "run"]
    for line in lines:
        arguments = re.findall(r'"([^"]*)"|(\S+)', line)
        with terminal(tmp_path / "fresh", variables, *(quoted or plain for quoted, plain in arguments)) as (
            own,
            process,
        ):
            shown = shown_at(own)
            assert process.wait(timeout=30) in (0, 1), shown
        assert not QUESTIONS.search(shown), shown
        assert "It is 42." in shown or "everyday" in shown, shown


def test_a_connection_to_another_machine_would_be_noticed(variables: dict[str, str]) -> None:
    log = Path(variables["PYTHONPATH"].partition(":")[0]) / "hosts"
    ask = "import socket\ntry: socket.create_connection(('192.0.2.1', 9), timeout=0.01)\nexcept OSError: pass"
    subprocess.run([sys.executable, "-c", ask], env=variables, check=True)
    assert "192.0.2.1" in log.read_text(encoding="utf-8").splitlines()
    log.write_text("", encoding="utf-8")


def test_make_run_asks_nothing_and_a_turn_of_the_tutorial_runs(variables: dict[str, str]) -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    [command] = re.findall(r"^run:.*\n\t@\$\(VENV\)/bin/workbench (.*)$", makefile, re.MULTILINE)
    with terminal(CHECKOUT, variables, *command.split()) as (own, _):
        shown = shown_at(own, " is running at ")
        assert not QUESTIONS.search(shown), shown
        visitor = Visitor(f"http://127.0.0.1:{variables['WORKBENCH_PORT']}")
        question = "What is the flumbuster reading for cairo?"
        answer = visitor.call("chat", question, None, ["nonsense"], *[None] * 8)
        visitor.close()
    assert answer.is_success and "It is 42." in str(answer.output), answer.output
