"""Every available model, by the names that `--model` accepts."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

from workbench.engines.adapters import PLUS, is_plain, place_of
from workbench.engines.models import HUB, LocalModels
from workbench.engines.remote.server import Server
from workbench.errors import BadInput, ModelMissing
from workbench.rollout.models import ModelStatus
from workbench.rollout.ports import Engine
from workbench.settings import Secret

OPENAI: Final = "openai:"
HF_INFERENCE: Final = "hf-inference:"
SCRIPTED: Final = "scripted:"
REPLAY: Final = "replay:"
ZERO_GPU: Final = "zerogpu:"
_BY_NAME: Final = (HUB, HF_INFERENCE, OPENAI, f"{ZERO_GPU}{HUB}")
"""Models whose names say no path of this machine."""
_LIGHT: Final = (OPENAI, HF_INFERENCE, SCRIPTED, REPLAY, ZERO_GPU)


class _LightEngine(Engine, Protocol):
    """An engine that holds no weights."""

    @property
    def device(self) -> str: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSources:
    """Where engines come from, beside GGUF files."""

    servers: Mapping[str, Server] = field(default_factory=dict[str, Server], hash=False)
    """By name, as `servers.yaml` has them."""
    default_server: Server | None = None
    """Of the settings; None where they name none."""
    scripts: tuple[Path, ...] = ()
    """Folders with scripts, `NAME.yaml`; the first that has a name wins."""
    recordings: Path | None = None
    """Folder with recordings, `NAME.jsonl`."""
    timeout_s: float = 120.0
    """How long the hub's providers may be silent."""
    hf_base_url: str | None = None
    """An endpoint of one's own in the providers' place; None asks the providers."""


