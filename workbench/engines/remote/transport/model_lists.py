"""What the servers say about themselves in `/v1/models`: their models, their software, and the size of the context.

The lists are asked for in the background or with a short timeout, and then reused, because the page must open quickly
even if a server does not answer.

*Source:* OpenAI's API reference, "List models". `owned_by` and the other fields: vLLM's `ModelCard`, SGLang's
`ModelCard`, llama.cpp's `server.cpp`, Ollama's `openai.go` and LM Studio's documentation.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from http import HTTPStatus
from threading import Lock
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.engines.remote.server import Server, ServerKind
from workbench.engines.remote.transport.answer_limits import AnswerError
from workbench.engines.remote.transport.event_stream import parse_bounded_json
from workbench.engines.remote.transport.failures import CHECK_URL, Refusal, address_remedy, remote_failed
from workbench.engines.remote.transport.sending import read_body, refusal_of
from workbench.errors import RemoteFailed, WorkbenchError
from workbench.settings import Secret

LIST_TIMEOUT_S: Final = 10.0
"""Timeout for the list of models, if nobody waits for it."""
NO_LIST: Final = f"the answer is not a list of models; {CHECK_URL}"
ASK_TIMEOUT_S: Final = 3.0
"""How long a server may take to list its models, while somebody waits for it."""
FRESH_S: Final = 60.0
"""How long a list is reused."""
MOST_MODELS: Final = 10_000
MOST_NAME_CHARS: Final = 256
MOST_CONTEXT_TOKENS: Final = 1 << 31
_MOST_AT_ONCE: Final = 8
_MOST_KNOWN: Final = 1_000
"""How many lists are remembered."""
_SHOWN_MODELS: Final = 5
_SOFTWARE: Final[Mapping[str, ServerKind]] = {
    "vllm": ServerKind.VLLM,
    "sglang": ServerKind.SGLANG,
    "llamacpp": ServerKind.LLAMA_SERVER,
    "library": ServerKind.OLLAMA,
    "organization_owner": ServerKind.LM_STUDIO,
}
"""Software by the field `owned_by` of its models."""
_CONTEXT_FIELDS: Final = ("max_model_len", "context_length", "context_window")
_ACCEPTS_ANY_NAME: Final = (ServerKind.LLAMA_SERVER,)
"""Software that answers with its one model, whatever name is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """A model in a server's list."""

    name: str
    context_tokens: int = 0
    """Size of the context; 0 if the server does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerList:
    """A server's list of models."""

    models: tuple[ListedModel, ...] = ()
    software: ServerKind | None = None
    """The software, by `owned_by`. None if it is not known."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the server's order."""
        return tuple(model.name for model in self.models)

    def context_of(self, name: str) -> int:
        """Return the size of a model's context; 0 if it is not known."""
        return next((model.context_tokens for model in self.models if model.name == name), 0)


def parse_list(value: JsonValue) -> ServerList | None:
    """Parse the answer to `/v1/models`. None if it is not a list of models.

    >>> parse_list({"data": [{"id": "hermes", "owned_by": "vllm", "max_model_len": 4096}]})
    ServerList(models=(ListedModel(name='hermes', context_tokens=4096),), software=<ServerKind.VLLM: 'vllm'>)
    """
    entries = as_object(value).get("data")
    if not isinstance(entries, list):
        return None
    fields = [as_object(entry) for entry in entries[:MOST_MODELS]]
    models = tuple(
        ListedModel(name=name, context_tokens=_context(entry))
        for entry in fields
        if isinstance(name := entry.get("id"), str) and 0 < len(name) <= MOST_NAME_CHARS
    )
    owners = {str(entry.get("owned_by")) for entry in fields}
    known = {_SOFTWARE[owner] for owner in owners if owner in _SOFTWARE}
    return ServerList(models=models, software=known.pop() if len(known) == 1 else None)


def _context(entry: JsonObject) -> int:
    values = (*(entry.get(field) for field in _CONTEXT_FIELDS), as_object(entry.get("meta")).get("n_ctx"))
    return next((value for value in values if isinstance(value, int) and 0 < value <= MOST_CONTEXT_TOKENS), 0)


def fetch_model_names(server: Server) -> tuple[str, ...]:
    """Return the names of the models on a server, in its order.

    Raises:
        RemoteFailed: The server cannot be reached, or its answer cannot be used.
    """
    return fetch_models(server, min(LIST_TIMEOUT_S, server.timeout_s)).names


