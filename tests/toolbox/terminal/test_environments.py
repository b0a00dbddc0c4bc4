"""Command lines of the environments in which commands run."""

import pytest

from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.toolbox.terminal.environments import (
    DockerEnvironment,
    LocalEnvironment,
    SshEnvironment,
    parse_environment,
    script,
)


def test_docker_runs_containers_without_network_and_privileges():
    line = DockerEnvironment(image="debian:12").line(
        "ls; echo 'a b'", folder="/workspace/x y", task_id="se/ss ion"
    )
    assert line == [
        "docker", "run", "--rm", "--init", "--network", "none", "--memory", "512m", "--pids-limit", "256",
        "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
        "--volume", "hermes-workbench-se-ss-ion:/workspace", "--workdir", "/workspace",
        "debian:12", "sh", "-c", script("ls; echo 'a b'", "/workspace/x y"),
    ]  # fmt: skip
    assert line[-1].startswith("cd -- '/workspace/x y' || exit 1\nls; echo 'a b'\n")
    assert "--tty" in DockerEnvironment(image="a").line("ls", folder="", task_id="", has_terminal=True)


def test_ssh_never_asks_for_a_password_and_quotes_the_script_once():
    line = SshEnvironment(host="me@box", port=2222).line("echo 'a'", folder="", task_id="t")
    assert line[:8] == ["ssh", "-T", "-p", "2222", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
    assert line[8:10] == ["--", "me@box"]
    assert line[10].startswith("sh -c 'echo '")


def test_the_setting_is_parsed_into_an_environment():
    assert parse_environment("mock") is None
    assert parse_environment("local") == LocalEnvironment()
    assert parse_environment("docker:debian:12") == DockerEnvironment(image="debian:12")
    assert parse_environment("ssh:me@box:2222") == SshEnvironment(host="me@box", port=2222)
    for bad in ("", "docker", "docker:", "docker:--privileged", "ssh:-oProxyCommand=x", "ssh:box:x", "modal"):
        with pytest.raises(BadInput, match="is not an environment"):
            parse_environment(bad)


def test_a_real_terminal_must_be_allowed_and_is_refused_on_a_space():
    with pytest.raises(BadInput, match="WORKBENCH_ALLOW_TERMINAL=1"):
        read_settings({"WORKBENCH_TERMINAL": "local"})
    with pytest.raises(BadInput, match="Space"):
        read_settings({"WORKBENCH_TERMINAL": "local", "WORKBENCH_ALLOW_TERMINAL": "1", "SPACE_ID": "x/y"})
    assert read_settings({"WORKBENCH_TERMINAL": "local", "WORKBENCH_ALLOW_TERMINAL": "1"}).terminal == "local"
    assert read_settings({}).terminal == "mock"
