"""Model names of the gateway: `ENGINE`, or `CONTRACT[@VERSION_OR_NAME]/ENGINE`."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from workbench.app.services import Services
from workbench.errors import BadInput, EngineError, WorkbenchError
from workbench.gateway.faults import RequestFault, fault_of
from workbench.records.versions import Version, VersionKind

_CONTRACT: Final = re.compile(r"[^/:@]+(?:@[^/:@]+)?")
_OPENAI: Final = "openai:"
_LIST_S: Final = 60.0
"""How long the list of an upstream server's models is reused, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a model name means."""

    name: str
    """The name as the client wrote it."""
    engine: str
    """Name of the engine, as `--model` takes it."""
    contract: str | None
    """Reference of the contract, such as `minimal@production`. None for the engine alone."""


class UpstreamModels:
    """The models of the server that the gateway is in front of.

    Args:
        fetch: Returns the names of the server's models.
    """

    def __init__(self, fetch: Callable[[], Sequence[str]]) -> None:
        self._fetch = fetch
        self._names: Sequence[str] = ()
        self._fetched_s: float | None = None
        self._lock = Lock()

    def names(self) -> Sequence[str]:
        """Return the names, which may be up to a minute old. Empty if the server does not answer."""
        with self._lock:
            if self._fetched_s is None or time.monotonic() - self._fetched_s > _LIST_S:
                try:
                    self._names = self._fetch()
                except EngineError:
                    return self._names
                self._fetched_s = time.monotonic()
            return self._names


class Targets:
    """Finds what model names mean, and lists them.

    Args:
        upstream: The models of the server in front of which the gateway is. None if there is no such server.
    """

    def __init__(self, upstream: UpstreamModels | None = None) -> None:
        self._upstream = upstream

    def find(self, services: Services, name: str) -> Target:
        """Return what a name means.

        Raises:
            RequestFault: There is no such model or contract.
        """
        contract, slash, rest = name.partition("/")
        may_have_contract = slash and rest and _CONTRACT.fullmatch(contract)
        if (
            may_have_contract
            and name not in services.models.names()
            and contract.partition("@")[0] in services.contract_names()
        ):
            return Target(name=name, engine=self._engine(services, rest), contract=contract)
        return Target(name=name, engine=self._engine(services, name), contract=None)

    def _engine(self, services: Services, name: str) -> str:
        """Return the engine's name. Any other name is one of the server's models, if there is a server."""
        if self._upstream is None or name in services.models.names() or ":" in name.partition("/")[0]:
            return name
        return f"{_OPENAI}{name}"

    def names(self, services: Services) -> Sequence[str]:
        """Return all model names: the engines, then each contract and each of its tags with each engine."""
        engines = list(self._engines(services))
        contracts = [*services.contract_names(), *_tagged(services)]
        return [*engines, *(f"{contract}/{engine}" for contract in contracts for engine in engines)]

    def _engines(self, services: Services) -> Iterator[str]:
        if self._upstream is None:
            yield from services.models.names()
            return
        yield from self._upstream.names()
        # Those of the server are in the workbench's list a second time, with this prefix.
        yield from (name for name in services.models.names() if not name.startswith(_OPENAI))


def _tagged(services: Services) -> Iterator[str]:
    for name, tag in services.versions.tagged_names(VersionKind.CONTRACT):
        yield f"{name}@{tag}"


def contract_of(services: Services, target: Target) -> Version | None:
    """Return the version of the target's contract, or None if it has none.

    Raises:
        RequestFault: The contract has no such version.
    """
    if target.contract is None:
        return None
    try:
        return services.contract_version(target.contract)
    except BadInput as error:
        raise RequestFault(404, f"model {target.name!r}: {error}", "model_not_found", "model") from None


def engine_fault(error: WorkbenchError, name: str) -> RequestFault:
    """Return how a model that cannot be used is answered."""
    if isinstance(error, BadInput):
        return RequestFault(
            404,
            f"There is no model {name[:200]!r}. GET /v1/models lists the models.",
            "model_not_found",
            "model",
        )
    return fault_of(error)
