"""The environment as one value; nothing else reads it."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, cast

from workbench.errors import BadInput


class Secret:
    """A key or token: it lives in memory, and no way of showing a value shows it.

    >>> Secret("sk-1")
    Secret(…)
    >>> f"{Secret('sk-1')}", Secret("sk-1").reveal()
    ('…', 'sk-1')
    """

    # No dataclass: `asdict` would take it apart.
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "…"

    def reveal(self) -> str:
        """The value itself; for the request that needs it and nothing else."""
        return self._value

    def struck_out(self, text: str) -> str:
        """`text` without the value, wherever it stands in it."""
        return text.replace(self._value, "…") if self._value else text


FlashAttention = Literal["auto", "on", "off"]
KV_TYPES: Final = ("f32", "f16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
"""Types that the keys and values of a context may have, the most exact first."""


class Variables(Mapping[str, str]):
    """Variables of the process, which no way of showing them shows: some are secrets.

    Args:
        given: By name.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def __getitem__(self, name: str) -> str:
        return self._given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __repr__(self) -> str:
        return f"{len(self)} variables"


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
    flash_attention: FlashAttention
    """Whether a local model uses it; `auto` where the device can."""
    kv_type: str
    """Type of the keys and values of a local model's context; one of `KV_TYPES`."""
    lora: tuple[tuple[Path, float], ...]
    """GGUF files of adapters that are laid over a local model, each with its scale."""
    prefix_cache_mb: int
    """Memory for evaluated prompts of a local model that are not under way, in megabytes."""
    max_rounds: int
    """Completions that a turn may take."""
    openai_base_url: str
    """Where `openai:NAME` is asked; empty where no server is named."""
    openai_api_key: Secret | None
    """Key of that server; None where it wants none."""
    openai_kind: str
    """What software that server is; tells which sampling it takes."""
    openai_mode: str
    """`chat` or `raw`."""
    remote_timeout_s: int
    """How long a server may be silent."""
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
    environment: "Variables" = field(repr=False, compare=False)
    """Every variable of the process, for tools that require one."""
    accounts: Mapping[str, str] = field(default_factory=dict[str, str], repr=False, hash=False)
    """Password hash by name of those who may log in; empty where nobody has to."""
    admins: frozenset[str] = frozenset()
    """Names that may see the data of all."""
    is_on_space: bool = False
    """True on a Hugging Face Space, where strangers come: each has data of their own, nothing runs but mocks."""
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
        meaning="The model to begin with, by its [name](models.md); `workbench models default` chooses another",
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
    Variable(
        name="WORKBENCH_FLASH_ATTENTION",
        default="auto",
        meaning="Flash attention of a local model: `on`, `off`, or `auto`, on a GPU that can",
    ),
    Variable(
        name="WORKBENCH_KV_TYPE",
        default="f16",
        meaning=f"Keys and values of a local model's context, one of {', '.join(KV_TYPES)}; "
        "a quantised one needs flash attention",
    ),
    Variable(
        name="WORKBENCH_LORA",
        default="",
        meaning="GGUF adapters laid over a local model, `PATH` or `PATH=SCALE`, parted by commas",
    ),
    Variable(
        name="WORKBENCH_PREFIX_CACHE",
        default="1024",
        meaning="Megabytes for evaluated prompts of a local model that may be gone on from; 0 keeps none",
    ),
    Variable(name="WORKBENCH_MAX_ROUNDS", default="8", meaning="Completions that a turn may take"),
    Variable(
        name="WORKBENCH_OPENAI_BASE_URL",
        default="",
        meaning="Where `openai:NAME` is asked, such as `http://127.0.0.1:8000/v1`",
    ),
    Variable(name="WORKBENCH_OPENAI_API_KEY", default="", meaning="Key of that server, where it wants one"),
    Variable(
        name="WORKBENCH_OPENAI_KIND",
        default="openai",
        meaning="What that server is: openai, vllm, sglang, llama-server, ollama or lm-studio",
    ),
    Variable(
        name="WORKBENCH_OPENAI_MODE",
        default="chat",
        meaning="`chat` asks with messages and tools, `raw` with our prompt byte for byte",
    ),
    Variable(
        name="WORKBENCH_REMOTE_TIMEOUT",
        default="120",
        meaning="Seconds that a server may be silent before the answer counts as broken off",
    ),
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


