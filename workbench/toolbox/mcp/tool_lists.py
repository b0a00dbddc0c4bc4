"""The tools that each MCP server listed last, in a file: a server need not be started to know its tools."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final, cast

from workbench.toolbox.mcp.bounds import ServerTool
from workbench.toolbox.mcp.config import McpServerConfig

_MOST_BYTES: Final = 16 * 2**20


class ToolLists:
    """Remembers the tools of servers. A list counts only for the configuration that it was made with.

    The file can be deleted at any time. If it cannot be read or written, servers are asked again.

    Args:
        path: The file; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()

    def find(self, name: str, server: McpServerConfig) -> tuple[ServerTool, ...] | None:
        """Return the tools of a server, or None if they are not known."""
        entry: Any = self._read().get(name)
        try:
            if entry["configuration"] != _fingerprint(server):
                return None
            return tuple(ServerTool(**fields) for fields in entry["tools"])
        except (KeyError, TypeError):
            return None

    def save(self, name: str, server: McpServerConfig, tools: Sequence[ServerTool]) -> None:
        """Remember the tools of a server."""
        entry = {"configuration": _fingerprint(server), "tools": [asdict(tool) for tool in tools]}
        with self._lock:
            lists = self._read()
            if lists.get(name) != entry:
                self._write({**lists, name: entry})

    def remove(self, name: str) -> None:
        """Forget the tools of a server."""
        with self._lock:
            lists = self._read()
            if name in lists:
                self._write({key: entry for key, entry in lists.items() if key != name})

    def _read(self) -> dict[str, Any]:
        try:
            if self._path.stat().st_size > _MOST_BYTES:
                return {}
            loaded = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return cast(dict[str, Any], loaded) if isinstance(loaded, dict) else {}

    def _write(self, lists: Mapping[str, Any]) -> None:
        # A folder that cannot be written to only means that servers are asked again next time.
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._path.with_suffix(".new")
            fresh.write_text(json.dumps(lists), encoding="utf-8")
            fresh.replace(self._path)


def _fingerprint(server: McpServerConfig) -> str:
    """Return a hash of the configuration. It may contain keys, which do not belong into another file."""
    return sha256(json.dumps(server.fields, sort_keys=True).encode()).hexdigest()
