"""The environment as one value; nothing else reads it."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from workbench.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How this workbench is set up; each field is a variable of `docs/reference/settings.md`."""

    model: str
    """The model to begin with, as `--model` takes it."""
    contract: str
    """The contract to begin with."""
    tools: tuple[str, ...]
    """Toolsets, tools or files to begin with."""
    host: str
    """Address that the page listens on."""
    port: int
    """Port that the page listens on."""
    data: Path
    """Folder for what is kept."""
    database_url: str
    """SQLAlchemy URL of the store."""
    home: Path
    """Folder that may hold `prompts/` and `tools_catalog/`."""
    context_tokens: int
    """Context that a local model is loaded with; 0 takes what it was trained with."""
    threads: int
    """Threads that a local model may use; 0 takes one a core."""
    gpu_layers: int
    """Layers of a local model that go to the GPU; -1 all, when the build can."""
    max_rounds: int
    """Completions that a turn may take."""
    tools_file: Path
    """YAML file of MCP servers and of commands that are allowed always; it may not be there."""
    tool_timeout_s: float
    """A tool that gives nothing for so long has failed."""
    terminal: str
    """Where commands run: `mock`, `local`, `docker:IMAGE` or `ssh:HOST`."""
    judge: str
    """The model that looks at risky commands first; empty where the person is asked at once."""
    approval_timeout_s: float
    """A person who does not answer for so long has said no."""
    is_space: bool
    """True on a Space, where strangers come: nothing of theirs runs there but mocks."""
    environment: Mapping[str, str] = field(repr=False, compare=False)
    """Every variable of the process, for tools that require one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One row of the settings' table."""

    name: str
    """Name of the environment variable."""
    default: str
    """What holds where it is not set, as a person would write it; empty where it is worked out."""
    meaning: str
    """One line for the table."""


