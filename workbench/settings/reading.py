"""Parse the environment variables into a `Settings` value and check the format of each."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final, cast

from workbench.errors import BadInput
from workbench.names import known_name, usable_name
from workbench.settings.value import (
    GATEWAY_CALLS,
    GATEWAY_LEVELS,
    KV_TYPES,
    FlashAttention,
    Settings,
    Variables,
    read_secret,
)
from workbench.settings.variables import VARIABLES

CHOSEN_MODEL: Final = "default-model"
"""File in the data folder that holds the model name set by `workbench models default`."""


def chosen_model(data: Path) -> str:
    """Return the model name set by `workbench models default`, or an empty text if none was set.

    Raises:
        BadInput: The file cannot be read.
    """
    path = data / CHOSEN_MODEL
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"file {path}", str(error), "fix or delete it") from error


def choose_model(data: Path, name: str) -> None:
    """Store `name` as the default model. It applies where WORKBENCH_MODEL is not set.

    Raises:
        BadInput: The data folder is not writable.
    """
    path = data / CHOSEN_MODEL
    try:
        data.mkdir(parents=True, exist_ok=True)
        path.write_text(name + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"file {path}", str(error.strerror or error), "set WORKBENCH_DATA") from error


_HOST: Final = re.compile(r"\*|[a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f:]*:[0-9a-f:.]*")
_ORIGIN: Final = re.compile(r"https?://(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d{1,5})?")


def adapters(text: str) -> Iterator[tuple[Path, float]]:
    """Parse a comma-separated list of `PATH` or `PATH=SCALE`. The scale is 1 if it is left out.

    Raises:
        BadInput: A scale is not a number.
    """
    for part in filter(None, (part.strip() for part in text.split(","))):
        path, equals, scale = part.rpartition("=")
        try:
            yield Path(path if equals else part).expanduser(), float(scale) if equals else 1.0
        except ValueError:
            raise BadInput("setting WORKBENCH_LORA", f"the scale {scale!r} is not a number") from None


def whole_number(name: str, text: str, *, least: int, most: int) -> int:
    """Parse a whole number from `least` to `most`, both included.

    Args:
        name: The variable, for the error.

    Raises:
        BadInput: The text is not a whole number or out of range.
    """
    try:
        number = int(text)
    except ValueError:
        raise BadInput(f"setting {name}", f"{text!r} is not a whole number") from None
    if not least <= number <= most:
        raise BadInput(f"setting {name}", f"{number} is not between {least} and {most}")
    return number


def names(text: str) -> tuple[str, ...]:
    """Split a comma-separated list; blanks around names and empty names are ignored."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def accounts(
    text: str, *, setting: str = "WORKBENCH_AUTH", noun: str = "account", command: str = "hash"
) -> Mapping[str, str]:
    """Parse `name:hash` pairs, separated by blanks or commas, into password hashes by account name.

    Args:
        setting: Name of the setting, for errors.
        noun: What a pair is, for errors.
        command: The command of `workbench auth` that makes a pair, for errors.

    Raises:
        BadInput: A pair has no name or no hash, a name has an invisible character, or a name occurs twice or differs
            from another one only in case.
    """
    accounts: dict[str, str] = {}
    for number, pair in enumerate(text.replace(",", " ").split(), start=1):
        name, colon, hashed = pair.partition(":")
        where = f"setting {setting}, {noun} {number}"
        # The pair itself is not shown: it may hold a password.
        if not name or not colon or not hashed:
            raise BadInput(where, "expected `name:hash`", f"`workbench auth {command} NAME` prints one")
        if name in accounts:
            raise BadInput(where, f"{name!r} is listed twice")
        accounts[known_name(usable_name(name, where), accounts, f"setting {setting}, {noun}")] = hashed
    return accounts


