"""Command lines of the environments in which commands run."""

import os
import subprocess

import pytest

from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.toolbox.terminal.environments.docker import DockerEnvironment
from workbench.toolbox.terminal.environments.singularity import (
    SingularityEnvironment,
    singularity_environment,
)
from workbench.toolbox.terminal.environments.ssh import SshEnvironment
from workbench.toolbox.terminal.script import COMMAND_VARIABLE, marked
from workbench.toolbox.terminal.setting import parse_environment


def test_docker_runs_containers_without_network_and_privileges():
    environment = DockerEnvironment(image="debian:12")
    assert environment.open_line("se/ss ion", "name") == [
        "docker", "run", "--detach", "--rm", "--init", "--name", "name", "--label", "hermes-workbench",
        "--network", "none", "--memory", "512m", "--pids-limit", "256",
        "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
        "--volume", "hermes-workbench-se-ss-ion:/workspace", "--workdir", "/workspace",
        "--entrypoint", "sh", "debian:12", "-c", "while :; do sleep 86400; done",
    ]  # fmt: skip
    assert environment.line("ls", task_id="t", room="name") == ["docker", "exec", "name", "sh", "-c", "ls"]
    assert "--tty" in environment.line("ls", task_id="t", room="name", has_terminal=True)
    assert environment.opening("t", "/workspace/x y") == "cd -- '/workspace/x y' || exit 1\n"


def test_singularity_runs_instances_without_network_and_host_files(tmp_path):
    environment = SingularityEnvironment(image="a.sif", base=tmp_path)
    line = environment.open_line("se/ss ion", "name")
    text = " ".join(line)
    for part in (
        "--containall",
        "--no-home",
        "--net --network none",
        "--no-privs",
        f"--bind {tmp_path}/se-ss-ion/work:/workspace",
    ):
        assert part in text
    assert line[-2:] == ["a.sif", "name"]
    assert "--cleanenv" in environment.line("ls", task_id="t", room="name")


def test_a_singularity_image_is_a_file_an_address_or_a_name_on_docker_hub(tmp_path):
    (tmp_path / "a.sif").touch()
    for given, image in (
        (str(tmp_path / "a.sif"), str(tmp_path / "a.sif")),
        ("debian:12", "docker://debian:12"),
        ("library://debian", "library://debian"),
    ):
        assert singularity_environment(given, tmp_path).image == image


def test_ssh_never_asks_for_a_password_and_quotes_the_text_once():
    line = SshEnvironment(host="me@box", port=2222).line("echo 'a'", task_id="t")
    assert line[:8] == ["ssh", "-T", "-p", "2222", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
    assert line[8:10] == ["--", "me@box"]
    assert line[10] == "sh -c 'echo '\"'\"'a'\"'\"''"


def test_the_text_of_a_command_does_not_look_like_a_marked_process():
    text = marked("sleep 1", "a.1.")
    assert f"{COMMAND_VARIABLE}=a.1." not in text
    environment = {**os.environ, "SSH_ORIGINAL_COMMAND": text}
    done = subprocess.run(["sh", "-c", marked("exit 4", "a.1.")], env=environment, check=False)
    assert done.returncode == 4


def test_rooms_of_different_tasks_and_processes_have_different_names():
    environment = DockerEnvironment(image="x")
    names = {environment.room_name(task, owner) for task in ("a/b", "a-b", "") for owner in ("1", "2")}
    assert len(names) == 6
    assert environment.room_name("a", "1") == environment.room_name("a", "1")


def test_the_setting_is_parsed_into_an_environment(tmp_path):
    assert parse_environment("mock", tmp_path) is None
    assert parse_environment("docker:debian:12", tmp_path) == DockerEnvironment(image="debian:12")
    assert parse_environment("ssh:me@box:2222", tmp_path) == SshEnvironment(host="me@box", port=2222)
    assert isinstance(parse_environment("singularity:debian:12", tmp_path), SingularityEnvironment)
    for bad in (
        "",
        "docker",
        "docker:",
        "docker:--privileged",
        "ssh:-oProxyCommand=x",
        "ssh:box:x",
        "singularity:",
        "modal",
    ):
        with pytest.raises(BadInput, match="is not an environment"):
            parse_environment(bad, tmp_path)


def test_a_real_terminal_must_be_allowed_and_is_refused_on_a_space():
    with pytest.raises(BadInput, match="WORKBENCH_ALLOW_TERMINAL=1"):
        read_settings({"WORKBENCH_TERMINAL": "local"})
    with pytest.raises(BadInput, match="Space"):
        read_settings({"WORKBENCH_TERMINAL": "local", "WORKBENCH_ALLOW_TERMINAL": "1", "SPACE_ID": "x/y"})
    assert read_settings({"WORKBENCH_TERMINAL": "local", "WORKBENCH_ALLOW_TERMINAL": "1"}).terminal == "local"
    assert read_settings({}).terminal == "mock"
