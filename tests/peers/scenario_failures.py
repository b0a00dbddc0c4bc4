"""Scenarios in which there is no completion: what the error says, and how often the server is asked."""

from typing import Any, Final

from tests.engines.remote.scripted_server import DONE, Answer, event, stream
from tests.peers.scenario import row
from tests.peers.scenario_answers import CLOSED, NOON, noon
from tests.peers.wire import document_of

SERVER: Final = "error SERVER: "
SET_KEY: Final = " (set WORKBENCH_OPENAI_API_KEY and restart)"
LIST_MODELS: Final = " (`workbench models list --json` shows its models)"
BASE_URL: Final = " (check the base URL, which should end with /v1)"
NO_COMPLETION: Final = "the answer contains no completion; check the base URL, which should end with /v1"
HTML: Final = {"Content-Type": "text/html"}
FIELD_REQUIRED: Final[Any] = {
    "type": "missing",
    "loc": ["body", "messages"],
    "msg": "Field required",
    "input": {},
}


def redirect(to: str, status: int = 307) -> Answer:
    return Answer(status=status, headers={"Location": to})


def by_key(own: str, others: str) -> dict[str, str]:
    """Return an outcome that differs for the servers that do not say why they refuse a key."""
    return {"vllm": own, "sglang": own, "": others}


REFUSED: Final = (
    row("the prompt is too long", lambda w: w.refuse(400, "This model's maximum context length is 4096 tokens."),
        SERVER + "it refused the request with status 400: This model's maximum context length is 4096 tokens.",
        requests=1),
    row("the key is missing", lambda w: w.refuse(401, "Invalid API Key"),
        by_key(SERVER + "it needs an API key, and none is set: Unauthorized" + SET_KEY,
               SERVER + "it needs an API key, and none is set: Invalid API Key" + SET_KEY), has_key=False, requests=1),
    row("the key is wrong", lambda w: w.refuse(401, "Invalid API Key"),
        by_key(SERVER + "the API key was refused: Unauthorized" + SET_KEY,
               SERVER + "the API key was refused: Invalid API Key" + SET_KEY), requests=1),
    row("the key is not allowed to do that", lambda w: w.refuse(403, "no access to this model"),
        SERVER + "the API key was refused: no access to this model" + SET_KEY, requests=1),
    row("there is no such model", lambda w: w.refuse(404, "The model `hermes` does not exist."),
        SERVER + "there is no model 'hermes': The model `hermes` does not exist." + LIST_MODELS, requests=1),
    row("there is no such path", lambda _: document_of({"detail": "Not Found"}, status=404),
        SERVER + "it has no path /chat/completions: Not Found" + BASE_URL, requests=1),
    row("a field is missing, by FastAPI", lambda _: document_of({"detail": [FIELD_REQUIRED]}, status=422),
        SERVER + "it refused the request with status 422: body.messages: Field required", requests=1),
    row("an error that is a text", lambda _: document_of({"error": "`inputs` is too long", "error_type": "validation"}, status=422),
        SERVER + "it refused the request with status 422: `inputs` is too long", requests=1),
    row("an error with status 200", lambda _: document_of({"error": "Unexpected endpoint or method."}),
        SERVER + "Unexpected endpoint or method.", requests=1),
    row("an error in the stream before any text", lambda w: stream(w.failed_chunk("out of memory"), DONE),
        SERVER + "out of memory", requests=1),
)  # fmt: skip

TEMPORARY: Final = (
    row("too many requests, then an answer", lambda w: [w.refuse(429, "slow down", **{"Retry-After": "1"}), noon(w)], NOON,
        requests=2),
    row("too many requests for longer", lambda w: w.refuse(429, "slow down", **{"Retry-After": "120"}),
        SERVER + "too many requests: slow down (try again in 120 s)", requests=1),
    row("too many requests until a date",
        lambda w: w.refuse(429, "slow down", **{"Retry-After": "Wed, 21 Oct 2099 07:28:00 GMT"}),
        SERVER + "too many requests: slow down (try again later)", requests=1),
    row("the model is loading, then an answer", lambda w: [w.refuse(503, "Loading model"), noon(w)], NOON, requests=2),
    row("it fails every time", lambda w: w.refuse(500, "CUDA out of memory"),
        SERVER + "it failed with status 500, after 4 attempts: CUDA out of memory", requests=4),
    row("a proxy's page instead of the server",
        lambda _: Answer(status=502, headers=HTML,
                         pieces=(b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body></html>",)),
        SERVER + "it failed with status 502, after 4 attempts: 502 Bad Gateway", requests=4),
    row("the connection is cut before any text, then an answer", lambda w: [stream(None), noon(w)], NOON, requests=2),
    row("the connection is cut every time", lambda _: stream(None),
        SERVER + f"no answer, after 4 attempts: {CLOSED} (check that the server is running and its address is right)",
        requests=4),
    row("the server sends nothing", lambda w: w.stream(60.0),
        SERVER + "no data for 0.5 s (see WORKBENCH_REMOTE_TIMEOUT)", timeout_s=0.5, requests=1),
)  # fmt: skip

NO_ANSWER: Final = (
    row("a page instead of a completion", lambda _: Answer(headers=HTML, pieces=(b"<html>Welcome</html>",)),
        SERVER + NO_COMPLETION, requests=1),
    row("JSON that is not a completion", lambda _: document_of({"status": "ok"}), SERVER + NO_COMPLETION, requests=1),
    row("an empty answer", lambda _: Answer(headers={"Content-Type": "text/event-stream"}),
        SERVER + "the answer is empty; the prompt may be too long for the model's context", requests=1),
    row("a stream without a completion", lambda _: stream(DONE),
        SERVER + "the server ended the stream without a completion", requests=1),
    row("half a JSON document in an event", lambda _: stream(event(b'{"choices": [')),
        SERVER + "the server sent something that is not valid JSON", requests=1),
    row("a redirect on the same host keeps the request", lambda w: [redirect("/other/v1/chat/completions"), noon(w)], NOON,
        requests=2),
    row("a redirect to a login page", lambda _: [redirect("/login", 302), Answer(headers=HTML, pieces=(b"<html>Log in</html>",))],
        SERVER + NO_COMPLETION, requests=2),
    row("a redirect to another host", lambda _: redirect("http://127.0.0.1:9/v1/chat/completions"),
        SERVER + "it redirects to another host, http://127.0.0.1:9; nothing was sent there", requests=1),
    row("redirects without an end", lambda _: redirect("/v1/chat/completions"),
        SERVER + "Exceeded maximum allowed redirects.", requests=6),
)  # fmt: skip

FAILURES: Final = (*REFUSED, *TEMPORARY, *NO_ANSWER)
