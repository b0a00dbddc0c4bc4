"""Every available model, by the names that `--model` accepts."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple, Protocol

from workbench.engines.adapters import PLUS, is_plain, place_of
from workbench.engines.models import HUB, LocalModels
from workbench.engines.remote.engine import RemoteEngine, ServerFacts
from workbench.engines.remote.server import Mode, Server
from workbench.engines.remote.server_book import ServerBook
from workbench.errors import BadInput, ModelMissing
from workbench.rollout.models import ModelStatus, without_mode
from workbench.rollout.ports import Engine
from workbench.settings import Secret

OPENAI: Final = "openai:"
HF_INFERENCE: Final = "hf-inference:"
SCRIPTED: Final = "scripted:"
REPLAY: Final = "replay:"
ZERO_GPU: Final = "zerogpu:"
_BY_NAME: Final = (HUB, HF_INFERENCE, OPENAI, f"{ZERO_GPU}{HUB}")
"""Prefixes of names that do not contain a path on this machine."""
_REMOTE: Final = (OPENAI, HF_INFERENCE)
_LIGHT: Final = (OPENAI, HF_INFERENCE, SCRIPTED, REPLAY, ZERO_GPU)


class _LightEngine(Engine, Protocol):
    """An engine without weights in this process."""

    @property
    def device(self) -> str: ...

    def close(self) -> None: ...


class _Opened(NamedTuple):
    engine: _LightEngine
    server: Server | None
    """The server that it asks. None for engines without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSources:
    """Sources of engines other than GGUF files."""

    servers: Mapping[str, Server] = field(default_factory=dict[str, Server], hash=False)
    """Servers by name, if they cannot change."""
    default_server: Server | None = None
    """The server of the settings. None if they do not configure one."""
    scripts: tuple[Path, ...] = ()
    """Folders with scripts, `NAME.yaml`. The first folder that contains a name wins."""
    recordings: Path | None = None
    """Folder with recordings, `NAME.jsonl`."""
    timeout_s: float = 120.0
    """Timeout of the hub's Inference Providers."""
    hf_base_url: str | None = None
    """Address of an endpoint to use instead of the Inference Providers. None uses the providers."""


