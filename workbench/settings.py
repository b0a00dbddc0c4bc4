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
    bucket: Path | None
    """Folder that outlives this machine, for snapshots of the database; None where there is none."""
    snapshot_minutes: int
    """Time from one snapshot to the next."""
    dataset: str
    """Dataset repository for finished labels; empty where they go to none."""
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
    accounts: Mapping[str, str] = field(default_factory=dict[str, str], repr=False, hash=False)
    """Password hash by name of those who may log in; empty where nobody has to."""
    admins: frozenset[str] = frozenset()
    """Names that may see the data of all."""
    is_on_space: bool = False
    """True on a Hugging Face Space, where strangers come: each browser has its own data."""
    has_hugging_face_login: bool = False
    """True on a Space that lets people sign in with Hugging Face."""


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
        name="WORKBENCH_BUCKET_DIR",
        default="",
        meaning="Folder that outlives the machine, such as a mounted bucket; SQLite is copied to it, restored from it",
    ),
    Variable(
        name="WORKBENCH_SNAPSHOT_MINUTES",
        default="5",
        meaning="Minutes from one copy in the bucket folder to the next, where something changed",
    ),
    Variable(
        name="WORKBENCH_DATASET_REPO",
        default="",
        meaning="Dataset repository of the hub, such as `me/labels`, that finished labels are added to",
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
        name="WORKBENCH_AUTH",
        default="",
        meaning="Accounts that may log in, `name:hash` each, parted by blanks or commas; `workbench auth hash`",
    ),
    Variable(
        name="WORKBENCH_ADMINS",
        default="",
        meaning="Names that may see the data of all, parted by commas",
    ),
)
"""Every variable that is read, in the order of the documentation."""


_HASH_REMEDY: Final = "`workbench auth hash NAME` prints one"


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
        tools=_names(text("WORKBENCH_TOOLS")),
        host=given.get("WORKBENCH_HOST") or ("0.0.0.0" if "SPACE_ID" in given else text("WORKBENCH_HOST")),
        port=number("WORKBENCH_PORT", least=1, most=65535),
        data=data,
        database_url=text("WORKBENCH_DATABASE_URL") or f"sqlite:///{data / 'workbench.sqlite3'}",
        bucket=Path(bucket).expanduser().absolute() if (bucket := text("WORKBENCH_BUCKET_DIR")) else None,
        snapshot_minutes=number("WORKBENCH_SNAPSHOT_MINUTES", least=1, most=1440),
        dataset=text("WORKBENCH_DATASET_REPO"),
        home=home,
        context_tokens=number("WORKBENCH_CONTEXT", least=0, most=1_048_576),
        threads=number("WORKBENCH_THREADS", least=0, most=1024),
        gpu_layers=number("WORKBENCH_GPU_LAYERS", least=-1, most=10_000),
        max_rounds=number("WORKBENCH_MAX_ROUNDS", least=1, most=100),
        accounts=_accounts(text("WORKBENCH_AUTH")),
        admins=frozenset(_names(text("WORKBENCH_ADMINS"))),
        is_on_space="SPACE_ID" in given,
        has_hugging_face_login=given.get("SYSTEM") == "spaces" and "OAUTH_CLIENT_ID" in given,
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


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _accounts(text: str) -> Mapping[str, str]:
    accounts: dict[str, str] = {}
    for number, pair in enumerate(text.replace(",", " ").split(), start=1):
        name, colon, hashed = pair.partition(":")
        # The pair itself is not shown: it may hold a password.
        if not name or not colon or not hashed:
            raise BadInput(f"setting WORKBENCH_AUTH, account {number}", "it is no `name:hash`", _HASH_REMEDY)
        if name in accounts:
            raise BadInput(f"setting WORKBENCH_AUTH, account {number}", f"{name!r} is there twice")
        accounts[name] = hashed
    return accounts


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
