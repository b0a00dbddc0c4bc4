"""The tools `terminal` and `process`: run commands in the task's folder, in the foreground or background."""

from collections.abc import Mapping, Sequence
from itertools import count
from threading import Lock, Thread
from typing import Any, Final

from workbench.chat.json_value import JsonObject
from workbench.toolbox.approval.reason import CommandEnvironment
from workbench.toolbox.registry import Registry
from workbench.toolbox.terminal.backend import ProcessOutcome
from workbench.toolbox.terminal.environment import TaskCommand, TerminalEnvironment
from workbench.toolbox.terminal.script import split_output

TOOLSET: Final = "terminal"
MAX_TIMEOUT_S: Final = 280
"""Longest time limit of a command. It is shorter than that of a call, so that the output is not lost."""
MOST_BACKGROUND: Final = 8
"""Most background processes of a task."""
_TOO_MANY: Final[JsonObject] = {"error": f"{MOST_BACKGROUND} processes run already; kill one"}

TERMINAL: Final[JsonObject] = {
    "description": "Run a shell command. The working folder stays from call to call.",
    "parameters": {
        "type": "object",
        "properties": {
            "command": {"type": "string", "minLength": 1, "description": "The command, as a shell takes it"},
            "background": {
                "type": "boolean",
                "description": "Do not wait; look after it with the tool process",
            },
            "timeout": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_TIMEOUT_S,
                "description": "Seconds, 60 if left out",
            },
            "pty": {"type": "boolean", "description": "Give it a terminal, for programs that insist"},
            "workdir": {"type": "string", "description": "Folder to run it in, from now on"},
        },
        "required": ["command"],
        "additionalProperties": False,
    },
}
PROCESS: Final[JsonObject] = {
    "description": "Look after background processes that the tool terminal has started.",
    "parameters": {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["list", "poll", "kill"], "description": "What to do"},
            "process_id": {"type": "string", "description": "Which one; not for list"},
        },
        "required": ["action"],
        "additionalProperties": False,
    },
}


class Terminal:
    """Runs the commands of many tasks in one environment.

    Args:
        environment: Where commands run.
        leftovers: Thread that ends what an earlier process has left running. `close` waits for it.
    """

    def __init__(self, environment: TerminalEnvironment, leftovers: Thread | None = None) -> None:
        self._environment = environment
        self._leftovers = leftovers
        self._folders: dict[str, str] = {}
        self._background: dict[str, dict[str, TaskCommand]] = {}
        self._numbers = count(1)
        self._lock = Lock()

    @property
    def command_tools(self) -> Sequence[str]:
        """Names of the tools that run commands."""
        return ("terminal", "process")

    def register_tools(self, registry: Registry) -> Sequence[str]:
        """Register the tools in place of the mock terminal. Return a line that says where commands run."""
        for name, schema, handler, emoji in (
            ("terminal", TERMINAL, self.run, "💻"),
            ("process", PROCESS, self.process, "⏳"),
        ):
            registry.register(name, TOOLSET, schema, handler, self.check, emoji=emoji, override=True)
        return (f"Terminal: {self._environment.summary}",)

    def place(self, task_id: str, workdir: str) -> CommandEnvironment:
        """Return where the next command of a task runs. See `workbench.toolbox.approval.gate.CommandEnvironments`."""
        return self._environment.place(task_id, workdir or self._folders.get(task_id, ""))

    def check(self) -> bool:
        """Return True if the program or package of the environment is installed.

        Raises:
            FileNotFoundError: It is not.
        """
        self._environment.check()
        return True

    def run(self, arguments: Mapping[str, Any], *, task_id: str) -> JsonObject:
        """Run a command: the handler of the tool `terminal`."""
        has_terminal = arguments.get("pty") is True
        if has_terminal and self._environment.no_terminal:
            return {"error": f"no pty here: {self._environment.no_terminal}"}
        is_background = arguments.get("background") is True
        if is_background and self._running(task_id) >= MOST_BACKGROUND:
            return _TOO_MANY
        command = self._environment.start(
            str(arguments["command"]),
            task_id=task_id,
            folder=str(arguments.get("workdir") or self._folders.get(task_id, "")),
            has_terminal=has_terminal,
        )
        if is_background:
            return self._keep(command, task_id)
        timeout_s = min(int(arguments.get("timeout") or 60), MAX_TIMEOUT_S)
        outcome = command.wait(timeout_s)
        output, last_folder = split_output(outcome.output)
        if last_folder:
            self._folders[task_id] = last_folder
        result = {"output": output, "exit_code": outcome.exit_code}
        return (
            {**result, "error": f"it took over {timeout_s} s and was ended"} if outcome.is_timeout else result
        )

    def process(self, arguments: Mapping[str, Any], *, task_id: str) -> JsonObject:
        """List, poll or kill background processes: the handler of the tool `process`."""
        with self._lock:
            processes = dict(self._background.get(task_id, {}))
        if arguments["action"] == "list":
            return {
                "processes": [
                    {"process_id": name, **_state(process.look())} for name, process in processes.items()
                ]
            }
        process = processes.get(str(arguments.get("process_id")))
        if process is None:
            return {"error": f"no such process; there are {', '.join(processes) or 'none'}"}
        if arguments["action"] == "kill":
            process.kill()
            with self._lock:
                self._background[task_id].pop(str(arguments["process_id"]), None)
        outcome = process.look()
        return {"output": split_output(outcome.output)[0], **_state(outcome)}

    def close(self) -> None:
        """End all commands and everything that was started for tasks."""
        with self._lock:
            self._background.clear()
        self._environment.close()
        if self._leftovers is not None:
            self._leftovers.join()

    def _running(self, task_id: str) -> int:
        """Return how many background processes of a task are known."""
        with self._lock:
            return len(self._background.get(task_id, ()))

    def _keep(self, command: TaskCommand, task_id: str) -> JsonObject:
        with self._lock:
            processes = self._background.setdefault(task_id, {})
            name = f"p{next(self._numbers)}" if len(processes) < MOST_BACKGROUND else ""
            if name:
                processes[name] = command
        if not name:
            # Another call of the task was faster.
            command.kill()
            return _TOO_MANY
        return {"process_id": name, "status": "running"}


def _state(outcome: ProcessOutcome) -> JsonObject:
    return {"status": "running" if outcome.exit_code is None else "ended", "exit_code": outcome.exit_code}
