"""Models that Hugging Face's Inference Providers serve, through huggingface_hub's own client."""

from collections.abc import Callable, Iterable, Iterator
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Final, cast

from workbench.chat.json_value import JsonObject, as_object
from workbench.engines.remote.chunks import plain
from workbench.engines.remote.engine import RemoteEngine
from workbench.engines.remote.failures import NO_JSON, Refusal, silence
from workbench.engines.remote.openai_api import chat_fields
from workbench.engines.remote.patience import retry_after_s
from workbench.engines.remote.server import Server
from workbench.rollout.ports import GenerationRequest
from workbench.settings import Secret

if TYPE_CHECKING:
    from huggingface_hub import InferenceClient

PLACE: Final = "https://router.huggingface.co"
"""Where the hub hands requests on to the providers."""
NO_CHUNK: Final = "the server sent something that is no piece of a completion"
ANY_PROVIDER: Final = "auto"
"""The first provider that the account prefers and that serves the model."""


def open_hf_inference(
    repository: str,
    *,
    name: str,
    token: Secret | None,
    timeout_s: float,
    wait: Callable[[float], None],
    base_url: str | None = None,
) -> RemoteEngine:
    """A model of the hub as an engine; nothing is sent yet.

    Args:
        repository: `OWNER/NAME`, or `OWNER/NAME:PROVIDER`.
        name: As `--model` takes it.
        token: Of the account that pays; None takes the one that `hf auth login` or `HF_TOKEN` left.
        timeout_s: How long a provider may be silent.
        wait: Lets seconds pass.
        base_url: An endpoint of one's own that speaks the same protocol; None asks the providers.
    """
    model, _, provider = repository.partition(":")
    server = Server(
        name="hf-inference",
        base_url=base_url or PLACE,
        key=token or stored_token(),
        key_variable="HF_TOKEN, or sign in by `hf auth login`",
        timeout_s=timeout_s,
    )
    line = _HfLine(server, model, provider or ANY_PROVIDER, base_url)
    return RemoteEngine(line, server, name=name, model=model, wait=wait)


def stored_token() -> Secret | None:
    """The token of this machine's user, as huggingface_hub finds it; None where there is none."""
    from huggingface_hub import get_token

    token = get_token()
    return Secret(token) if token else None


class ChunkError(ValueError):
    """A piece of a stream that cannot be read."""


class _HfLine:
    def __init__(self, server: Server, model: str, provider: str, base_url: str | None) -> None:
        self._server = server
        self._model = model
        self._provider = provider
        self._base_url = base_url

    def ask(self, request: GenerationRequest) -> "_HfAsk":
        return _HfAsk(self._client(), self._model, request)

    def refusal_of(self, error: BaseException) -> Refusal | None:
        return refusal_of_hf(error, timeout_s=self._server.timeout_s)

    def close(self) -> None:
        """Each request has its own client, which ends with it."""

    def _client(self) -> "InferenceClient":
        from huggingface_hub import InferenceClient

        key = self._server.key
        token, timeout_s = key.reveal() if key else None, self._server.timeout_s
        if self._base_url:
            return InferenceClient(base_url=self._base_url, token=token, timeout=timeout_s)
        return InferenceClient(provider=cast(Any, self._provider), token=token, timeout=timeout_s)


class _HfAsk:
    """One request. The client gives no hold on its connection: it ends with the chunk that comes next."""

    def __init__(self, client: "InferenceClient", model: str, request: GenerationRequest) -> None:
        self._client = client
        self._model = model
        self._request = request

    def read(self) -> Iterable[JsonObject]:
        with self._client as client:
            complete = cast(Any, client).chat_completion
            chunks = complete(model=self._model, stream=True, **chat_arguments(self._request))
            yield from _sound(iter(chunks))

    def hang_up(self) -> None:
        """Nothing to do; see the class."""


def _sound(chunks: Iterator[object]) -> Iterator[JsonObject]:
    """The chunks as JSON; one that the client's types cannot hold is no chunk.

    Raises:
        ChunkError: The server sent something else.
    """
    while True:
        try:
            chunk = next(chunks)
        except StopIteration:
            return
        except (AttributeError, LookupError, TypeError) as error:
            raise ChunkError(NO_CHUNK) from error
        yield cast(JsonObject, plain(chunk))


def chat_arguments(request: GenerationRequest) -> dict[str, Any]:
    """The arguments of `InferenceClient.chat_completion`."""
    sampling = request.sampling
    arguments: dict[str, Any] = {
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stop": list(request.stop_texts) or None,
        "presence_penalty": sampling.presence_penalty or None,
        "frequency_penalty": sampling.frequency_penalty or None,
        "logprobs": True if request.wants_logprobs else None,
        "stream_options": {"include_usage": True},
    }
    return {**arguments, **chat_fields(request, writes_tools=True)}


def refusal_of_hf(error: BaseException, *, timeout_s: float) -> Refusal | None:
    """What an error of huggingface_hub, or of what it is made of, means; None for any other."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, InferenceTimeoutError, TextGenerationError

    match error:
        case InferenceTimeoutError() | httpx2.TimeoutException():
            return Refusal(status=None, words=silence(timeout_s), is_final=True)
        case HfHubHTTPError():
            response = error.response
            header = response.headers.get("retry-after")
            try:
                words = response.text
            except RuntimeError:  # The body of a stream was not read.
                words = error.server_message or str(error)
            return Refusal(status=response.status_code, words=words, retry_after_s=retry_after_s(header))
        case TextGenerationError():
            # Its text is the server's `error`, which is an object with a message where it is OpenAI's.
            message = as_object(plain(next(iter(error.args), None))).get("message")
            words = message if isinstance(message, str) else str(error)
            return Refusal(status=None, words=words, is_final=True)
        case httpx2.HTTPError():
            return Refusal(status=None, words=str(error) or "the connection broke off")
        case JSONDecodeError():
            return Refusal(status=None, words=NO_JSON, is_final=True)
        case ValueError():
            # The client's own checks: no such provider, no token.
            return Refusal(status=None, words=str(error), is_final=True)
        case _:
            return None
