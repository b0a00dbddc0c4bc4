"""Parse the environment variables into a `Settings` value and check the format of each."""

import os
import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from workbench.errors import BadInput
from workbench.settings.parsing import parse_hosts
from workbench.settings.value import DECLARED, VARIABLES, Settings, Variables

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


SPACE_PROXIES: Final = (
    "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16,::1,fc00::/7,fe80::/10"
)
"""Default of WORKBENCH_TRUSTED_PROXIES on a Space: the private networks, since its proxy has no fixed address."""


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
    home, is_on_space = Path(variables.get("WORKBENCH_HOME") or Path.cwd()), "SPACE_ID" in variables
    defaults = _defaults(home.expanduser().absolute(), variables, is_on_space=is_on_space)
    texts = {row.name: variables.get(row.name) or defaults.get(row.name) or row.default for row in VARIABLES}
    values = {field: row.parse(row.name, texts[row.name]) for field, row in DECLARED.items()}
    _check_terminal(values["terminal"], is_allowed=values["allows_terminal"], is_on_space=is_on_space)
    if is_on_space:
        # A Space with a custom domain has several hosts.
        values["allowed_hosts"] += parse_hosts("SPACE_HOST", variables.get("SPACE_HOST", ""))
        if texts["WORKBENCH_LOCAL_CODE"] == "ask":
            # A Space runs only what its owner has put there.
            values["trusted_folders"] = (values["home"].resolve(),)
    return Settings(
        **values,
        runs_local_code=texts["WORKBENCH_LOCAL_CODE"] != "off",
        trust_file=_user_folder(variables) / "trusted.json",
        environment=Variables(variables),
        is_on_space=is_on_space,
        has_hugging_face_login=variables.get("SYSTEM") == "spaces" and "OAUTH_CLIENT_ID" in variables,
    )


def _defaults(home: Path, variables: Mapping[str, str], *, is_on_space: bool) -> Mapping[str, str]:
    """Return the defaults that depend on other settings, by variable."""
    data = Path(variables.get("WORKBENCH_DATA") or _data_folder(home, variables)).expanduser().absolute()
    space = {
        "WORKBENCH_HOST": "0.0.0.0",
        "WORKBENCH_TRUSTED_PROXIES": SPACE_PROXIES,
        "WORKBENCH_MAX_UPLOAD_MB": str(SPACE_UPLOAD_MB),
    }
    return {
        "WORKBENCH_MODEL": "" if variables.get("WORKBENCH_MODEL") else chosen_model(data),
        "WORKBENCH_HOME": str(home),
        "WORKBENCH_DATA": str(data),
        "WORKBENCH_DATABASE_URL": f"sqlite:///{data / 'workbench.sqlite3'}",
        "WORKBENCH_TOOLS_FILE": str(data / "tools.yaml"),
        **(space if is_on_space else {}),
    }


def _check_terminal(environment: str, *, is_allowed: bool, is_on_space: bool) -> None:
    """Refuse an environment that is not permitted.

    Anything but `mock` runs real commands. It needs WORKBENCH_ALLOW_TERMINAL=1 and is never permitted on a Space.
    """
    if environment == "mock":
        return
    where = "setting WORKBENCH_TERMINAL"
    if is_on_space:
        raise BadInput(where, "a Space is open to strangers", "only `mock` is possible there")
    if not is_allowed:
        problem = f"{environment!r} runs real commands"
        raise BadInput(where, problem, "set WORKBENCH_ALLOW_TERMINAL=1 to allow it")


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