CHOSEN_MODEL: Final = "default-model"
"""File of the data folder with the name that `workbench models default` chose."""
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

    def one_of(name: str, words: Sequence[str]) -> str:
        if text(name) not in words:
            raise BadInput(f"setting {name}", f"{text(name)!r} is none of {', '.join(words)}")
        return text(name)

    home = Path(text("WORKBENCH_HOME") or Path.cwd()).expanduser().absolute()
    data = Path(text("WORKBENCH_DATA") or _data_folder(home, given)).expanduser().absolute()
    return Settings(
        model=given.get("WORKBENCH_MODEL") or chosen_model(data) or text("WORKBENCH_MODEL"),
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
        flash_attention=cast(FlashAttention, one_of("WORKBENCH_FLASH_ATTENTION", ("auto", "on", "off"))),
        kv_type=one_of("WORKBENCH_KV_TYPE", KV_TYPES),
        lora=tuple(_adapters(text("WORKBENCH_LORA"))),
        prefix_cache_mb=number("WORKBENCH_PREFIX_CACHE", least=0, most=1_048_576),
        max_rounds=number("WORKBENCH_MAX_ROUNDS", least=1, most=100),
        openai_base_url=text("WORKBENCH_OPENAI_BASE_URL"),
        openai_api_key=read_secret("WORKBENCH_OPENAI_API_KEY", given),
        openai_kind=text("WORKBENCH_OPENAI_KIND"),
        openai_mode=text("WORKBENCH_OPENAI_MODE"),
        remote_timeout_s=number("WORKBENCH_REMOTE_TIMEOUT", least=1, most=86_400),
        tools_file=Path(text("WORKBENCH_TOOLS_FILE") or data / "tools.yaml").expanduser().absolute(),
        tool_timeout_s=number("WORKBENCH_TOOL_TIMEOUT", least=1, most=86_400),
        terminal=_terminal(given, text("WORKBENCH_TERMINAL"), text("WORKBENCH_ALLOW_TERMINAL")),
        judge=text("WORKBENCH_JUDGE"),
        approval_timeout_s=number("WORKBENCH_APPROVAL_TIMEOUT", least=1, most=86_400),
        environment=Variables(given),
        accounts=_accounts(text("WORKBENCH_AUTH")),
        admins=frozenset(_names(text("WORKBENCH_ADMINS"))),
        is_on_space="SPACE_ID" in given,
        has_hugging_face_login=given.get("SYSTEM") == "spaces" and "OAUTH_CLIENT_ID" in given,
    )


def read_secret(name: str, environment: Mapping[str, str] | None = None) -> Secret | None:
    """A key that a variable of any name holds; None where it is not set.

    Args:
        name: The variable.
        environment: Variables by name; None takes the process's own.
    """
    value = (os.environ if environment is None else environment).get(name, "").strip()
    return Secret(value) if value else None


def is_colour_wanted(environment: Mapping[str, str] | None = None) -> bool:
    """False where `NO_COLOR` is set to anything (no-color.org), or the terminal is `dumb`."""
    given = os.environ if environment is None else environment
    return not given.get("NO_COLOR") and given.get("TERM") != "dumb"


def chosen_model(data: Path) -> str:
    """What `workbench models default` chose; empty where nothing was chosen.

    Raises:
        BadInput: The file cannot be read.
    """
    path = data / CHOSEN_MODEL
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"file {path}", str(error), "mend or delete it") from error


def choose_model(data: Path, name: str) -> None:
    """Makes `name` the model to begin with, wherever WORKBENCH_MODEL is not set.

    Raises:
        BadInput: The folder cannot be written.
    """
    path = data / CHOSEN_MODEL
    try:
        data.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"file {path}", str(error.strerror or error), "set WORKBENCH_DATA") from error


def _refuse_unknown(given: Mapping[str, str]) -> None:
    known = {row.name for row in VARIABLES}
    for name in given:
        if name.startswith("WORKBENCH_") and name not in known:
            raise BadInput(f"setting {name}", "no such setting", "docs/reference/settings.md lists them")


def _adapters(text: str) -> Iterator[tuple[Path, float]]:
    """`PATH` or `PATH=SCALE`, parted by commas."""
    for part in filter(None, (part.strip() for part in text.split(","))):
        path, equals, scale = part.rpartition("=")
        try:
            yield Path(path if equals else part).expanduser(), float(scale) if equals else 1.0
        except ValueError:
            raise BadInput("setting WORKBENCH_LORA", f"the scale {scale!r} is no number") from None


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