def terminal(variables: Mapping[str, str], environment: str, allowed: str) -> str:
    """Check that the requested terminal environment is permitted, and return it.

    Anything but `mock` runs real commands. It needs WORKBENCH_ALLOW_TERMINAL=1 and is never permitted on a Space.

    Args:
        variables: Environment variables by name.
        environment: The value of WORKBENCH_TERMINAL.
        allowed: The value of WORKBENCH_ALLOW_TERMINAL.

    Raises:
        BadInput: It is not permitted.
    """
    if environment == "mock":
        return environment
    if "SPACE_ID" in variables:
        raise BadInput(
            "setting WORKBENCH_TERMINAL", "a Space is open to strangers", "only `mock` is possible there"
        )
    if allowed != "1":
        raise BadInput(
            "setting WORKBENCH_TERMINAL",
            f"{environment!r} runs real commands",
            "set WORKBENCH_ALLOW_TERMINAL=1 to allow it",
        )
    return environment


def hosts(name: str, text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of host names and addresses into lower case; `*` means any host.

    Raises:
        BadInput: One of them is not a host name, for example because it has a scheme or a port.
    """
    parsed = tuple(host.lower().removeprefix("[").removesuffix("]") for host in names(text))
    for host in parsed:
        if not _HOST.fullmatch(host):
            raise BadInput(
                f"setting {name}", f"{host!r} is not a host name", "write it without scheme and port"
            )
    return parsed


def origins(name: str, text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of origins into lower case: scheme, host and, if needed, a port.

    Raises:
        BadInput: One of them is not an origin.
    """
    parsed = tuple(origin.lower().removesuffix("/") for origin in names(text))
    for origin in parsed:
        if not _ORIGIN.fullmatch(origin):
            raise BadInput(
                f"setting {name}", f"{origin!r} is not an origin", "example: https://portal.example.org"
            )
    return parsed


SPACE_PROXIES: Final = (
    "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16,::1,fc00::/7,fe80::/10"
)
"""Default of WORKBENCH_TRUSTED_PROXIES on a Space: the private networks, since its proxy has no fixed address."""


def networks(name: str, text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Parse a comma-separated list of addresses and networks. An IPv4 network written as IPv6 becomes an IPv4 network.

    Raises:
        BadInput: One of them is not an address or a network, or an address has bits outside of its network.
    """
    parsed: list[IPv4Network | IPv6Network] = []
    for part in names(text):
        try:
            network = ip_network(part.removeprefix("[").removesuffix("]"))
        except ValueError as error:
            raise BadInput(
                f"setting {name}",
                f"{part!r} is not an address or a network: {error}",
                "example: 127.0.0.1, 10.0.0.0/8",
            ) from None
        mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
        is_mapped = mapped is not None and network.prefixlen >= 96
        parsed.append(IPv4Network((mapped, network.prefixlen - 96)) if is_mapped and mapped else network)
    return tuple(parsed)


def folders(name: str, text: str) -> Iterator[Path]:
    """Parse a comma-separated list of absolute paths of folders. Links in them are resolved.

    Raises:
        BadInput: A path is not absolute, so it would mean another folder in each place.
    """
    for part in names(text):
        path = Path(part).expanduser()
        if not path.is_absolute():
            raise BadInput(
                f"setting {name}", f"{part!r} is not an absolute path", "use ask, off or full paths"
            )
        yield path.resolve()


SPACE_UPLOAD_MB: Final = 20
"""Default of WORKBENCH_MAX_UPLOAD_MB on a Space, in megabytes."""


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Parse all settings.

    Args:
        environment: Variables by name; None reads those of the process.

    Raises:
        BadInput: A variable with the prefix WORKBENCH_ is unknown, or a value is invalid.
    """
    variables = dict(os.environ if environment is None else environment)
    _refuse_unknown(variables)

    def text(name: str) -> str:
        return variables.get(name) or next(row.default for row in VARIABLES if row.name == name)

    def number(name: str, *, least: int, most: int) -> int:
        return whole_number(name, text(name), least=least, most=most)

    def fraction(name: str) -> float | None:
        if not text(name):
            return None
        try:
            value = float(text(name))
        except ValueError:
            value = -1
        if not 0 <= value <= 1:
            raise BadInput(f"setting {name}", f"{text(name)!r} is not a number from 0 to 1")
        return value

    def one_of(name: str, words: Sequence[str]) -> str:
        if text(name) not in words:
            raise BadInput(f"setting {name}", f"{text(name)!r} is not one of {', '.join(words)}")
        return text(name)

    home = Path(text("WORKBENCH_HOME") or Path.cwd()).expanduser().absolute()
    local_code = text("WORKBENCH_LOCAL_CODE")
    data = Path(text("WORKBENCH_DATA") or _data_folder(home, variables)).expanduser().absolute()
    return Settings(
        model=variables.get("WORKBENCH_MODEL") or chosen_model(data) or text("WORKBENCH_MODEL"),
        contract=text("WORKBENCH_CONTRACT"),
        tools=names(text("WORKBENCH_TOOLS")),
        host=variables.get("WORKBENCH_HOST")
        or ("0.0.0.0" if "SPACE_ID" in variables else text("WORKBENCH_HOST")),
        port=number("WORKBENCH_PORT", least=1, most=65535),
        data=data,
        database_url=text("WORKBENCH_DATABASE_URL") or f"sqlite:///{data / 'workbench.sqlite3'}",
        bucket=Path(bucket).expanduser().absolute() if (bucket := text("WORKBENCH_BUCKET_DIR")) else None,
        snapshot_minutes=number("WORKBENCH_SNAPSHOT_MINUTES", least=1, most=1440),
        dataset=text("WORKBENCH_DATASET_REPO"),
        home=home,
        runs_local_code=local_code != "off",
        # A Space runs only what its owner has put there.
        trusted_folders=(home.resolve(),)
        if local_code == "ask" and "SPACE_ID" in variables
        else ()
        if local_code in ("ask", "off")
        else tuple(folders("WORKBENCH_LOCAL_CODE", local_code)),
        trust_file=_user_folder(variables) / "trusted.json",
        context_tokens=number("WORKBENCH_CONTEXT", least=0, most=1_048_576),
        threads=number("WORKBENCH_THREADS", least=0, most=1024),
        gpu_layers=number("WORKBENCH_GPU_LAYERS", least=-1, most=10_000),
        flash_attention=cast(FlashAttention, one_of("WORKBENCH_FLASH_ATTENTION", ("auto", "on", "off"))),
        kv_type=one_of("WORKBENCH_KV_TYPE", KV_TYPES),
        lora=tuple(adapters(text("WORKBENCH_LORA"))),
        has_embedded_adapter=one_of("WORKBENCH_EMBEDDED_ADAPTER", ("on", "off")) == "on",
        call_threshold=fraction("WORKBENCH_CALL_THRESHOLD"),
        prefix_cache_mb=number("WORKBENCH_PREFIX_CACHE", least=0, most=1_048_576),
        model_memory_mb=number("WORKBENCH_MODEL_MEMORY", least=0, most=16_777_216),
        max_rounds=number("WORKBENCH_MAX_ROUNDS", least=1, most=100),
        openai_base_url=text("WORKBENCH_OPENAI_BASE_URL"),
        openai_api_key=read_secret("WORKBENCH_OPENAI_API_KEY", variables),
        openai_kind=text("WORKBENCH_OPENAI_KIND"),
        openai_mode=text("WORKBENCH_OPENAI_MODE"),
        remote_timeout_s=number("WORKBENCH_REMOTE_TIMEOUT", least=1, most=86_400),
        tools_file=Path(text("WORKBENCH_TOOLS_FILE") or data / "tools.yaml").expanduser().absolute(),
        tool_timeout_s=number("WORKBENCH_TOOL_TIMEOUT", least=1, most=86_400),
        terminal=terminal(variables, text("WORKBENCH_TERMINAL"), text("WORKBENCH_ALLOW_TERMINAL")),
        judge=text("WORKBENCH_JUDGE"),
        approval_timeout_s=number("WORKBENCH_APPROVAL_TIMEOUT", least=1, most=86_400),
        environment=Variables(variables),
        accounts=accounts(text("WORKBENCH_AUTH")),
        admins=frozenset(names(text("WORKBENCH_ADMINS"))),
        is_on_space="SPACE_ID" in variables,
        has_hugging_face_login=variables.get("SYSTEM") == "spaces" and "OAUTH_CLIENT_ID" in variables,
        allowed_hosts=(
            *hosts("WORKBENCH_ALLOWED_HOSTS", text("WORKBENCH_ALLOWED_HOSTS")),
            # A Space with a custom domain has several hosts.
            *hosts("SPACE_HOST", variables.get("SPACE_HOST", "") if "SPACE_ID" in variables else ""),
        ),
        trusted_proxies=networks(
            "WORKBENCH_TRUSTED_PROXIES",
            text("WORKBENCH_TRUSTED_PROXIES") or (SPACE_PROXIES if "SPACE_ID" in variables else ""),
        ),
        max_connections=number("WORKBENCH_MAX_CONNECTIONS", least=1, most=1_000_000),
        frame_ancestors=origins("WORKBENCH_FRAME_ANCESTORS", text("WORKBENCH_FRAME_ANCESTORS")),
        may_skip_login=one_of("WORKBENCH_NO_LOGIN", ("0", "1")) == "1",
        login_hours=number("WORKBENCH_LOGIN_HOURS", least=1, most=168),
        max_upload_mb=number("WORKBENCH_MAX_UPLOAD_MB", least=1, most=100_000)
        if variables.get("WORKBENCH_MAX_UPLOAD_MB") or "SPACE_ID" not in variables
        else SPACE_UPLOAD_MB,
        max_open_pages=number("WORKBENCH_MAX_OPEN_PAGES", least=10, most=100_000),
        gateway_port=number("WORKBENCH_GATEWAY_PORT", least=1, most=65535),
        gateway_keys=accounts(
            text("WORKBENCH_GATEWAY_KEYS"), setting="WORKBENCH_GATEWAY_KEYS", noun="key", command="key"
        ),
        gateway_requests=number("WORKBENCH_GATEWAY_REQUESTS", least=1, most=10_000),
        gateway_body_mb=number("WORKBENCH_GATEWAY_BODY_MB", least=1, most=10_000),
        gateway_prompt_chars=number("WORKBENCH_GATEWAY_PROMPT_CHARS", least=1, most=1_000_000_000),
        gateway_retries=number("WORKBENCH_GATEWAY_RETRIES", least=0, most=10),
        gateway_level=one_of("WORKBENCH_GATEWAY_LEVEL", GATEWAY_LEVELS),
        gateway_calls=one_of("WORKBENCH_GATEWAY_CALLS", GATEWAY_CALLS),
    )


def uses_colour(environment: Mapping[str, str] | None = None) -> bool:
    """Return False if `NO_COLOR` is set to any value (https://no-color.org) or the terminal is `dumb`."""
    variables = os.environ if environment is None else environment
    return not variables.get("NO_COLOR") and variables.get("TERM") != "dumb"


def _refuse_unknown(variables: Mapping[str, str]) -> None:
    known = {row.name for row in VARIABLES}
    for name in variables:
        if name.startswith("WORKBENCH_") and name not in known:
            near = get_close_matches(name, known, n=1)
            remedy = f"did you mean {near[0]}?" if near else "docs/reference/settings.md lists all settings"
            raise BadInput(f"setting {name}", "unknown setting", remedy)


_CHECKOUT: Final = Path(__file__).resolve().parents[2]


def _data_folder(home: Path, variables: Mapping[str, str]) -> Path:
    """Return the default data folder: `data/` in the checkout that is running, otherwise the user's data folder.

    What the home contains does not decide, because the data folder names programs to start: a folder that was
    downloaded may look like a checkout.
    """
    is_checkout = (_CHECKOUT / "pyproject.toml").is_file() and home.resolve() == _CHECKOUT
    return home / "data" if is_checkout else _user_folder(variables)


def _user_folder(variables: Mapping[str, str]) -> Path:
    """Return the user's data folder of the platform."""
    places: Mapping[str, Callable[[], Path]] = {
        "win32": lambda: Path(variables.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"),
        "darwin": lambda: Path.home() / "Library" / "Application Support",
    }
    xdg = Path(variables.get("XDG_DATA_HOME", ""))
    # A relative path counts as not set, as the specification of the variable says.
    fallback = xdg if xdg.is_absolute() else Path.home() / ".local" / "share"
    place = places.get(sys.platform)
    return (place() if place else fallback) / "hermes-workbench"
