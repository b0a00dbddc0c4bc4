"""Real environments for the checks: each says how it is reached, or why it cannot be used here."""

import getpass
import importlib.util
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.toolbox.terminal.environment import TerminalEnvironment
from workbench.toolbox.terminal.environments.docker import DockerEnvironment
from workbench.toolbox.terminal.environments.local import LocalEnvironment
from workbench.toolbox.terminal.environments.singularity import singularity_environment
from workbench.toolbox.terminal.environments.ssh import SshEnvironment
from workbench.toolbox.terminal.isolation import Isolation, find_isolation, make_base, unprivileged_user
from workbench.toolbox.terminal.leftovers import end_all_leftovers
from workbench.toolbox.terminal.programs import ProgramBackend
from workbench.toolbox.terminal.record import FOLDER, Record
from workbench.toolbox.terminal.tool import Terminal

DOCKER_IMAGE = os.environ.get("TERMINAL_TEST_DOCKER_IMAGE", "busybox")
SINGULARITY_IMAGE = os.environ.get("TERMINAL_TEST_SINGULARITY_IMAGE", "")
SECRETS = {"HF_TOKEN": "hf_hidden", "OPENAI_API_KEY": "sk-hidden"}
SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


class Missing(Exception):
    """Why an environment cannot be used here."""


