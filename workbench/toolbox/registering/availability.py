"""Whether a tool can be used here, and why not."""

from collections.abc import Iterable, Mapping

from workbench.toolbox.registering.entry import CheckFn, ToolEntry
from workbench.toolbox.task import Availability


def check_availability(
    entries: Iterable[ToolEntry], environment: Mapping[str, str]
) -> tuple[Availability, ...]:
    """One round: each entry's availability, in order; a `check_fn` that several share is called once.

    Args:
        entries: The tools to look at.
        environment: Variables by name; an empty value counts as missing.
    """
    asked: dict[CheckFn, str] = {}
    return tuple(
        Availability(
            name=entry.name,
            toolset=entry.toolset,
            reason=_missing(entry, environment) or _refused(entry.check_fn, asked),
            emoji=entry.emoji,
        )
        for entry in entries
    )


def _missing(entry: ToolEntry, environment: Mapping[str, str]) -> str:
    missing = [name for name in entry.requires_env if not environment.get(name)]
    if not missing:
        return ""
    return f"the variable {missing[0]} is not set" if len(missing) == 1 else f"not set: {', '.join(missing)}"


def _refused(check: CheckFn | None, asked: dict[CheckFn, str]) -> str:
    if check is None:
        return ""
    if check not in asked:
        asked[check] = _reason(check)
    return asked[check]


def _reason(check: CheckFn) -> str:
    """Why `check` says no: its exception's words, else the first line of its docstring."""
    try:
        if check():
            return ""
    except Exception as error:  # noqa: BLE001  a check that fails means that the tool cannot be used
        return " ".join(str(error).split())[:200] or type(error).__name__
    said = (getattr(check, "__doc__", None) or "").strip().splitlines()
    return said[0] if said else "its check says no"
