"""Commands run for real: on this machine, and over ssh on the loopback interface."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from workbench.toolbox.registry import Registry
from workbench.toolbox.terminal.environments import DockerEnvironment, LocalEnvironment, SshEnvironment
from workbench.toolbox.terminal.processes import MAX_OUTPUT_BYTES
from workbench.toolbox.terminal.tool import MOST_BACKGROUND, Terminal

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


@pytest.fixture
def terminal():
    terminal = Terminal(LocalEnvironment(), {**os.environ, "MY_API_KEY": "hidden"})
    yield terminal
    terminal.close()


def run(terminal, command, task="t", **arguments):
    return terminal.run({"command": command, **arguments}, task_id=task)


def test_the_result_has_the_output_of_both_streams_and_the_exit_code(terminal):
    assert run(terminal, "echo out; echo err >&2; exit 3") == {"output": "out\nerr\n", "exit_code": 3}


def test_each_task_has_its_own_working_folder_which_stays_between_calls(terminal, tmp_path):
    run(terminal, f"cd {tmp_path}")
    assert run(terminal, "pwd")["output"] == f"{tmp_path}\n"
    assert run(terminal, "pwd", task="other")["output"] != f"{tmp_path}\n"
    assert run(terminal, "pwd", workdir="/")["output"] == "/\n"
    assert run(terminal, "pwd", workdir="/no such")["exit_code"] == 1


def test_commands_do_not_see_our_keys(terminal):
    assert run(terminal, "echo [$MY_API_KEY]")["output"] == "[]\n"


def test_a_command_that_takes_too_long_is_killed_with_its_children(terminal, tmp_path):
    mark = tmp_path / "mark"
    result = run(terminal, f"echo started; (sleep 3; touch {mark}) & sleep 60", timeout=1)
    assert result["output"] == "started\n"
    assert "over 1 s" in result["error"]
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run(["pgrep", "-f", str(mark)], check=True)


def test_a_background_child_does_not_delay_the_result(terminal):
    started_s = time.monotonic()
    assert run(terminal, "sleep 50 & echo done")["output"] == "done\n"
    assert time.monotonic() - started_s < 20


def test_a_long_output_is_cut_in_the_middle(terminal):
    output = run(terminal, "echo begin; head -c 5000000 /dev/zero | tr '\\0' x; echo end")["output"]
    assert len(output) < MAX_OUTPUT_BYTES + 100
    assert output.startswith("begin\n")
    assert output.endswith("end\n")
    assert "bytes left out" in output


def test_a_command_gets_a_terminal_with_pty(terminal):
    assert run(terminal, "test -t 1 && echo yes || echo no")["output"] == "no\n"
    assert run(terminal, "test -t 1 && echo yes || echo no", pty=True)["output"].strip() == "yes"


def test_background_processes_are_polled_and_killed(terminal):
    name = run(terminal, "echo up; sleep 60", background=True)["process_id"]
    deadline_s = time.monotonic() + 10
    while "up" not in terminal.process({"action": "poll", "process_id": name}, task_id="t")["output"]:
        assert time.monotonic() < deadline_s
    assert terminal.process({"action": "list"}, task_id="t")["processes"][0]["status"] == "running"
    assert terminal.process({"action": "list"}, task_id="other") == {"processes": []}
    killed = terminal.process({"action": "kill", "process_id": name}, task_id="t")
    assert killed["status"] == "ended"
    assert "no such process" in terminal.process({"action": "poll", "process_id": name}, task_id="t")["error"]


def test_the_number_of_background_processes_of_a_task_is_limited(terminal):
    for _ in range(MOST_BACKGROUND):
        run(terminal, "sleep 60", background=True)
    assert "kill one" in run(terminal, "sleep 60", background=True)["error"]


def test_the_real_terminal_replaces_the_mock_and_a_missing_program_is_reported():
    registry = Registry()
    registry.register("terminal", "terminal", {"parameters": {}}, lambda arguments: "mock")
    Terminal(DockerEnvironment(image="x", program="no-such-program"), {}).register_tools(registry)
    assert {tool.reason for tool in registry.availability()} == {
        "the program 'no-such-program' is not installed"
    }
    assert registry.toolsets().resolve("terminal") == ("terminal", "process")


@pytest.fixture
def sshd(tmp_path):
    """Start sshd on a free loopback port with its own key, and return the environment."""
    if not Path(SSHD).exists():
        pytest.skip("openssh-server is not installed")
    key, host = tmp_path / "key", tmp_path / "host"
    for path in (key, host):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    shutil.copy(key.with_suffix(".pub"), tmp_path / "authorized")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = tmp_path / "config"
    config.write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {host}\nAuthorizedKeysFile {tmp_path}/authorized\n"
        f"StrictModes no\nPasswordAuthentication no\nUsePAM no\nPidFile {tmp_path}/pid\nPermitRootLogin yes\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(config)], stderr=subprocess.DEVNULL)
    options = (
        f"IdentityFile={key}",
        "StrictHostKeyChecking=no",
        f"UserKnownHostsFile={tmp_path}/known",
        "LogLevel=ERROR",
    )
    deadline_s = time.monotonic() + 10
    while time.monotonic() < deadline_s:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
    yield SshEnvironment(host=f"{getpass.getuser()}@127.0.0.1", port=port, options=options)
    server.terminate()
    server.wait(10)


def test_commands_over_ssh_stay_in_their_folder(sshd, tmp_path):
    terminal = Terminal(sshd, dict(os.environ))
    folder = tmp_path / "remote folder"
    folder.mkdir()
    assert run(terminal, "echo $SSH_CONNECTION | cut -d' ' -f1; exit 4") == {
        "output": "127.0.0.1\n",
        "exit_code": 4,
    }
    run(terminal, f"cd '{folder}'")
    assert run(terminal, 'pwd; echo "it\'s"')["output"] == f"{folder}\nit's\n"
    assert "over 1 s" in run(terminal, "sleep 30", timeout=1)["error"]