class AllModels:
    """Local models one at a time, all others side by side; see `workbench.rollout.models.Models`."""

    def __init__(
        self,
        *,
        local: LocalModels,
        default: str,
        sources: EngineSources,
        cached_names: Callable[[], Sequence[str]] = tuple,
        wait: Callable[[float], None] = time.sleep,
        lends_token_to: frozenset[str] | None = None,
    ) -> None:
        """Nothing is loaded yet.

        Args:
            local: GGUF files.
            default: The model to begin with.
            sources: Where the others come from.
            cached_names: Models of the hub that are on this machine.
            wait: Sleeps for so many seconds.
            lends_token_to: Models of the hub's providers that may be asked with the token of this machine, whose
                owner pays for them; any other is asked with the caller's token or none. None allows all of them.
        """
        self._lends_token_to = lends_token_to
        self._takes_paths = True
        self._local = local
        self._default = default
        self._sources = sources
        self._cached_names = cached_names
        self._wait = wait
        self._light: dict[str, _LightEngine] = {}
        self._lock = Lock()

    def with_paths(self, *, is_permitted: bool) -> "AllModels":
        """See `workbench.rollout.models.Models`: a view that shares what is loaded."""
        made = copy(self)
        made._takes_paths = is_permitted
        return made

    def names(self) -> Sequence[str]:
        """The default, what is on this machine, the servers' models, scripts and recordings."""
        found = (self._default, *self._local.names(), *self._cached_names(), *self._far(), *self._written())
        return tuple(dict.fromkeys(found))

    def engine(self, name: str, *, token: Secret | None = None) -> Engine:
        """The engine of that name; see `workbench.rollout.models.Models`."""
        if not self._is_offered(name):
            raise BadInput(
                f"model {name[:100]!r}", "there is no such model here", "choose one that is offered"
            )
        if not _is_light(name):
            return self._local.engine(name)
        if name.startswith(HF_INFERENCE) and token is not None:
            # A visitor's own: it lives as long as the turn, and nobody else is given it.
            return self._hf_inference(name, token)
        with self._lock:
            if name not in self._light:
                self._light[name] = self._open(name)
            return self._light[name]

    def status(self, name: str) -> ModelStatus:
        """What is known without loading it; see `workbench.rollout.models.Models`."""
        if not self._is_offered(name):
            # Nothing is looked for: the answer is the same whether there is a file or not.
            return ModelStatus(name=name, device="", is_loaded=False)
        if not _is_light(name):
            return self._local.status(name)
        engine = self._light.get(name)
        if engine is not None:
            writes_tools = engine.capabilities.writes_tools
            return ModelStatus(name=name, device=engine.device, is_loaded=True, writes_tools=writes_tools)
        server = self._server(name)[0] if name.startswith(OPENAI) else None
        return ModelStatus(
            name=name,
            device=server.place if server else "",
            is_loaded=False,
            writes_tools=server.writes_tools if server else name.startswith(HF_INFERENCE),
        )

    def scripted(self, name: str, completions: Sequence[str]) -> Engine:
        """An engine that writes these completions; see `workbench.rollout.models.Models`."""
        from workbench.engines.scripted import CompletionScript, ScriptedEngine

        return ScriptedEngine(CompletionScript(completions=[*completions]), name=name, wait=self._wait)

    def close(self) -> None:
        """Frees what is loaded."""
        self._local.close()
        with self._lock:
            for engine in self._light.values():
                engine.close()
            self._light.clear()

    def _is_offered(self, name: str) -> bool:
        """Whether a name may be looked for: any, or where strangers come one of the list, or one that opens no path and
        is not asked with the key of a server, which somebody here pays for.
        """
        if self._takes_paths or name in self.names():
            return True
        return _is_name_alone(name) and not self._needs_our_key(name)

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

            lent = name.removeprefix(ZERO_GPU)
            return ZeroGpuEngine(self._local.path(lent), name=name, loading=self._local.loading_of(lent))
        from workbench.engines.replay import load_replay

        return load_replay(self._recording(name.removeprefix(REPLAY)), name=name)

    def _openai(self, name: str) -> _LightEngine:
        from workbench.engines.remote.openai_api import open_openai

        server, model = self._server(name)
        if server is None:
            known = ", ".join(self._sources.servers)
            remedy = "set WORKBENCH_OPENAI_BASE_URL" + (f", or name a server: {known}" if known else "")
            raise ModelMissing(name, remedy)
        if not model:
            raise BadInput(
                f"model {name!r}", "it names no model", "write openai:MODEL or openai:SERVER/MODEL"
            )
        return open_openai(server, model, name=name, wait=self._wait)

    def _server(self, name: str) -> tuple[Server | None, str]:
        """`openai:SERVER/MODEL` of a known server, else a model of the settings' server."""
        model = name.removeprefix(OPENAI)
        first, _, rest = model.partition("/")
        if first in self._sources.servers:
            return self._sources.servers[first], rest
        return self._sources.default_server, model

    def _hf_inference(self, name: str, token: Secret | None) -> _LightEngine:
        from workbench.engines.remote.openai_api import open_hf_inference

        repository = name.removeprefix(HF_INFERENCE)
        if not repository.partition("/")[2]:
            remedy = "write hf-inference:OWNER/MODEL or hf-inference:OWNER/MODEL:PROVIDER"
            raise BadInput(f"model {name!r}", "it names no model of the hub", remedy)
        return open_hf_inference(
            repository,
            name=name,
            token=token,
            timeout_s=self._sources.timeout_s,
            wait=self._wait,
            base_url=self._sources.hf_base_url,
        )

    def _script(self, name: str) -> Path:
        found = (folder / f"{name}.yaml" for folder in self._sources.scripts if is_plain(name))
        return next((path for path in found if path.is_file()), place_of(name))

    def _recording(self, name: str) -> Path:
        folder = self._sources.recordings
        own = folder / f"{name}.jsonl" if folder and is_plain(name) else None
        return own if own and own.is_file() else place_of(name)

    def _far(self) -> Iterator[str]:
        for server in self._sources.servers.values():
            for model in server.models:
                yield f"{OPENAI}{server.name}/{model}"

    def _written(self) -> Iterator[str]:
        for folder in self._sources.scripts:
            yield from (f"{SCRIPTED}{path.stem}" for path in sorted(folder.glob("*.yaml")))
        if self._sources.recordings:
            yield from (f"{REPLAY}{path.stem}" for path in sorted(self._sources.recordings.glob("*.jsonl")))


def _is_name_alone(name: str) -> bool:
    """Whether a name opens no file of this machine but the cache's; what stands behind a plus may be a path."""
    return name.startswith(_BY_NAME) and not (PLUS in name and HUB in name)


def _is_light(name: str) -> bool:
    return name.startswith(_LIGHT)
