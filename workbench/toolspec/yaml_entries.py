"""Change one entry of a YAML file that people edit too: comments, blank lines and all other entries stay as they are.

For example, removing `b` from

    servers:
      a: {base_url: http://a/v1}
      b:
        base_url: http://b/v1
      # the fast one
      c: {base_url: http://c/v1}

keeps the comment, which belongs to `c`.
"""

from collections.abc import Mapping
from typing import Any

import yaml

from workbench.errors import BadInput


def with_entry(text: str, key: str, name: str, fields: Mapping[str, Any], *, where: str) -> str:
    """Return the text with an entry of the mapping at `key` added, or replaced where it is.

    Args:
        where: The file, for error messages.

    Raises:
        BadInput: The mapping is not written in lines of its own.
    """
    lines, place, indent = _without(text, key, name, where)
    entry = [indent + line for line in yaml.safe_dump({name: dict(fields)}, sort_keys=False).splitlines()]
    if place is None:
        lines, place = [*lines, f"{key}:"], len(lines) + 1
    return _joined([*lines[:place], *entry, *lines[place:]])


def without_entry(text: str, key: str, name: str, *, where: str) -> str:
    """Return the text without an entry of the mapping at `key`, and without the key if it was the only entry.

    Raises:
        BadInput: The mapping is not written in lines of its own.
    """
    lines, place, _ = _without(text, key, name, where)
    left: Any = yaml.safe_load(_joined(lines)) or {}
    if place is not None and not left.get(key):
        lines = [line for line in lines if line.rstrip() != f"{key}:"]
    return _joined(lines)


def _joined(lines: list[str]) -> str:
    return "\n".join([*lines, ""]) if lines else ""


def _without(text: str, key: str, name: str, where: str) -> tuple[list[str], int | None, str]:
    """Return the lines without an entry, where to insert it, and how entries are indented.

    The place is None if the text has no such key yet.
    """
    lines = text.splitlines()
    document: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs: list[tuple[Any, Any]] = document.value if isinstance(document, yaml.MappingNode) else []
    found = next(((node, value) for node, value in pairs if node.value == key), None)
    if found is None:
        return lines, None, "  "
    node, entries = found
    start: int = node.start_mark.line + 1
    if not isinstance(entries, yaml.MappingNode):
        return lines, start, "  "
    if entries.flow_style or lines[start - 1].rstrip() != f"{key}:":
        problem = "the key is not on its own line"
        raise BadInput(f"{where}, {key}", problem, f"write `{key}:` on a line and the servers below it")
    indent = " " * entries.start_mark.column
    for entry, value in entries.value:
        if entry.value == name:
            first: int = entry.start_mark.line
            last: int = value.end_mark.line - (value.end_mark.column == 0)
            # The end of a block is where the next text begins: comments in between belong to that text.
            last = min(last, len(lines) - 1)
            while last > first and _is_apart(lines[last], entry.start_mark.column):
                last -= 1
            return [*lines[:first], *lines[last + 1 :]], first, indent
    return lines, start, indent


def _is_apart(line: str, column: int) -> bool:
    """Whether a line is not part of a block whose key is in this column."""
    return not line.strip() or len(line) - len(line.lstrip()) <= column
