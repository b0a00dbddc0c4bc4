"""Tools for files in memory. Each session has its own few files, and the real disk is never used."""

from collections.abc import Mapping
from threading import Lock
from typing import Any, Final

from workbench.toolbox.registry import Registry

MOST_FILES: Final = 100
MOST_CHARS: Final = 100_000
MOST_SESSIONS: Final = 500
FIRST_FILES: Final[Mapping[str, str]] = {
    "README.md": "# Notes\n\nTodo lists live in notes/, figures in data/.\n",
    "notes/todo.txt": "- buy oats\n- call Ana\n- fix the flumbuster\n",
    "data/readings.csv": "day,flumb\n2026-11-20,31\n2026-11-21,29\n2026-11-22,\n",
}
"""Files of a new session. The last reading is missing on purpose."""

_PATH: Final = {"type": "string", "description": "Path, such as notes/todo.txt"}


def _schema(description: str, properties: Mapping[str, Any], *required: str) -> Mapping[str, Any]:
    return {
        "description": description,
        "parameters": {
            "type": "object",
            "properties": dict(properties),
            "required": list(required),
            "additionalProperties": False,
        },
    }


LIST_FILES: Final = _schema(
    "List the files in the workspace.",
    {"folder": {"type": "string", "description": "Only below this folder"}},
)
READ_FILE: Final = _schema("Read a text file of the workspace.", {"path": _PATH}, "path")
WRITE_FILE: Final = _schema(
    "Write a text file of the workspace; what was there is replaced.",
    {"path": _PATH, "content": {"type": "string", "description": "The whole new text"}},
    "path",
    "content",
)
SEARCH_FILES: Final = _schema(
    "Find lines in the files of the workspace that hold a text.",
    {"text": {"type": "string", "minLength": 1, "description": "Text to find, letter by letter"}},
    "text",
)


class Workspaces:
    """The files of all sessions, by session and path."""

    def __init__(self) -> None:
        self._files: dict[str, dict[str, str]] = {}
        self._lock = Lock()

    def list_files(self, arguments: Mapping[str, Any], *, session_id: str) -> Mapping[str, Any]:
        """List the files with their sizes: the handler of `list_files`."""
        folder = str(arguments.get("folder", "")).strip("/.")
        with self._lock:
            files = self._of(session_id)
            found = {
                path: text for path, text in files.items() if not folder or path.startswith(f"{folder}/")
            }
        return {"files": [{"path": path, "chars": len(text)} for path, text in sorted(found.items())]}

    def read_file(self, arguments: Mapping[str, Any], *, session_id: str) -> Mapping[str, Any]:
        """Return the text of a file: the handler of `read_file`."""
        path = _cleaned(arguments["path"])
        with self._lock:
            text = self._of(session_id).get(path)
        return {"error": f"no such file: {path}"} if text is None else {"path": path, "content": text}

    def write_file(self, arguments: Mapping[str, Any], *, session_id: str) -> Mapping[str, Any]:
        """Write a file, within limits: the handler of `write_file`."""
        path, content = _cleaned(arguments["path"]), str(arguments["content"])
        if not path or ".." in path.split("/"):
            return {"error": "the path leaves the workspace"}
        if len(content) > MOST_CHARS:
            return {"error": f"over {MOST_CHARS} characters"}
        with self._lock:
            files = self._of(session_id)
            if path not in files and len(files) >= MOST_FILES:
                return {"error": f"the workspace is full: {MOST_FILES} files"}
            is_new = path not in files
            files[path] = content
        return {"path": path, "status": "created" if is_new else "replaced", "chars": len(content)}

    def search_files(self, arguments: Mapping[str, Any], *, session_id: str) -> Mapping[str, Any]:
        """Return up to fifty lines that contain a text: the handler of `search_files`."""
        with self._lock:
            files = sorted(self._of(session_id).items())
        found = [
            {"path": path, "line": number, "text": line}
            for path, text in files
            for number, line in enumerate(text.splitlines(), start=1)
            if arguments["text"] in line
        ]
        return {"matches": found[:50], "total": len(found)}

    def _of(self, session_id: str) -> dict[str, str]:
        files = self._files.pop(session_id, None)
        self._files[session_id] = files = dict(FIRST_FILES) if files is None else files
        if len(self._files) > MOST_SESSIONS:
            del self._files[next(iter(self._files))]
        return files


def register_tools(registry: Registry) -> None:
    """Register the toolset `files`."""
    workspaces = Workspaces()
    registry.register_toolset("files", "Files in memory. Each session has its own workspace.")
    registry.register("list_files", "files", LIST_FILES, workspaces.list_files, emoji="📁")
    registry.register("read_file", "files", READ_FILE, workspaces.read_file, emoji="📄")
    registry.register("write_file", "files", WRITE_FILE, workspaces.write_file, emoji="✏️")
    registry.register("search_files", "files", SEARCH_FILES, workspaces.search_files, emoji="🔎")


def _cleaned(path: object) -> str:
    """Normalize a path, for example `./a//b` to `a/b`."""
    return "/".join(part for part in str(path).replace("\\", "/").split("/") if part not in ("", "."))
