"""All servers with models: of the settings, of `servers.yaml`, and those that guests added for their own session."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from workbench.engines.remote.probes.server_probes import ServerProbes
from workbench.engines.remote.probes.server_report import ServerReport, report_on
from workbench.engines.remote.server import KeyPlace, Server, ServerKind
from workbench.engines.remote.servers_file import ServerDraft, ServersFile
from workbench.engines.remote.transport.model_lists import ServerLists
from workbench.errors import BadInput

MOST_GUEST_SERVERS: Final = 5
"""How many servers a guest may add."""
MOST_GUESTS: Final = 500
"""How many guests have servers at a time. The one who did not use theirs for longest loses them."""
GUEST_S: Final = 12 * 3600.0
"""How long the servers of a guest, and their keys, are kept after they were last used."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class ServerStatus(StrEnum):
    """What a server said when it was last asked for its models."""

    NOT_ASKED = "not asked yet"
    LISTED = "listed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """A server with its state."""

    server: Server
    """With the kind that its list shows."""
    configured: ServerKind
    """The kind that was entered. `openai` detects it."""
    status: ServerStatus
    models: tuple[str, ...] = ()
    """Names of the models that it has listed, without its own name."""
    reason: str = ""
    """Why it failed. Empty if it did not."""
    can_edit: bool = False


@dataclass(slots=True)
class _Guest:
    servers: dict[str, Server] = field(default_factory=dict[str, Server])
    used_s: float = 0.0


class ServerBook:
    """The servers that one person may use. All views share what is known about the servers. Thread-safe."""

    def __init__(
        self,
        *,
        file: ServersFile | None = None,
        fixed: Mapping[str, Server] | None = None,
        default: Server | None = None,
        lists: ServerLists | None = None,
        probes: ServerProbes | None = None,
        timeout_s: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask no server yet.

        Args:
            file: The servers of the data folder. None if there are only fixed ones.
            fixed: Servers that cannot be edited, by name.
            default: The server of the settings. None if they do not configure one.
            lists: Asks servers for their models. None asks them over the network.
            probes: Finds out what servers can do. None asks them over the network.
            timeout_s: Timeout of servers that a guest adds.
        """
        self.default = default
        self.lists = lists or ServerLists()
        self.probes = probes or ServerProbes()
        self._file = file
        self._fixed = fixed or {}
        self._timeout_s = timeout_s
        self._clock = clock
        self._guests: dict[str, _Guest] = {}
        self._lock = Lock()
        self._guest: str | None = None

    def of(self, guest: str | None) -> "ServerBook":
        """Return the view of a person.

        Args:
            guest: Key of a guest, whose own servers are included; empty for one who cannot add any. None for somebody
                who may edit the servers of this machine.
        """
        view = copy(self)
        view._guest = guest
        return view

    @property
    def shared(self) -> Mapping[str, Server]:
        """The servers of this machine by name. The file is read again if it has changed."""
        return {**self._fixed, **(self._file.servers() if self._file else {})}

    @property
    def own(self) -> Mapping[str, Server]:
        """The servers that the guest added, by name."""
        with self._lock:
            guest = self._guests.get(self._guest or "")
            if guest is None or self._clock() - guest.used_s > GUEST_S:
                return {}
            guest.used_s = self._clock()
            return dict(guest.servers)

    @property
    def named(self) -> Mapping[str, Server]:
        """All servers by name. A server of this machine hides one that a guest gave the same name."""
        return {**self.own, **self.shared}

    @property
    def all(self) -> Sequence[Server]:
        """All servers, the one of the settings first. Its name is empty."""
        return [*((self.default,) if self.default else ()), *self.named.values()]

    def states(self) -> Sequence[ServerState]:
        """Return the servers with their states, without asking them. A guest sees only their own."""
        return [self._state(server) for server in (self.all if self._guest is None else self.own.values())]

    @property
    def file_problem(self) -> str:
        """Why the newest version of the file is not used. Empty if it is, and for guests."""
        return self._file.problem if self._file and self._guest is None else ""

    @property
    def can_add(self) -> bool:
        """Whether the person may add a server."""
        return self._file is not None if self._guest is None else bool(self._guest)

    def retry(self, name: str) -> None:
        """Ask a server again for its models. A failure becomes its state.

        Raises:
            BadInput: There is no such server.
        """
        server = self._editable(name)
        self.lists.expire(server)
        self.lists.ask_all([server])

    def test(self, name: str, model: str = "") -> ServerReport:
        """Find out what a server can do for a model, with about twenty short requests.

        Args:
            model: Name of the model on the server. Empty takes its first one.

        Raises:
            BadInput: There is no such server.
        """
        server = self._editable(name)
        self.lists.expire(server)
        return report_on(server, model, self.lists, self.probes)

    def save(self, draft: ServerDraft, *, replaces: str = "") -> None:
        """Add a server, or replace the one of a name, and ask it for its models.

        Raises:
            BadInput: The name or the address is invalid, or the server cannot be stored.
        """
        draft = replace(draft, name=draft.name.strip(), base_url=draft.base_url.strip())
        self._check(draft, replaces)
        if self._guest is not None:
            self._save_own(draft, replaces)
        elif self._file is not None:
            self._file.save(draft, replaces=replaces)
        self.retry(draft.name)

    def remove(self, name: str) -> None:
        """Remove a server and its key.

        Raises:
            BadInput: There is no such server, or the file cannot be written.
        """
        self._editable(name)
        if self._guest is not None:
            with self._lock:
                self._guests[self._guest].servers.pop(name, None)
        elif self._file is not None:
            self._file.remove(name)

    def _state(self, server: Server) -> ServerState:
        listed, failure = self.lists.known(server), self.lists.failure(server)
        status = ServerStatus.LISTED if self.lists.was_asked(server) else ServerStatus.NOT_ASKED
        return ServerState(
            server=server.completed(software=listed.software),
            configured=server.kind,
            status=ServerStatus.FAILED if failure else status,
            models=tuple(dict.fromkeys((*server.models, *listed.names))),
            reason=failure.reason if failure else "",
            can_edit=bool(server.name) and server.name not in self._fixed,
        )

    def _editable(self, name: str) -> Server:
        found = next((state.server for state in self.states() if state.server.name == name), None)
        if found is None:
            raise BadInput(f"server {name[:100]!r}", "there is no such server", "choose one from the list")
        # Not completed by its list, which is about to be asked for again.
        if self._guest is not None:
            return self.own[name]
        return self.default if not name and self.default else self.named[name]

    def _check(self, draft: ServerDraft, replaces: str) -> None:
        if not self.can_add:
            raise BadInput("server", "you cannot add a server here", "sign in, or open the page in a browser")
        if not _NAME.fullmatch(draft.name):
            problem = "it must have 1 to 40 letters, digits, dots, dashes or underscores"
            raise BadInput(f"name of the server {draft.name[:100]!r}", problem)
        if draft.name != replaces and draft.name in self.named:
            raise BadInput(f"server {draft.name!r}", "there is a server of this name", "choose another name")
        try:
            parts = urlsplit(draft.base_url)
            is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            parts, is_valid = urlsplit(""), False
        if not is_valid:
            raise BadInput("URL of the server", "it is not an address", "for example: https://host/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise BadInput(
                "URL of the server", "it has a user, a password or a query", "enter the key as API key"
            )
        if replaces:
            self._editable(replaces)

    def _save_own(self, draft: ServerDraft, replaces: str) -> None:
        assert self._guest is not None
        with self._lock:
            guest = self._guests.pop(self._guest, None) or _Guest()
            # The guest of the newest use is the last one.
            self._guests[self._guest] = guest
            guest.used_s = self._clock()
            old = guest.servers.pop(replaces, None)
            if len(guest.servers) >= MOST_GUEST_SERVERS:
                problem = f"you have {MOST_GUEST_SERVERS} servers, which is the limit"
                raise BadInput("server", problem, "remove one first")
            is_same_place = old is not None and urlsplit(old.base_url)[:2] == urlsplit(draft.base_url)[:2]
            guest.servers[draft.name] = Server(
                name=draft.name,
                base_url=draft.base_url,
                key=draft.key or (old.key if old and is_same_place else None),
                key_place=KeyPlace.SESSION,
                kind=draft.kind,
                timeout_s=self._timeout_s,
                is_guest=True,
            )
            self._drop_unused()

    def _drop_unused(self) -> None:
        now_s = self._clock()
        unused = [key for key, guest in self._guests.items() if now_s - guest.used_s > GUEST_S]
        for key in (*unused, *list(self._guests)[: max(0, len(self._guests) - len(unused) - MOST_GUESTS)]):
            self._guests.pop(key, None)
