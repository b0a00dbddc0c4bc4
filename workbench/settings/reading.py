"""The environment, read into the settings; nothing else reads it."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from workbench.errors import BadInput
from workbench.settings.value import KV_TYPES, FlashAttention, Settings, Variables, read_secret
from workbench.settings.variables import VARIABLES
from workbench.settings.words import (
    accounts,
    adapters,
    chosen_model,
    hosts,
    names,
    origins,
    terminal,
    whole_number,
)

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