class AllModels:
    """All models; see `workbench.rollout.models.Models`. One local model is loaded at a time, others in parallel."""

    def __init__(
        self,
        *,
        local: LocalModels,
        default: str,
        sources: EngineSources,
        cached_names: Callable[[], Sequence[str]] = tuple,
        wait: Callable[[float], None] = time.sleep,
        lends_token_to: frozenset[str] | None = None,
        servers: ServerBook | None = None,
    ) -> None:
        """Load nothing yet.

        Args:
            local: Models in GGUF files.
            default: Name of the default model.
            sources: Sources of all other models.
            cached_names: Returns the names of models of the hub that are on this machine.
            wait: Sleeps for a number of seconds.
            lends_token_to: Models of the Inference Providers for which visitors may use this machine's access token,
                whose owner pays for them. Other models need the caller's own token. None allows all models.
            servers: The servers. None takes those of `sources`.
        """
        self.servers = servers or ServerBook(fixed=sources.servers, default=sources.default_server)
        self._lends_token_to = lends_token_to
        self._allows_paths = True
        self._local = local
        self._default = default
        self._sources = sources
        self._cached_names = cached_names
        self._wait = wait
        self._light: dict[str, _Opened] = {}
        self._lock = Lock()

    def with_paths(self, *, is_permitted: bool, guest: str = "") -> "AllModels":
        """Return a view that shares the loaded models; see `workbench.rollout.models.Models`."""
        view = copy(self)
        view._allows_paths = is_permitted
        view.servers = self.servers.of(None if is_permitted else guest)
        return view

    def names(self) -> Sequence[str]:
        """Return the default model, then models on this machine, on servers, scripts and recordings."""
        names = (*self._configured(), *self._listed())
        return tuple(dict.fromkeys(name for name in names if self._is_offered(name)))

    def ask_servers(self) -> Sequence[str]:
        """Ask all servers at once; see `workbench.rollout.models.Models`."""
        return [str(failure) for failure in self.servers.lists.ask_all(self.servers.all).values()]

    def check(self, name: str) -> None:
        """Contact the model's server; see `workbench.rollout.models.Models`."""
        server, model = self._server(name) if name.startswith(OPENAI) else (None, "")
        if server is not None and self._is_offered(name):
            self.servers.lists.check(server, model)
            self.servers.probes.ask(
                server.completed(software=self.servers.lists.known(server).software), model
            )

    def find(self, name: str) -> None:
        """Make sure that there is a model with this name, without loading it. Servers are asked.

        Raises:
            ModelMissing: Its file, script or recording is not on this machine.
            BadInput: The name has an unknown form, or its adapter does not exist.
            RemoteFailed: Its server does not answer, refuses the key, or has no such model.
        """
        if _is_light(name) and not name.startswith(ZERO_GPU):
            self.engine(name)
            self.check(name)
        else:
            local_name = name.removeprefix(ZERO_GPU)
            self._local.path(local_name)
            self._local.loading_of(local_name)

    def engine(self, name: str, *, token: Secret | None = None) -> Engine:
        """Return the engine for a name; see `workbench.rollout.models.Models`."""
        if not self._is_offered(name):
            raise BadInput(
                f"model {name[:100]!r}",
                "there is no such model here",
                "choose one from the list of models",
            )
        if not _is_light(name):
            return self._local.engine(name)
        if name.startswith(HF_INFERENCE) and token is not None:
            # With a visitor's own token: the engine is used for one turn, and by nobody else.
            return self._hf_inference(name, token)
        server = self._server(name)[0] if name.startswith(OPENAI) else None
        if server is not None and server.is_guest:
            return self._open(name)
        with self._lock:
            known = self._light.get(name)
            if known is not None and known.server == server:
                return known.engine
            if known is not None:
                # Its server was edited.
                known.engine.close()
            self._light[name] = _Opened(self._open(name), server)
            return self._light[name].engine

    def status(self, name: str) -> ModelStatus:
        """Return the status of a model without loading it; see `workbench.rollout.models.Models`."""
        if not self._is_offered(name):
            # The answer must not depend on whether there is such a file.
            return ModelStatus(name=name, device="", is_loaded=False)
        if not _is_light(name):
            return self._local.status(name)
        opened = self._light.get(name)
        engine = opened.engine if opened else None
        if name.startswith(_REMOTE):
            return self._remote_status(name, engine)
        return ModelStatus(name=name, device=engine.device if engine else "", is_loaded=engine is not None)

    def _remote_status(self, name: str, engine: _LightEngine | None) -> ModelStatus:
        server, model = self._server(name) if name.startswith(OPENAI) else (None, "")
        has_answered = isinstance(engine, RemoteEngine) and engine.has_answered
        if server is not None and not has_answered:
            has_answered = self.servers.lists.accepts(server, model)
        facts = self._facts(server, model) if server else ServerFacts()
        return ModelStatus(
            name=name,
            device=server.place if server else engine.device if engine else "",
            is_loaded=has_answered,
            is_remote=True,
            context_tokens=(server and server.context_tokens) or facts.context_tokens,
            abilities=facts.probed.abilities if facts.probed else None,
            writes_tools=server.writes_tools if server else name.startswith(HF_INFERENCE),
        )

    def scripted(self, name: str, completions: Sequence[str]) -> Engine:
        """Return an engine that writes these completions; see `workbench.rollout.models.Models`."""
        from workbench.engines.scripted import CompletionScript, ScriptedEngine

        return ScriptedEngine(CompletionScript(completions=[*completions]), name=name, wait=self._wait)

    def close(self) -> None:
        """Unload all models."""
        self._local.close()
        with self._lock:
            for opened in self._light.values():
                opened.engine.close()
            self._light.clear()

    def _is_offered(self, name: str) -> bool:
        """Return whether a model may be used under this name.

        With permission for paths, any name may. Otherwise only names that the owner of the server chose, and names
        that neither open a path nor use the key of a server, for which somebody pays.
        """
        server = self._server(name)[0] if name.startswith(OPENAI) else None
        if self._allows_paths or (server is not None and server.is_guest):
            return True
        if without_mode(name) in self._configured():
            return True
        return _opens_no_path(name) and not self._needs_our_key(name)

    def _needs_our_key(self, name: str) -> bool:
        server = self._server(name)[0] if name.startswith(OPENAI) else None
        return server is not None and server.key is not None

    def _open(self, name: str) -> _LightEngine:
        if name.startswith(OPENAI):
            return self._openai(name)
        if name.startswith(HF_INFERENCE):
            from workbench.engines.remote.openai_api import stored_token

            is_lent = self._lends_token_to is None or name in self._lends_token_to
            return self._hf_inference(name, stored_token() if is_lent else None)
        if name.startswith(SCRIPTED):
            from workbench.engines.scripted import load_scripted

            return load_scripted(self._script(name.removeprefix(SCRIPTED)), name=name, wait=self._wait)
        if name.startswith(ZERO_GPU):
            from workbench.engines.zero_gpu import ZeroGpuEngine

            local_name = name.removeprefix(ZERO_GPU)
            return ZeroGpuEngine(
                self._local.path(local_name), name=name, loading=self._local.loading_of(local_name)
            )
        from workbench.engines.replay import load_replay

        return load_replay(self._recording(name.removeprefix(REPLAY)), name=name)

    def _openai(self, name: str) -> _LightEngine:
        from workbench.engines.remote.openai_api import open_openai

        server, model = self._server(name)
        if server is None:
            raise ModelMissing(name, self._no_server())
        if not model:
            raise BadInput(
                f"model {name!r}",
                "the name of the model is missing",
                "use openai:MODEL or openai:SERVER/MODEL",
            )
        return open_openai(
            server,
            model,
            name=name,
            wait=self._wait,
            facts=lambda: self._facts(server, model),
            ask_abilities=lambda is_cancelled: self._ask_abilities(server, model, is_cancelled),
        )

    def _no_server(self) -> str:
        """Return what to do about a name without a server. Only operators can change the settings."""
        if not self._allows_paths:
            return "choose a model from the list, or add your own server on the Models tab"
        known = ", ".join(self.servers.named)
        return "set WORKBENCH_OPENAI_BASE_URL" + (f", or use one of these servers: {known}" if known else "")

    def _ask_abilities(self, server: Server, model: str, is_cancelled: Callable[[], bool]) -> None:
        """Ask a server what it can do. The first time, wait for the answers as for those of other requests."""
        wait_s = 0.0
        if not self.servers.probes.was_asked(server, model):
            wait_s = server.timeout_s
            # Its list shows its software. A failure is reported by the request that follows.
            self.servers.lists.ask_all([server])
        completed = server.completed(software=self.servers.lists.known(server).software)
        self.servers.probes.ask(completed, model, wait_s=wait_s, is_cancelled=is_cancelled)

    def _facts(self, server: Server, model: str) -> ServerFacts:
        """Return what a server's list and its probes said about a model, without asking."""
        listed = self.servers.lists.known(server)
        return ServerFacts(
            context_tokens=listed.context_of(model),
            software=listed.software,
            probed=self.servers.probes.known(server, model),
        )

    def _server(self, name: str) -> tuple[Server | None, str]:
        """Return the server and the model of `openai:SERVER/MODEL`, or of `openai:MODEL` with the settings' server.

        The server has the mode at the end of the name, if there is one.
        """
        model = without_mode(name).removeprefix(OPENAI)
        first, _, rest = model.partition("/")
        named = self.servers.named
        server, model = (named[first], rest) if first in named else (self.servers.default, model)
        mode = next((mode for mode in Mode if name.endswith(f"{PLUS}{mode}")), None)
        return replace(server, mode=mode) if server and mode else server, model

    def _hf_inference(self, name: str, token: Secret | None) -> _LightEngine:
        from workbench.engines.remote.openai_api import open_hf_inference

        repository = name.removeprefix(HF_INFERENCE)
        if not repository.partition("/")[2]:
            remedy = "use hf-inference:OWNER/MODEL or hf-inference:OWNER/MODEL:PROVIDER"
            raise BadInput(f"model {name!r}", "this is not a model of the hub", remedy)
        return open_hf_inference(
            repository,
            name=name,
            token=token,
            timeout_s=self._sources.timeout_s,
            wait=self._wait,
            base_url=self._sources.hf_base_url,
        )

    def _script(self, name: str) -> Path:
        paths = (folder / f"{name}.yaml" for folder in self._sources.scripts if is_plain(name))
        return next((path for path in paths if path.is_file()), place_of(name))

    def _recording(self, name: str) -> Path:
        folder = self._sources.recordings
        own = folder / f"{name}.jsonl" if folder and is_plain(name) else None
        return own if own and own.is_file() else place_of(name)

    def _configured(self) -> Sequence[str]:
        """Return the names that the settings, the data folder and this machine give."""
        names = (
            self._default,
            *self._local.names(),
            *self._cached_names(),
            *self._on_servers(),
            *self._in_files(),
        )
        return tuple(dict.fromkeys(names))

    def _listed(self) -> Iterator[str]:
        """Yield the names of the models that the servers have listed."""
        for server in self.servers.all:
            prefix = f"{OPENAI}{server.name}/" if server.name else OPENAI
            yield from (f"{prefix}{name}" for name in self.servers.lists.known(server).names)

    def _on_servers(self) -> Iterator[str]:
        for server in self.servers.named.values():
            for model in server.models:
                yield f"{OPENAI}{server.name}/{model}"

    def _in_files(self) -> Iterator[str]:
        for folder in self._sources.scripts:
            yield from (f"{SCRIPTED}{path.stem}" for path in sorted(folder.glob("*.yaml")))
        if self._sources.recordings:
            yield from (f"{REPLAY}{path.stem}" for path in sorted(self._sources.recordings.glob("*.jsonl")))


def _opens_no_path(name: str) -> bool:
    """Return whether a name opens no file outside the hub's cache. The part after a plus may be a path."""
    return name.startswith(_BY_NAME) and not (PLUS in name and HUB in name)


def _is_light(name: str) -> bool:
    return name.startswith(_LIGHT)


def needs_llama(name: str) -> bool:
    """Return whether llama.cpp runs a model, in this process or in one of a ZeroGPU Space."""
    return not _is_light(name) or name.startswith(ZERO_GPU)
