"""Engines for servers that speak the OpenAI protocol, raw completions and chat, and for Hugging Face's router."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from workbench.chat.json_value import JsonObject
from workbench.engines.remote.engine import AskAbilities, RemoteEngine, ServerFacts, ask_nothing
from workbench.engines.remote.probes.server_probes import ProbedServer
from workbench.engines.remote.request.openai_request import STREAMED, OpenAiRequest, build_request
from workbench.engines.remote.server import Server
from workbench.engines.remote.transport.answer_limits import (
    AnswerLimits,
    limits_of_completion,
)
from workbench.engines.remote.transport.event_stream import read_answer
from workbench.engines.remote.transport.failures import (
    Refusal,
)
from workbench.engines.remote.transport.sending import answer_pieces, new_connection, refusal_of
from workbench.rollout.ports import GenerationRequest
from workbench.settings import Secret

if TYPE_CHECKING:
    pass


def open_openai(
    server: Server,
    model: str,
    *,
    name: str,
    wait: Callable[[float], None],
    facts: Callable[[], ServerFacts] = ServerFacts,
    ask_abilities: AskAbilities = ask_nothing,
) -> RemoteEngine:
    """Return an engine for a model on a server. Sends nothing yet.

    Args:
        model: Name of the model on the server.
        facts: Returns what is known about the server and the model, without asking.
        ask_abilities: Asks the server what it can do, before it must call a tool and the way to do that is not known.
    """
    client = _OpenAiClient(model, timeout_s=server.timeout_s)
    return RemoteEngine(
        client, server, name=name, model=model, wait=wait, facts=facts, ask_abilities=ask_abilities
    )


class _OpenAiClient:
    def __init__(self, model: str, *, timeout_s: float) -> None:
        self._model = model
        self._timeout_s = timeout_s

    def ask(
        self, request: GenerationRequest, server: Server, probed: ProbedServer | None
    ) -> "_OpenAiCompletion":
        limits = limits_of_completion(request.sampling.max_tokens, timeout_s=server.timeout_s)
        return _OpenAiCompletion(server, limits, build_request(request, server, self._model, probed))

    def refusal_of(self, error: Exception) -> Refusal:
        return refusal_of(error, timeout_s=self._timeout_s)


class _OpenAiCompletion:
    """One request."""

    def __init__(self, server: Server, limits: AnswerLimits, body: OpenAiRequest) -> None:
        self._server = server
        self._limits = limits
        self._body = body
        self._connection = new_connection(server)

    def read(self) -> Iterable[JsonObject]:
        body = {**self._body.body, **STREAMED}
        with answer_pieces(self._server, self._body.path, body, self._limits, self._connection) as pieces:
            yield from read_answer(
                pieces, most_bytes=self._limits.event_bytes, most_document_bytes=self._limits.body_bytes
            )

    def hang_up(self) -> None:
        """End the connection, even while it waits."""
        self._connection.hang_up()


ROUTER_URL: Final = "https://router.huggingface.co/v1"
"""*Source:* Hugging Face's documentation of Inference Providers, "OpenAI-compatible API"."""


def open_hf_inference(
    repository: str,
    *,
    name: str,
    token: Secret | None,
    timeout_s: float,
    wait: Callable[[float], None],
    base_url: str | None = None,
) -> RemoteEngine:
    """Return an engine for a model of the hub's Inference Providers. Sends nothing yet.

    Args:
        repository: `OWNER/NAME` for the provider that the account prefers, or `OWNER/NAME:PROVIDER`.
        token: Access token of the account that pays. Required by the router.
        timeout_s: Maximum time without data.
        base_url: Address of another endpoint with the same protocol. None uses the router.
    """
    server = Server(
        name="hf-inference",
        base_url=base_url or ROUTER_URL,
        key=token,
        needs_key=base_url is None,
        key_variable="HF_TOKEN, or sign in (on a Space with Hugging Face, elsewhere with `hf auth login`)",
        timeout_s=timeout_s,
    )
    return open_openai(server, repository, name=name, wait=wait)


def stored_token() -> Secret | None:
    """Return the access token that huggingface_hub finds on this machine, or None."""
    from huggingface_hub import get_token

    token = get_token()
    return Secret(token) if token else None
