"""What a shell offers for the values of options: contracts, toolsets, models, presets and names of formats."""

import os
from collections.abc import Callable, Iterable
from typing import Any, Final

from workbench.errors import WorkbenchError
from workbench.settings import read_settings

COMPLETE_VARIABLE: Final = "_WORKBENCH_COMPLETE"
"""Set by the shell while it asks for completions."""


def completed_command() -> tuple[str, ...]:
    """Return the command whose arguments the shell asks about, or nothing if there is none yet."""
    words = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    return tuple(words.split()[1:2])


def add_completion(parameter: Any) -> None:
    """Offer the values of an option or argument if its names say what it takes."""
    names = getattr(parameter, "opts", ())
    by_metavar = _VALUES_BY_METAVAR.get(getattr(parameter, "metavar", None) or "")
    find = next((_VALUES[name] for name in names if name in _VALUES), by_metavar)
    if find is not None:
        parameter._custom_shell_complete = _completer(find)


def _completer(find: Callable[[], Iterable[str]]) -> Callable[[Any, Any, str], list[str]]:
    def complete(_context: Any, _parameter: Any, incomplete: str) -> list[str]:
        try:
            return [value for value in find() if value.startswith(incomplete)]
        except WorkbenchError:
            # While a line is typed, there is no place for a message. Running the line shows it.
            return []

    return complete


def _contracts() -> Iterable[str]:
    from workbench.library.home_files import ContractFiles, find_folder

    return ContractFiles(find_folder("prompts", read_settings().home)).contract_names()


def _tools() -> Iterable[str]:
    from workbench.library.home_files import find_folder
    from workbench.toolbox.catalog import open_files

    settings = read_settings()
    catalog = open_files(find_folder("tools_catalog", settings.home), settings)
    toolsets = catalog.toolsets()
    return dict.fromkeys((*toolsets, *(name for tools in toolsets.values() for name in tools.names)))


def _models() -> Iterable[str]:
    from workbench.engines.hub.gguf_hub import GgufHub

    cached = (model.name for model in GgufHub(wait=lambda _seconds: None).cached())
    return dict.fromkeys((read_settings().model, "embedded", "embedded+bare", *cached))


def _mcp_servers() -> Iterable[str]:
    from workbench.toolbox.mcp.config import load_servers

    return load_servers(read_settings().tools_file)


def _presets() -> Iterable[str]:
    from workbench.wiring import open_own_data

    with open_own_data(read_settings()) as own:
        return [preset.name for preset in own.presets.list_presets()]


def _row_formats() -> Iterable[str]:
    from workbench.trajectory.formats.known import FORMATS

    return ("auto", *FORMATS)


def _families() -> Iterable[str]:
    from workbench.hermes.spelling.families import FAMILIES

    return FAMILIES


_VALUES: Final[dict[str, Callable[[], Iterable[str]]]] = {
    "--contract": _contracts,
    "--family": _families,
    "--judge": _models,
    "--model": _models,
    "--preset": _presets,
    "--tools": _tools,
}
"""What finds the values, by the option. It runs only while a shell asks, so it may load what it needs."""
_VALUES_BY_METAVAR: Final[dict[str, Callable[[], Iterable[str]]]] = {
    "FORMAT": _row_formats,
    "SERVER": _mcp_servers,
}
"""What finds the values of options and arguments that have different names."""
