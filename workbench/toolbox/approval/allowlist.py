"""What is always allowed: `command_allowlist` in a YAML settings file."""

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Final, cast

import yaml

from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput

KEY: Final = "command_allowlist"
"""*Source:* hermes-agent runtime: "allow permanently" writes here."""


class Allowlist:
    """Keys of commands that need no question any more (see `Danger.keys`), read from the file each time.

    Args:
        path: The settings file; it may not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()

    def keys(self) -> frozenset[str]:
        """What is always allowed.

        Raises:
            BadInput: The file is not YAML, or the list is not a list of texts.
        """
        text = self._text()
        return frozenset(_listed(text, self._path))

    def add(self, key: str) -> None:
        """Adds one key; all else in the file stays as it is, comments too.

        Raises:
            BadInput: The file cannot be read or written.
        """
        with self._lock:
            text = self._text()
            listed = _listed(text, self._path)
            if key in listed:
                return
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                fresh = self._path.with_suffix(".new")
                fresh.write_text(_with_item(text, key, [*listed, key]), encoding="utf-8")
                fresh.replace(self._path)
            except OSError as error:
                raise BadInput(str(self._path), str(error.strerror or error)) from error

    def _text(self) -> str:
        try:
            return self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(str(self._path), " ".join(str(error).split())) from error


def _listed(text: str, path: Path) -> list[str]:
    found = _loaded(text, path).get(KEY)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise BadInput(f"{path}, {KEY}", "not a list of texts", "write one per line, with - before it")
    return cast(list[str], found)


def _loaded(text: str, path: Path) -> Mapping[str, JsonValue]:
    try:
        value = cast(JsonValue, yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise BadInput(str(path), " ".join(str(error).split())[:300]) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadInput(str(path), "no settings file", f"write {KEY}: and a list")
    return cast(Mapping[str, JsonValue], value)


def _with_item(text: str, key: str, wanted: list[str]) -> str:
    """The text with one item more, put in by hand so that comments stay."""
    item = yaml.safe_dump([key], allow_unicode=True, width=100_000).strip()
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.split("#")[0].rstrip() == f"{KEY}:"]
    if not heads and KEY not in _loaded(text, Path()):
        return "\n".join([*lines, f"{KEY}:", f"  {item}", ""])
    if heads:
        following = lines[heads[0] + 1] if heads[0] + 1 < len(lines) else ""
        is_item = following.lstrip().startswith("- ")
        indent = following[: len(following) - len(following.lstrip())] if is_item else "  "
        edited = "\n".join([*lines[: heads[0] + 1], indent + item, *lines[heads[0] + 1 :], ""])
        if set(_listed(edited, Path())) == set(wanted):
            return edited
    # The list stands on one line, or is written in a way of its own: only its form changes.
    return yaml.safe_dump(
        {**_loaded(text, Path()), KEY: wanted}, sort_keys=False, allow_unicode=True, width=100_000
    )
