"""Read the environment variables into settings, with the format of each value."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from workbench.errors import BadInput
from workbench.settings.value import KV_TYPES, FlashAttention, Settings, Variables, read_secret
from workbench.settings.variables import VARIABLES

CHOSEN_MODEL: Final = "default-model"
"""File of the data folder with the name that `workbench models default` chose."""


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


_HOST: Final = re.compile(r"\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f:]*:[0-9a-f:.]*")
_ORIGIN: Final = re.compile(r"https?://(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?")
_HASH_REMEDY: Final = "`workbench auth hash NAME` prints one"


def adapters(text: str) -> Iterator[tuple[Path, float]]:
    """`PATH` or `PATH=SCALE`, parted by commas."""
    for part in filter(None, (part.strip() for part in text.split(","))):
        path, equals, scale = part.rpartition("=")
        try:
            yield Path(path if equals else part).expanduser(), float(scale) if equals else 1.0
        except ValueError:
            raise BadInput("setting WORKBENCH_LORA", f"the scale {scale!r} is no number") from None


def whole_number(name: str, text: str, *, least: int, most: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise BadInput(f"setting {name}", f"{text!r} is not a whole number") from None
    if not least <= number <= most:
        raise BadInput(f"setting {name}", f"{number} is not between {least} and {most}")
    return number


def names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def accounts(text: str) -> Mapping[str, str]:
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


def terminal(given: Mapping[str, str], wanted: str, allowed: str) -> str:
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


def hosts(name: str, text: str) -> tuple[str, ...]:
    """Host names and addresses in lower case, without a port; `*` stands for any."""
    found = tuple(host.lower().removeprefix("[").removesuffix("]") for host in names(text))
    for host in found:
        if not _HOST.fullmatch(host):
            raise BadInput(
                f"setting {name}", f"{host!r} is not a host name", "write it without scheme and port"
            )
    return found


def origins(name: str, text: str) -> tuple[str, ...]:
    """Origins in lower case: scheme and host, with a port if it is not the scheme's own."""
    found = tuple(origin.lower().removesuffix("/") for origin in names(text))
    for origin in found:
        if not _ORIGIN.fullmatch(origin):
            raise BadInput(
                f"setting {name}", f"{origin!r} is not an origin", "such as https://portal.example.org"
            )
    return found


SPACE_UPLOAD_MB: Final = 20
"""Largest file that can be uploaded to a Space that sets nothing else, in megabytes."""


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
        return whole_number(name, text(name), least=least, most=most)

    def one_of(name: str, words: Sequence[str]) -> str:
        if text(name) not in words:
            raise BadInput(f"setting {name}", f"{text(name)!r} is none of {', '.join(words)}")
        return text(name)

    home = Path(text("WORKBENCH_HOME") or Path.cwd()).expanduser().absolute()
    data = Path(text("WORKBENCH_DATA") or _data_folder(home, given)).expanduser().absolute()
    return Settings(
        model=given.get("WORKBENCH_MODEL") or chosen_model(data) or text("WORKBENCH_MODEL"),
        contract=text("WORKBENCH_CONTRACT"),
        tools=names(text("WORKBENCH_TOOLS")),
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
        lora=tuple(adapters(text("WORKBENCH_LORA"))),
        has_embedded_adapter=one_of("WORKBENCH_EMBEDDED_ADAPTER", ("on", "off")) == "on",
        prefix_cache_mb=number("WORKBENCH_PREFIX_CACHE", least=0, most=1_048_576),
        max_rounds=number("WORKBENCH_MAX_ROUNDS", least=1, most=100),
        openai_base_url=text("WORKBENCH_OPENAI_BASE_URL"),
        openai_api_key=read_secret("WORKBENCH_OPENAI_API_KEY", given),
        openai_kind=text("WORKBENCH_OPENAI_KIND"),
        openai_mode=text("WORKBENCH_OPENAI_MODE"),
        remote_timeout_s=number("WORKBENCH_REMOTE_TIMEOUT", least=1, most=86_400),
        tools_file=Path(text("WORKBENCH_TOOLS_FILE") or data / "tools.yaml").expanduser().absolute(),
        tool_timeout_s=number("WORKBENCH_TOOL_TIMEOUT", least=1, most=86_400),
        terminal=terminal(given, text("WORKBENCH_TERMINAL"), text("WORKBENCH_ALLOW_TERMINAL")),
        judge=text("WORKBENCH_JUDGE"),
        approval_timeout_s=number("WORKBENCH_APPROVAL_TIMEOUT", least=1, most=86_400),
        environment=Variables(given),
        accounts=accounts(text("WORKBENCH_AUTH")),
        admins=frozenset(names(text("WORKBENCH_ADMINS"))),
        is_on_space="SPACE_ID" in given,
        has_hugging_face_login=given.get("SYSTEM") == "spaces" and "OAUTH_CLIENT_ID" in given,
        allowed_hosts=(
            *hosts("WORKBENCH_ALLOWED_HOSTS", text("WORKBENCH_ALLOWED_HOSTS")),
            # With a domain of its own, a Space has several hosts.
            *hosts("SPACE_HOST", given.get("SPACE_HOST", "") if "SPACE_ID" in given else ""),
        ),
        frame_ancestors=origins("WORKBENCH_FRAME_ANCESTORS", text("WORKBENCH_FRAME_ANCESTORS")),
        may_skip_login=one_of("WORKBENCH_NO_LOGIN", ("0", "1")) == "1",
        login_hours=number("WORKBENCH_LOGIN_HOURS", least=1, most=168),
        max_upload_mb=number("WORKBENCH_MAX_UPLOAD_MB", least=1, most=100_000)
        if given.get("WORKBENCH_MAX_UPLOAD_MB") or "SPACE_ID" not in given
        else SPACE_UPLOAD_MB,
        max_open_pages=number("WORKBENCH_MAX_OPEN_PAGES", least=10, most=100_000),
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


def _data_folder(home: Path, given: Mapping[str, str]) -> Path:
    if (home / "workbench" / "settings").is_dir():
        return home / "data"
    places: Mapping[str, Callable[[], Path]] = {
        "win32": lambda: Path(given.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"),
        "darwin": lambda: Path.home() / "Library" / "Application Support",
    }
    fallback = Path(given.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    place = places.get(sys.platform)
    return (place() if place else fallback) / "hermes-workbench"
