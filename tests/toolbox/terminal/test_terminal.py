"""The tools `terminal` and `process`, with commands on this machine."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from tests.toolbox.terminal.sites import terminal_of
from workbench.toolbox.registry import Registry
from workbench.toolbox.terminal.environments.docker import DockerEnvironment
from workbench.toolbox.terminal.environments.local import LocalEnvironment
from workbench.toolbox.terminal.record import FOLDER
from workbench.toolbox.terminal.tool import MOST_BACKGROUND


@pytest.fixture
def terminal(tmp_path):
    terminal = terminal_of(LocalEnvironment(), {**os.environ, "MY_API_KEY": "hidden"}, tmp_path / "data")
    yield terminal
    terminal.close()


def run(terminal, command, task="t", **arguments):
    return terminal.run({"command": command, **arguments}, task_id=task)


def test_each_task_has_its_own_working_folder_which_stays_between_calls(terminal, tmp_path):
    run(terminal, f"cd {tmp_path}")
    assert run(terminal, "pwd")["output"] == f"{tmp_path}\n"
    assert run(terminal, "pwd", task="other")["output"] != f"{tmp_path}\n"
    assert run(terminal, "pwd", workdir="/")["output"] == "/\n"
    assert run(terminal, "pwd", workdir="/no such")["exit_code"] == 1


@pytest.mark.slow
def test_calls_at_the_same_time_do_not_exceed_the_limit_of_background_processes(terminal):
    count = MOST_BACKGROUND + 4
    together = Barrier(count)

    def start(_number):
        together.wait()
        return run(terminal, "sleep 300", background=True)

    with ThreadPoolExecutor(count) as pool:
        answers = [*pool.map(start, range(count))]
    assert sum("process_id" in answer for answer in answers) == MOST_BACKGROUND
    listed = terminal.process({"action": "list"}, task_id="t")["processes"]
    assert len(listed) == MOST_BACKGROUND


def test_commands_do_not_see_our_keys(terminal):
    assert run(terminal, "echo [$MY_API_KEY]")["output"] == "[]\n"


def test_the_real_terminal_replaces_the_mock_and_a_missing_program_is_reported(tmp_path):
    registry = Registry()
    registry.register("terminal", "terminal", {"parameters": {}}, lambda arguments: "mock")
    terminal_of(DockerEnvironment(image="x", program="no-such-program"), {}, tmp_path).register_tools(
        registry
    )
    assert {tool.reason for tool in registry.availability()} == {
        "the program 'no-such-program' is not installed"
    }
    assert registry.toolsets().resolve("terminal") == ("terminal", "process")


def test_a_room_that_cannot_be_opened_is_reported_and_leaves_no_record(tmp_path):
    broken = tmp_path / "docker"
    broken.write_text("#!/bin/sh\n[ $1 = rm ] || { echo no such image >&2; exit 125; }\n")
    broken.chmod(0o755)
    lines = DockerEnvironment(image="x", program=str(broken))
    terminal = terminal_of(lines, dict(os.environ), tmp_path)
    with pytest.raises(OSError, match="no such image"):
        run(terminal, "true")
    assert not list((tmp_path / FOLDER).glob("*.json"))
    terminal.close()
    assert not list((tmp_path / FOLDER).glob("*"))
