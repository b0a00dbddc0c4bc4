"""A machine that stands for a cloud sandbox: processes of this machine with their own `/tmp`, which end together."""

import os
import pty
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any


class MachineProcess:
    """A process with all its output."""

    def __init__(self, line, environment, *, has_terminal=False, has_input=False):
        self.output = {"stdout": bytearray(), "stderr": bytearray()}
        self.exit_code = None
        if has_terminal:
            source, target = pty.openpty()
            streams: dict[str, Any] = {"stdin": target, "stdout": target, "stderr": target}
        else:
            streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process: Any = subprocess.Popen(line, env=environment, start_new_session=True, **streams)
        if has_terminal:
            os.close(target)
            readers = [Thread(target=self._read, args=("stdout", source), daemon=True)]
        else:
            readers = [
                Thread(target=self._read, args=(name, getattr(self.process, name).fileno()), daemon=True)
                for name in self.output
            ]
            if not has_input:
                self.process.stdin.close()
            source = None
        for reader in readers:
            reader.start()
        Thread(target=self._wait, args=(readers, source), daemon=True).start()

    def _read(self, name, source):
        with suppress(OSError):
            while data := os.read(source, 65_536):
                self.output[name] += data

    def _wait(self, readers, terminal):
        code = self.process.wait()
        for reader in readers:
            reader.join(10)
        if terminal is not None:
            os.close(terminal)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        self.exit_code = code if code >= 0 else 128 - code


class CloudMachine:
    """Runs commands until it is ended."""

    def __init__(self, name, folder: Path):
        self.name = name
        self.is_running = True
        self.tmp = folder / name
        """Folder that is `/tmp` in the machine."""
        self.tmp.mkdir(parents=True)
        self._variable = f"TEST_CLOUD_MACHINE={name}"

    def start(self, text, **flags):
        """Start `sh` with this text."""
        line = [
            "bwrap",
            "--dev-bind",
            "/",
            "/",
            "--bind",
            str(self.tmp),
            "/tmp",
            "--chdir",
            "/tmp",
            "sh",
            "-c",
            text,
        ]
        name, _, value = self._variable.partition("=")
        return MachineProcess(line, {"PATH": os.environ["PATH"], "HOME": "/tmp", name: value}, **flags)

    def end(self):
        """Kill all processes, and refuse further ones."""
        self.is_running = False
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if self._variable.encode() + b"\0" in path.read_bytes():
                    os.kill(int(path.parent.name), signal.SIGKILL)
