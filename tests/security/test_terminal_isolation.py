"""Commands see nothing of ours in a sandbox and little as another user. Without both, the summary says so."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from tests.toolbox.terminal.sites import terminal_of
from workbench.toolbox.approval.allowed import detect
from workbench.toolbox.registry import Registry
from workbench.toolbox.terminal.environments.docker import DockerEnvironment
from workbench.toolbox.terminal.environments.local import LocalEnvironment, isolated
from workbench.toolbox.terminal.environments.singularity import SingularityEnvironment
from workbench.toolbox.terminal.environments.ssh import SshEnvironment
from workbench.toolbox.terminal.isolation import (
    Isolation,
    bubblewrap_line,
    find_isolation,
    make_base,
    unprivileged_user,
)
from workbench.toolbox.terminal.script import COMMAND_VARIABLE, write_script
from workbench.toolbox.terminal.setting import parse_environment

SECRETS = {
    "HF_TOKEN": "hf_x", "OPENAI_API_KEY": "sk-x", "WORKBENCH_AUTH": "ana:x", "SSH_AUTH_SOCK": "/run/agent", "DOCKER_HOST": "tcp://x",
    "AWS_SECRET_ACCESS_KEY": "x", "LD_PRELOAD": "", "BASH_ENV": "/x", "PYTHONPATH": "/x", "GIT_SSH_COMMAND": "x",
}  # fmt: skip
needs_sandbox = pytest.mark.skipif(
    find_isolation() is not Isolation.SANDBOX, reason="Bubblewrap is not installed or does not work here"
)
needs_root = pytest.mark.skipif(not unprivileged_user(), reason="only root can run commands as another user")


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "workbench.sqlite3").write_text("everything of everybody")
    return folder


def terminal_in(data, isolation, **fields):
    environment = LocalEnvironment(base=make_base(data, isolation), data=data, isolation=isolation, **fields)
    return terminal_of(environment, {**os.environ, **SECRETS, "LC_ALL": "C.UTF-8"}, data)


def output(terminal, command, **arguments):
    return str(terminal.run({"command": command, **arguments}, task_id="t")["output"])


@pytest.mark.parametrize(
    "isolation",
    [
        Isolation.NONE,
        pytest.param(Isolation.USER, marks=needs_root),
        pytest.param(Isolation.SANDBOX, marks=needs_sandbox),
    ],
)
def test_commands_see_none_of_our_variables_and_have_their_own_home(data, isolation):
    terminal = terminal_in(data, isolation)
    seen = dict(line.split("=", 1) for line in output(terminal, "env").splitlines())
    assert not set(SECRETS) & set(seen)
    assert set(seen) <= {
        "PATH",
        "LANG",
        "LC_ALL",
        "TERM",
        "HOME",
        "TMPDIR",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
        "PAGER",
        "GIT_PAGER",
        COMMAND_VARIABLE,
    } | {name for name in seen if name.startswith("GIT_CONFIG_")}
    assert seen["HOME"] != os.environ.get("HOME")
    assert output(terminal, "cd; echo a > note; cd - > /dev/null; cat ~/note") == "a\n"
    assert output(terminal, "ulimit -t; ulimit -c") == "600\n0\n"


@needs_sandbox
def test_a_sandbox_hides_the_data_the_homes_and_the_network(data, tmp_path):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        terminal = terminal_in(data, Isolation.SANDBOX)
        for path in (data / "workbench.sqlite3", Path("/etc/shadow"), Path(__file__), Path.home()):
            assert output(terminal, f"test -e {path} && echo seen; true") == ""
        assert "everything" not in output(terminal, f"cat {data}/workbench.sqlite3 2>&1")
        assert "reached" not in output(
            terminal, f"bash -c 'echo > /dev/tcp/127.0.0.1/{port} && echo reached' 2>&1"
        )
    assert output(terminal, "touch /usr/x /etc/x 2>/dev/null || echo no") == "no\n"
    assert output(terminal, "ps -e 2>/dev/null | wc -l || echo 0").strip() in {
        str(count) for count in range(12)
    }
    assert output(terminal, "echo mine > a; cat a") == "mine\n"
    assert (data / "terminal/t/work/a").read_text() == "mine\n"
    assert terminal.run({"command": "cat a"}, task_id="other")["exit_code"] != 0


@needs_sandbox
def test_a_shared_folder_hides_its_variables_and_protects_git_hooks(data, tmp_path):
    work = tmp_path / "project"
    (work / ".git/hooks").mkdir(parents=True)
    (work / ".git/config").write_text("[core]\n")
    (work / ".env").write_text("KEY=secret")
    (work / "a.txt").write_text("a")
    terminal = terminal_in(data, Isolation.SANDBOX, shared=str(work))
    assert "secret" not in output(terminal, "cat a.txt .env 2>&1; echo b > b.txt")
    assert (work / "b.txt").read_text() == "b\n"
    assert (
        output(terminal, "echo x > .git/hooks/pre-commit || echo no; echo y >> .git/config || echo no").count(
            "no\n"
        )
        == 2
    )
    assert output(terminal, "test -t 1 && echo yes", pty=True).strip() == "yes"


@needs_root
def test_another_user_reads_neither_our_data_nor_root_s_files(data):
    data.chmod(0o700)
    terminal = terminal_in(data, Isolation.USER)
    assert output(terminal, "id -un; id -G | wc -w") == f"{unprivileged_user()}\n1\n"
    assert "everything" not in output(terminal, f"cat {data}/workbench.sqlite3 2>&1")
    assert "denied" in output(terminal, "cat /etc/shadow 2>&1")
    assert output(terminal, "echo mine > a; mkdir sub; cd sub; cat ../a") == "mine\n"
    assert output(terminal, "basename $PWD") == "sub\n"
    started = terminal.run({"command": "sleep 60", "background": True}, task_id="t")["process_id"]
    assert terminal.process({"action": "kill", "process_id": started}, task_id="t")["status"] == "ended"


def test_the_command_line_of_the_sandbox(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    hidden = work / ".env"
    hidden.write_text("x")
    line = bubblewrap_line(
        ["sh", "-c", "ls"], work=work, home=tmp_path / "home", temporary=tmp_path / "tmp", hidden=[hidden]
    )
    text = " ".join(line)
    assert line[0] == "bwrap" and line[-4:] == ["--", "sh", "-c", "ls"]
    for part in (
        "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop ALL", "--ro-bind-try /usr /usr", f"--bind {tmp_path}/tmp /tmp",
        f"--bind {work} {work} --ro-bind /dev/null {hidden}", f"--ro-bind-try {work}/.git/hooks {work}/.git/hooks", f"--chdir {work}",
    ):  # fmt: skip
        assert part in text
    assert "--share-net" not in line
    writable = [line[place + 2] for place, part in enumerate(line) if part == "--bind"]
    assert writable == ["/tmp", str(work), str(tmp_path / "home")]
    assert not any(path in ("/", "/home", "/root", "/etc", "/run", "/var") for path in line)
    assert "--new-session" not in bubblewrap_line(
        ["sh"], work=work, home=work, temporary=work, has_terminal=True
    )


def test_the_best_isolation_is_chosen_and_described(data):
    environment = isolated(LocalEnvironment(), data)
    assert environment.isolation is find_isolation()
    assert environment.place("t", "").is_contained is (environment.isolation is Isolation.SANDBOX)
    summaries = {kind: LocalEnvironment(isolation=kind, base=data).summary for kind in Isolation}
    assert "sandbox" in summaries[Isolation.SANDBOX]
    assert "as the user" in summaries[Isolation.USER]
    assert (
        "your own permissions" in summaries[Isolation.NONE]
        and "Install bubblewrap" in summaries[Isolation.NONE]
    )
    # Where only pure readers run unasked, `workbench doctor` and the page say so.
    for kind, summary in [*summaries.items(), ("ssh", SshEnvironment(host="h").summary)]:
        assert ("short list of pure readers" in summary) is (kind is not Isolation.SANDBOX)
    registry = Registry()
    assert terminal_of(environment, {}, data).register_tools(registry) == (
        f"Terminal: {environment.summary}",
    )
    assert DockerEnvironment(image="x").place("t", "").is_contained
    assert SingularityEnvironment(image="x", base=data).place("t", "").is_contained
    assert not SshEnvironment(host="h").place("t", "").is_contained
    shared = parse_environment(f"local:{data}", data)
    assert isinstance(shared, LocalEnvironment)
    assert (shared.shared, shared.isolation) == (str(data.resolve()), find_isolation())


def test_the_folder_in_a_container_is_known(data):
    for folder, known in (
        ("", ""),
        ("/workspace", ""),
        ("/workspace/a/b", "a/b"),
        ("a", "a"),
        ("a/../..", "/"),
        ("/etc", "/etc"),
    ):
        place = DockerEnvironment(image="x").place("t", folder)
        assert (place.root, place.folder) == ("/workspace", known)


def test_docker_and_ssh_get_the_variables_that_their_programs_need():
    given = {**SECRETS, "PATH": "/bin", "HOME": "/home/me"}
    for environment in (DockerEnvironment(image="x"), SshEnvironment(host="h")):
        assert set(environment.variables(given, "t")) == {"PATH", "HOME", "SSH_AUTH_SOCK", "DOCKER_HOST"}


@pytest.mark.parametrize(("folder", "reported"), [("", "."), ("far away", "far away"), ("/", "/")])
def test_a_folder_inside_the_home_is_reported_relative_to_it_over_ssh(tmp_path, folder, reported):
    (tmp_path / "far away").mkdir()
    environment = SshEnvironment(host="h")
    text = write_script("true", environment.opening("t", folder), reported=environment.reported)
    line = environment.line(text, task_id="t")[-1]
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith(f"__workbench_place__{reported}")
    is_inside = not reported.startswith("/")
    gate_place = SshEnvironment(host="h").place("t", reported)
    assert (
        any("outside the working" in reason for reason in detect("echo x > note.txt", gate_place).categories)
        is not is_inside
    )


def test_approval_knows_the_folder_in_which_the_last_command_ended(data):
    terminal = terminal_in(data, Isolation.NONE)
    terminal.run({"command": "mkdir a; cd a"}, task_id="t")
    assert terminal.place("t", "").folder == "a"
    terminal.run({"command": "ln -s /etc out; cd out"}, task_id="t")
    assert terminal.place("t", "").folder == "/etc", "a link leads out of the folder"
    assert terminal.place("t", "a/..").folder == ""
    assert terminal.place("t", "/etc").folder == "/etc"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_runs_no_program_that_a_repository_names(data):
    terminal = terminal_in(data, Isolation.NONE)
    work = data / "terminal/t/work"
    output(terminal, "git init -q . && git config user.email a@b.c && git config user.name a")
    marker = work / "marker"
    for setting in ("core.fsmonitor", "core.pager"):
        subprocess.run(["git", "config", setting, f"touch {marker}"], cwd=work, check=True)
    (work / ".git/hooks").mkdir(exist_ok=True)
    hook = work / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    output(terminal, "echo a > f; git add f; git status; git commit -qm x; git log; git diff", pty=True)
    assert not marker.exists()
    bare = data / "terminal/t/work/bare"
    for name in ("objects", "refs"):
        (bare / name).mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n")
    (bare / "config").write_text(f"[core]\nbare = false\nworktree = .\nfsmonitor = touch {marker}\n")
    output(terminal, "cd bare && git status; cd ..")
    assert not marker.exists()