def fetch_models(server: Server, timeout_s: float) -> ServerList:
    """Return the list of a server's models.

    Args:
        timeout_s: Maximum time until the list is complete.

    Raises:
        RemoteFailed: The server cannot be reached, or its answer cannot be used.
    """
    try:
        body = read_body(server, "models", None, timeout_s=timeout_s)
    except WorkbenchError:
        raise
    except Exception as error:
        refusal = refusal_of(error, timeout_s=timeout_s)
        if refusal.status == HTTPStatus.NOT_FOUND:
            problem = "it has no list of models at this address"
            raise RemoteFailed(server.place, problem, address_remedy(server)) from error
        raise remote_failed(refusal, server, "") from error
    try:
        models = parse_list(parse_bounded_json(body))
    except AnswerError:
        models = None
    if models is None:
        raise remote_failed(Refusal(status=None, message=NO_LIST, is_final=True), server, "")
    return models


_ServerKey = tuple[str, str, Secret | None, bool]
FetchList = Callable[[Server, float], ServerList]
"""Asks a server for its models, with a timeout in seconds. Raises `RemoteFailed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    list: ServerList
    """The newest list. Kept if the server does not answer any more."""
    failure: RemoteFailed | None
    """Why the last request failed. None if it did not."""
    at_s: float


class ServerLists:
    """Asks servers for their models and remembers the answers. Thread-safe."""

    def __init__(self, fetch: FetchList = fetch_models, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._answers: dict[_ServerKey, _Answer] = {}
        self._lock = Lock()

    def known(self, server: Server) -> ServerList:
        """Return the newest list without asking the server. Empty if it has not answered yet."""
        answer = self._answers.get(_key(server))
        return answer.list if answer else ServerList()

    def failure(self, server: Server) -> RemoteFailed | None:
        """Return why the server did not list its models when it was last asked. None if it did, or was not asked."""
        answer = self._answers.get(_key(server))
        return answer.failure if answer else None

    def was_asked(self, server: Server) -> bool:
        """Return whether the server was asked for its models."""
        return _key(server) in self._answers

    def is_fresh(self, server: Server) -> bool:
        """Return whether the newest list is reused, so that the server is not asked again."""
        answer = self._answers.get(_key(server))
        return answer is not None and answer.failure is None and self._clock() - answer.at_s <= FRESH_S

    def expire(self, server: Server) -> None:
        """Ask the server again the next time, even if its list is fresh. Until it answers, the list is kept."""
        with self._lock:
            if answer := self._answers.get(_key(server)):
                self._answers[_key(server)] = replace(answer, at_s=-math.inf)

    def accepts(self, server: Server, model: str) -> bool:
        """Whether the server, when it was last asked, accepted the key and had the model. Does not ask it."""
        answer = self._answers.get(_key(server))
        return answer is not None and _problem(answer, server, model) is None

    def ask_all(self, servers: Iterable[Server]) -> Mapping[str, RemoteFailed]:
        """Ask all servers whose lists are not fresh, at the same time, and return the failures by `Server.name`."""
        asked = list(servers)
        with ThreadPoolExecutor(_MOST_AT_ONCE, "server-list") as pool:
            answers = list(pool.map(self._ask, asked))
        return {
            server.name: answer.failure
            for server, answer in zip(asked, answers, strict=True)
            if answer.failure
        }

    def check(self, server: Server, model: str) -> None:
        """Ask the server whether it accepts the key and has the model.

        An empty list says nothing about names, and llama-server accepts any.

        Raises:
            RemoteFailed: The server does not answer, refuses the key, or has no such model.
        """
        problem = _problem(self._ask(server), server, model)
        if problem is not None:
            raise problem

    def _ask(self, server: Server) -> _Answer:
        key = _key(server)
        known = self._answers.get(key)
        if known and self.is_fresh(server):
            return known
        listed, failure = known.list if known else ServerList(), None
        try:
            listed = self._fetch(server, min(ASK_TIMEOUT_S, server.timeout_s))
        except RemoteFailed as error:
            failure = error
        answer = _Answer(list=listed, failure=failure, at_s=self._clock())
        with self._lock:
            self._answers.pop(key, None)
            self._answers[key] = answer
            while len(self._answers) > _MOST_KNOWN:
                # The oldest: visitors may add servers without end.
                del self._answers[next(iter(self._answers))]
        return answer


def _problem(answer: _Answer, server: Server, model: str) -> RemoteFailed | None:
    """Return why a model cannot be used, or None."""
    if answer.failure is not None:
        return answer.failure
    names = answer.list.names
    software = server.kind if server.kind is not ServerKind.OPENAI else answer.list.software
    is_listed = model in names or f"{model}:latest" in names
    if not names or is_listed or software in _ACCEPTS_ANY_NAME:
        return None
    others = f" and {len(names) - _SHOWN_MODELS} more" if len(names) > _SHOWN_MODELS else ""
    remedy = f"its models are: {', '.join(names[:_SHOWN_MODELS])}{others}"
    return RemoteFailed(server.place, f"there is no model {model!r}", remedy)


def _key(server: Server) -> _ServerKey:
    """Identify a server. What it lists for one API key is not shown to somebody with another one."""
    return server.name, server.base_url, server.key, server.is_guest
