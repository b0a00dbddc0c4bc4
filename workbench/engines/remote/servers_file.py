"""The file `servers.yaml` in the data folder, which people and the page edit. It is read again when it changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from workbench.engines.remote.server import DEFAULT_URLS, KeyPlace, Mode, Server, ServerKind, ToolsBy
from workbench.engines.remote.server_keys import ServerKeys
from workbench.errors import BadInput
from workbench.settings import Secret
from workbench.toolspec.form_faults import first_fault
from workbench.toolspec.yaml_entries import with_entry, without_entry

FILE: Final = "servers.yaml"
_KEY: Final = "servers"

ReadSecret = Callable[[str], Secret | None]
"""Returns the API key in a variable, or None if it is not set."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: ServerKind = ServerKind.OPENAI
    base_url: str = ""
    key_variable: str = ""
    key_in: KeyPlace = KeyPlace.VARIABLE
    mode: Mode = Mode.CHAT
    tools: ToolsBy = ToolsBy.SERVER
    timeout_s: float | None = Field(default=None, ge=1)
    context_tokens: int = Field(default=0, ge=0)
    models: list[str] = Field(default_factory=list[str])

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, value: str) -> str:
        if value and urlsplit(value).scheme not in ("http", "https"):
            raise ValueError("an address must start with http:// or https://")
        return value


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    servers: dict[str, _Entry] = Field(default_factory=dict[str, _Entry])


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerDraft:
    """A server as a person enters it."""

    name: str
    base_url: str
    kind: ServerKind = ServerKind.OPENAI
    key: Secret | None = None
    """The API key. None keeps the one that the server has, or uses none."""
    key_place: KeyPlace = KeyPlace.SESSION
    key_variable: str = ""
    """The variable with the key, if that is its place. Empty then means that the server needs no key."""


class ServersFile:
    """The servers of a data folder. Thread-safe."""

    def __init__(self, folder: Path, *, timeout_s: float, read_secret: ReadSecret) -> None:
        """Read the file.

        Args:
            folder: The data folder.
            timeout_s: Timeout of servers that do not set one.
            read_secret: Reads the API key from a variable.

        Raises:
            BadInput: The file cannot be parsed, or a server has no address.
        """
        self.path = folder / FILE
        self.problem = ""
        """Why the newest version of the file is not used. Empty if it is."""
        self._keys = ServerKeys(folder)
        self._timeout_s = timeout_s
        self._read_secret = read_secret
        self._lock = Lock()
        self._signature = self._stamp()
        self._servers: Mapping[str, Server] = self._load()

    def servers(self) -> Mapping[str, Server]:
        """Return the servers by name, in the order of the file. While it cannot be parsed, the last ones that could."""
        with self._lock:
            if (signature := self._stamp()) != self._signature:
                self._signature = signature
                try:
                    self._servers, self.problem = self._load(), ""
                except BadInput as error:
                    self.problem = str(error)
            return self._servers

    def save(self, draft: ServerDraft, *, replaces: str = "") -> None:
        """Add a server, or replace the address, kind and key of one. Comments in the file stay.

        Args:
            draft: A key goes where it says, never into the file.
            replaces: Name of the server that is edited. Empty adds one.

        Raises:
            BadInput: The file or the key cannot be written.
        """
        fields: dict[str, Any] = dict(self._entries().get(replaces, {}))
        fields |= {"base_url": draft.base_url, "kind": draft.kind.value}
        is_named = draft.key_place is KeyPlace.VARIABLE
        key = None if is_named else draft.key or self._key_to_keep(replaces, draft)
        for name in ("key_in", "key_variable"):
            fields.pop(name, None)
        if is_named and draft.key_variable:
            fields["key_variable"] = draft.key_variable
        if key is not None:
            fields["key_in"] = draft.key_place.value
            self._keys.save(draft.name, key, draft.key_place)
        text = self._text()
        if replaces not in ("", draft.name):
            text = without_entry(text, _KEY, replaces, where=str(self.path))
        self._write(with_entry(text, _KEY, draft.name, fields, where=str(self.path)))
        if replaces and (key is None or replaces != draft.name):
            self._keys.forget(replaces)

    def remove(self, name: str) -> None:
        """Remove a server and its key.

        Raises:
            BadInput: The file has no such server, or cannot be written.
        """
        if name not in self._entries():
            raise BadInput(f"server {name!r}", f"it is not in {self.path}")
        self._write(without_entry(self._text(), _KEY, name, where=str(self.path)))
        self._keys.forget(name)

    def _key_to_keep(self, replaces: str, draft: ServerDraft) -> Secret | None:
        """Return the key of the server that is edited, if none was entered. A new address does not get the old key."""
        old = self._servers.get(replaces)
        is_same_place = old is not None and _origin(old.base_url) == _origin(draft.base_url)
        is_entered = old is not None and old.key_place is not KeyPlace.VARIABLE
        return old.key if old is not None and is_same_place and is_entered else None

    def _stamp(self) -> tuple[int, ...]:
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8") if self.path.is_file() else ""

    def _entries(self) -> Mapping[str, Any]:
        self._load()
        file: Any = yaml.safe_load(self._text()) or {}
        return file.get(_KEY) or {}

    def _load(self) -> Mapping[str, Server]:
        try:
            file = _File.model_validate(yaml.safe_load(self._text()) or {})
        except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
            raise BadInput(f"file {self.path}", " ".join(str(error).split())) from error
        except ValidationError as error:
            place, problem = first_fault(error, _File)
            raise BadInput(f"file {self.path}, {place or 'the file'}", problem) from None
        return {name: self._server(name, entry) for name, entry in file.servers.items()}

    def _server(self, name: str, entry: _Entry) -> Server:
        base_url = entry.base_url or DEFAULT_URLS.get(entry.kind, "")
        if not base_url:
            where = f"file {self.path}, servers.{name}"
            raise BadInput(where, "base_url is missing", "add the address, such as https://host/v1")
        if entry.key_in is KeyPlace.VARIABLE:
            key = self._read_secret(entry.key_variable) if entry.key_variable else None
        else:
            key = self._keys.read(name, entry.key_in)
        return Server(
            name=name,
            base_url=base_url,
            key=key,
            key_variable=entry.key_variable or f"key_variable of {name!r} in {FILE}",
            key_place=entry.key_in,
            kind=entry.kind,
            mode=entry.mode,
            tools_by=entry.tools,
            timeout_s=entry.timeout_s or self._timeout_s,
            context_tokens=entry.context_tokens,
            models=tuple(entry.models),
        )

    def _write(self, text: str) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self.path.with_suffix(".new")
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(self.path)
        except OSError as error:
            raise BadInput(f"file {self.path}", str(error.strerror or error)) from error


def _origin(url: str) -> tuple[str, str]:
    return urlsplit(url).scheme, urlsplit(url).netloc
