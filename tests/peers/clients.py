"""The clients and agents that are run against the gateway, each in an environment of its own.

The environments are made when they are first needed, and kept in `artifacts/peers`.
"""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypedDict

from filelock import FileLock

from tests.gateway.serving import WEATHER
from tests.peers import node_clients, python_clients
from tests.toolbox.mcp.peers import npm_package, python_package

ENVIRONMENTS: Final = Path(__file__).parents[2] / "artifacts" / "peers"
PLAY_S: Final = 240


class ClientResult(TypedDict):
    """What a client got."""

    cities: list[str]
    """The arguments of the calls that it ran."""
    answer: str
    """The text of the last answer."""


@dataclass(frozen=True, kw_only=True)
class Client:
    """A client of the OpenAI protocol."""

    packages: tuple[str, ...]
    """What is installed: the client with its version, then what it needs but does not install."""
    script: str
    mode: str = ""
    """How the client is used, if not as usual."""
    is_node: bool = False
    can_force: bool = False
    """Whether the script can require a call of the first completion only."""
    streams: tuple[bool, ...] = (False, True)

    @property
    def name(self) -> str:
        """Name of the package, without its version and extras."""
        return re.split(r"\[|==|(?<=.)@", self.packages[0])[0]

    @property
    def version(self) -> str:
        """Version of the package."""
        return re.split(r"==|(?<=.)@", self.packages[0])[-1]

    @property
    def registry(self) -> str:
        """Where the package is from."""
        return "npm" if self.is_node else "PyPI"

    def __str__(self) -> str:
        """Name the client in test ids."""
        return " ".join(filter(None, (self.registry, self.name, self.version, self.mode)))


def _python(*packages: str, script: str, **fields: Any) -> Client:
    return Client(packages=packages, script=script, **fields)


def _npm(*packages: str, script: str, **fields: Any) -> Client:
    return Client(packages=packages, script=script, is_node=True, **fields)


_QWEN: Final = ("qwen-agent==0.0.34", "numpy", "python-dateutil", "soundfile", "tqdm")
_NODE_AGENTS: Final = ("@openai/agents@0.20.0", "openai@7.59.0")
NODE_OPENAI: Final = _npm("openai@7.59.0", script=node_clients.OPENAI, can_force=True)
CLIENTS: Final = (
    _python("openai==2.54.0", script=python_clients.OPENAI),
    _python("openai==3.57.0", script=python_clients.OPENAI),
    _python("litellm==1.110.2", script=python_clients.LITELLM),
    _python("instructor==1.17.0", "openai==3.3.0", script=python_clients.INSTRUCTOR),
    _python("llm==0.36", script=python_clients.LLM),
    _python("hermes-agent==0.19.0", script=python_clients.HERMES_AGENT),
    _python("openai-agents==0.24.0", script='API = "responses"' + python_clients.OPENAI_AGENTS),
    _python(
        "openai-agents==0.24.0",
        script='API = "chat_completions"' + python_clients.OPENAI_AGENTS,
        mode="chat completions",
        can_force=True,
    ),
    _python("pydantic-ai-slim[openai]==2.68.0", script=python_clients.PYDANTIC_AI),
    _python("langchain-openai==1.7.4", script=python_clients.LANGCHAIN, can_force=True),
    _python("smolagents[openai]==1.26.0", script=python_clients.SMOLAGENTS),
    _python("inspect-ai==0.3.285", "openai==3.57.0", script=python_clients.INSPECT),
    _python(*_QWEN, script="RAW = False\n" + python_clients.QWEN_AGENT, mode="tools in the system text"),
    _python(*_QWEN, script="RAW = True\n" + python_clients.QWEN_AGENT, mode="use_raw_api", streams=(True,)),
    NODE_OPENAI,
    _npm("ai@6.0.326", "@ai-sdk/openai-compatible@2.0.92", script=node_clients.AI),
    _npm(*_NODE_AGENTS, script='const api = "responses";' + node_clients.OPENAI_AGENTS),
    _npm(
        *_NODE_AGENTS,
        script='const api = "chat_completions";' + node_clients.OPENAI_AGENTS,
        mode="chat completions",
    ),
)
"""In the order of the table in `docs/reference/gateway.md`."""


def run_client(
    client: Client, url: str, model: str, folder: Path, *, is_stream: bool = False, is_forced: bool = False
) -> ClientResult:
    """Run a client through a call, its result and an answer. Skips the test if it cannot be installed.

    Args:
        url: Base URL of the server.
        folder: An empty folder, for files of the client.
        is_stream: Whether the answers are streamed.
        is_forced: Whether the first completion has to be a call.
    """
    return run_script(client, client.script, folder, url, model, is_stream, is_forced, WEATHER)


def run_script(client: Client, script: str, folder: Path, *values: Any) -> Any:
    """Run a script in the environment of a client, and return the JSON of its last line.

    Args:
        values: Values for what the prelude defines, in its order.
    """
    program = _environment(client)
    parts = node_clients if client.is_node else python_clients
    file = folder / ("play.mjs" if client.is_node else "play.py")
    file.write_text(parts.PRELUDE + script + parts.CLOSING, encoding="utf-8")
    if client.is_node:
        (folder / "node_modules").symlink_to(program.parent)
        program = Path(shutil.which("node") or "node")
    done = subprocess.run(
        [program, file.name, json.dumps(values)],
        cwd=folder, capture_output=True, text=True, timeout=PLAY_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def _environment(client: Client) -> Path:
    """Return the Python of a client's environment, or the folder of its npm programs."""
    folder = ENVIRONMENTS / "-".join((client.registry, client.name.replace("/", "-"), client.version))
    made = folder / ".made"
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            (npm_package if client.is_node else python_package)(folder, *client.packages)
            made.touch()
    return folder / "node_modules" / ".bin" if client.is_node else folder / "bin" / "python"