@dataclass(frozen=True)
class Site:
    """An environment that can be opened again, in this process or in another one."""

    kind: str
    data: str
    details: dict[str, Any] = field(default_factory=dict)

    def lines(self):
        """Return the command lines of the environment."""
        data = Path(self.data)
        if self.kind in set(Isolation):
            isolation = Isolation(self.kind)
            return LocalEnvironment(base=make_base(data, isolation), data=data, isolation=isolation)
        if self.kind == "docker":
            return DockerEnvironment(**self.details)
        if self.kind == "singularity":
            return singularity_environment(self.details["image"], data)
        return SshEnvironment(**{**self.details, "options": tuple(self.details["options"])})

    def backend(self):
        if self.kind == "daytona":
            from workbench.toolbox.terminal.environments.daytona import DaytonaBackend

            return DaytonaBackend("debian:12")
        if self.kind == "modal":
            from workbench.toolbox.terminal.environments.modal import ModalBackend

            return ModalBackend("debian:12")
        return ProgramBackend(self.lines(), {**os.environ, **SECRETS})

    def environment(self):
        return TerminalEnvironment(self.backend(), Record(Path(self.data), self.kind))

    def terminal(self):
        return Terminal(self.environment())

    @property
    def records(self):
        """Files that say what runs."""
        return sorted((Path(self.data) / FOLDER).glob("*"))

    def end_leftovers(self):
        thread = end_all_leftovers(Path(self.data), lambda _: self.backend())
        if thread is not None:
            thread.join(60)

    @contextmanager
    def other_process(self, command):
        """Start a process that opens the environment and starts a background command, and yield it when it runs."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.toolbox.terminal.sites", json.dumps(asdict(self)), command],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"running\n"
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def terminal_of(lines, variables, data):
    """Return a terminal that uses command lines."""
    return Terminal(TerminalEnvironment(ProgramBackend(lines, variables), Record(data, "test")))


def sleeps(number):
    """Return how many processes `sleep NUMBER` run on this machine, in whichever container."""
    found = 0
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            line = process.cmdline()
            found += line[-2:] == ["sleep", str(number)] and process.status() != psutil.STATUS_ZOMBIE
    return found


def until(condition, seconds=20):
    """Wait for a condition, and return its last value."""
    deadline_s = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    return value


def new_number():
    """Return a number of seconds that no other process sleeps."""
    return 100_000 + secrets.randbelow(900_000_000)


@contextmanager
def local(kind, data):
    if kind == "sandbox" and find_isolation() is not Isolation.SANDBOX:
        raise Missing("Bubblewrap is not installed or does not work here")
    if kind == "user" and not unprivileged_user():
        raise Missing("only root can run commands as another user")
    yield Site(kind, str(data))


@contextmanager
def docker(kind, data):
    if shutil.which("docker") is None:
        raise Missing("the program docker is not installed")
    for line, reason in (
        (["docker", "version"], "no Docker daemon answers"),
        (["docker", "image", "inspect", DOCKER_IMAGE], f"the image {DOCKER_IMAGE} is not there"),
    ):
        if subprocess.run(line, capture_output=True, check=False, timeout=30).returncode != 0:
            raise Missing(reason)
    yield Site(kind, str(data), {"image": DOCKER_IMAGE})


@contextmanager
def singularity(kind, data):
    if shutil.which("apptainer") is None and shutil.which("singularity") is None:
        raise Missing("neither apptainer nor singularity is installed")
    if not SINGULARITY_IMAGE:
        raise Missing("TERMINAL_TEST_SINGULARITY_IMAGE names no image")
    # The program may run as another user than the tests.
    for folder in (data, *data.parents):
        with suppress(OSError):
            folder.chmod(folder.stat().st_mode | 0o011)
    for task in TASKS:
        work = data / "terminal" / task / "work"
        work.mkdir(parents=True)
        for folder in (work, work.parent, work.parent.parent):
            folder.chmod(0o777)
    yield Site(kind, str(data), {"image": SINGULARITY_IMAGE})


@contextmanager
def ssh(kind, data):
    """Start sshd on a free loopback port with its own key."""
    if not Path(SSHD).exists():
        raise Missing("openssh-server is not installed")
    key, host, home = data / "key", data / "host", data / "home"
    home.mkdir()
    for path in (key, host):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    shutil.copy(key.with_suffix(".pub"), data / "authorized")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = data / "config"
    # SHLVL: otherwise Bash reads the `.bashrc` of the person who runs the tests, which can write into a command's output.
    config.write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {host}\nAuthorizedKeysFile {data}/authorized\n"
        f"StrictModes no\nPasswordAuthentication no\nUsePAM no\nPidFile {data}/pid\nPermitRootLogin yes\n"
        f"MaxStartups 100\nSetEnv SHLVL=1\nForceCommand sh {data}/in-home\n"
    )
    (data / "in-home").write_text(f'cd {home}\nexport HOME={home}\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n')
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(config)], stderr=subprocess.DEVNULL)
    options = (
        f"IdentityFile={key}", "StrictHostKeyChecking=no", f"UserKnownHostsFile={data}/known", "LogLevel=ERROR",
    )  # fmt: skip

    def answers():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        assert until(answers)
        yield Site(
            kind, str(data), {"host": f"{getpass.getuser()}@127.0.0.1", "port": port, "options": options}
        )
    finally:
        server.terminate()
        server.wait(10)


@contextmanager
def cloud(kind, data):
    """Start a server of the service's protocol for the real package."""
    if importlib.util.find_spec(kind) is None:
        raise Missing(f"the package {kind} is not installed")
    if find_isolation() is not Isolation.SANDBOX:
        raise Missing("Bubblewrap, which the test server uses, is not installed or does not work here")
    if kind == "modal":
        from tests.toolbox.terminal.modal_server import ModalServer

        server = ModalServer(data / "machines")
        account = {"MODAL_SERVER_URL": server.url, "MODAL_TOKEN_ID": "ak-x", "MODAL_TOKEN_SECRET": "as-x"}
    else:
        from tests.toolbox.terminal.daytona_server import DaytonaServer

        server = DaytonaServer(data / "machines")
        account = {"DAYTONA_API_URL": server.url, "DAYTONA_API_KEY": "key"}
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in account.items():
                patch.setenv(name, value)
            yield Site(kind, str(data))
        assert server.networks <= {"BLOCKED", True}
    finally:
        server.close()


TASKS = ("t", "other", "third", "fourth")
SITES = {
    "sandbox": local, "user": local, "none": local, "docker": docker, "singularity": singularity, "ssh": ssh,
    "modal": cloud,
    "daytona": cloud,
}  # fmt: skip
"""Opens each kind of environment. `sandbox`, `user` and `none` are `local` with each kind of isolation."""


def main():
    """Open an environment, start a background command, say so, and never end."""
    details = json.loads(sys.argv[1])
    terminal = Site(**details).terminal()
    terminal.run({"command": sys.argv[2], "background": True}, task_id="t")
    print("running", flush=True)
    while True:
        time.sleep(60)


if __name__ == "__main__":
    main()