VARIABLES: Final = (
    Variable(
        name="WORKBENCH_MODEL",
        default="embedded",
        meaning="The model to begin with: `embedded`, a path to a GGUF file, or `scripted:FILE`",
    ),
    Variable(name="WORKBENCH_CONTRACT", default="minimal", meaning="The contract to begin with"),
    Variable(
        name="WORKBENCH_TOOLS",
        default="nonsense",
        meaning="Toolsets, tools or files to begin with, parted by commas",
    ),
    Variable(
        name="WORKBENCH_HOST",
        default="127.0.0.1",
        meaning="Address that the page listens on; 0.0.0.0 on a Space",
    ),
    Variable(name="WORKBENCH_PORT", default="7860", meaning="Port that the page listens on"),
    Variable(
        name="WORKBENCH_DATA",
        default="",
        meaning="Folder for what is kept; `./data` in a checkout, else the user's data folder",
    ),
    Variable(
        name="WORKBENCH_DATABASE_URL",
        default="",
        meaning="SQLAlchemy URL of the store; a SQLite file in the data folder",
    ),
    Variable(
        name="WORKBENCH_HOME",
        default="",
        meaning="Folder that may hold `prompts/` and `tools_catalog/`; the current folder",
    ),
    Variable(
        name="WORKBENCH_CONTEXT",
        default="4096",
        meaning="Context of a local model, in tokens, never more than it was trained with; 0 takes just that",
    ),
    Variable(name="WORKBENCH_THREADS", default="0", meaning="Threads of a local model; 0 takes one a core"),
    Variable(
        name="WORKBENCH_GPU_LAYERS",
        default="-1",
        meaning="Layers of a local model on the GPU; -1 all, where the build can",
    ),
    Variable(name="WORKBENCH_MAX_ROUNDS", default="8", meaning="Completions that a turn may take"),
    Variable(
        name="WORKBENCH_TOOLS_FILE",
        default="",
        meaning="YAML file of MCP servers and always allowed commands; `tools.yaml` in the data folder",
    ),
    Variable(
        name="WORKBENCH_TOOL_TIMEOUT",
        default="300",
        meaning="Seconds after which a tool that gives nothing has failed",
    ),
    Variable(
        name="WORKBENCH_ALLOW_TERMINAL",
        default="0",
        meaning="1 lets `WORKBENCH_TERMINAL` be a real one; never on a Space",
    ),
    Variable(
        name="WORKBENCH_TERMINAL",
        default="mock",
        meaning="Where the tool `terminal` runs commands: `mock`, `local`, `docker:IMAGE` or `ssh:HOST`",
    ),
    Variable(
        name="WORKBENCH_JUDGE",
        default="",
        meaning="A model, as `WORKBENCH_MODEL` takes it, that looks at risky commands before you are asked",
    ),
    Variable(
        name="WORKBENCH_APPROVAL_TIMEOUT",
        default="120",
        meaning="Seconds after which a question about a risky command is answered with no",
    ),
)
"""Every variable that is read, in the order of the documentation."""


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process.

    Args:
        environment: Variables by name; None takes the process's own.

    Raises:
        BadInput: A variable of our prefix is unknown, or a number is none.
    """
    given = dict(os.environ if environment is None else environment)
    _refuse_unknown(given)

    def text(name: str) -> str:
        return given.get(name) or next(row.default for row in VARIABLES if row.name == name)

    def number(name: str, *, least: int, most: int) -> int:
        return _whole_number(name, text(name), least=least, most=most)

    home = Path(text("WORKBENCH_HOME") or Path.cwd()).expanduser().absolute()
    data = Path(text("WORKBENCH_DATA") or _data_folder(home, given)).expanduser().absolute()
    return Settings(
        model=text("WORKBENCH_MODEL"),
        contract=text("WORKBENCH_CONTRACT"),
        tools=tuple(name.strip() for name in text("WORKBENCH_TOOLS").split(",") if name.strip()),
        host=given.get("WORKBENCH_HOST") or ("0.0.0.0" if "SPACE_ID" in given else text("WORKBENCH_HOST")),
        port=number("WORKBENCH_PORT", least=1, most=65535),
        data=data,
        database_url=text("WORKBENCH_DATABASE_URL") or f"sqlite:///{data / 'workbench.sqlite3'}",
        home=home,
        context_tokens=number("WORKBENCH_CONTEXT", least=0, most=1_048_576),
        threads=number("WORKBENCH_THREADS", least=0, most=1024),
        gpu_layers=number("WORKBENCH_GPU_LAYERS", least=-1, most=10_000),
        max_rounds=number("WORKBENCH_MAX_ROUNDS", least=1, most=100),
        tools_file=Path(text("WORKBENCH_TOOLS_FILE") or data / "tools.yaml").expanduser().absolute(),
        tool_timeout_s=number("WORKBENCH_TOOL_TIMEOUT", least=1, most=86_400),
        terminal=_terminal(given, text("WORKBENCH_TERMINAL"), text("WORKBENCH_ALLOW_TERMINAL")),
        judge=text("WORKBENCH_JUDGE"),
        approval_timeout_s=number("WORKBENCH_APPROVAL_TIMEOUT", least=1, most=86_400),
        is_space="SPACE_ID" in given,
        environment=given,
    )


def is_colour_wanted(environment: Mapping[str, str] | None = None) -> bool:
    """False where `NO_COLOR` is set to anything (no-color.org), or the terminal is `dumb`."""
    given = os.environ if environment is None else environment
    return not given.get("NO_COLOR") and given.get("TERM") != "dumb"


def _refuse_unknown(given: Mapping[str, str]) -> None:
    known = {row.name for row in VARIABLES}
    for name in given:
        if name.startswith("WORKBENCH_") and name not in known:
            raise BadInput(f"setting {name}", "no such setting", "docs/reference/settings.md lists them")


def _whole_number(name: str, text: str, *, least: int, most: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise BadInput(f"setting {name}", f"{text!r} is not a whole number") from None
    if not least <= number <= most:
        raise BadInput(f"setting {name}", f"{number} is not between {least} and {most}")
    return number


def _terminal(given: Mapping[str, str], wanted: str, allowed: str) -> str:
    """The terminal that is wanted; a real one only where it is allowed, and on no Space."""
    if wanted == "mock":
        return wanted
    if "SPACE_ID" in given:
        raise BadInput("setting WORKBENCH_TERMINAL", "a Space has strangers on it", "leave it at mock there")
    if allowed != "1":
        raise BadInput(
            "setting WORKBENCH_TERMINAL",
            f"{wanted!r} runs commands",
            "set WORKBENCH_ALLOW_TERMINAL=1 to allow it",
        )
    return wanted


def _data_folder(home: Path, given: Mapping[str, str]) -> Path:
    if (home / "workbench" / "settings.py").is_file():
        return home / "data"
    places: Mapping[str, Callable[[], Path]] = {
        "win32": lambda: Path(given.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"),
        "darwin": lambda: Path.home() / "Library" / "Application Support",
    }
    fallback = Path(given.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    place = places.get(sys.platform)
    return (place() if place else fallback) / "hermes-workbench"
