"""Turn failures of a server into messages for people, without API keys in them."""

import json
import re
from dataclasses import dataclass
from html import unescape
from typing import Final, cast
from urllib.parse import urlsplit, urlunsplit

from workbench.chat.json_value import JsonValue, as_object
from workbench.engines.remote.server import Mode, Server
from workbench.errors import RemoteFailed

MOST_QUOTED_CHARS: Final = 160
"""A server's message is cut to this length."""
TEMPORARY: Final = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Status codes of temporary failures."""

_TITLE: Final = re.compile(r"<title>\s*([^<]+?)\s*</title>", re.IGNORECASE)
"""The title of a page that a proxy sends in place of the server's answer."""

_A_DAY_S: Final = 86_400.0

CHECK_URL: Final = "check the base URL, which should end with /v1"
_ENDPOINT: Final = re.compile(r"/(chat/completions|completions|models)/*$")
_DOUBLED: Final = re.compile(r"(/v1)(?:/v1)+/*$")
_VERSION: Final = re.compile(r"/v\d[^/]*(/|$)")

NO_JSON: Final = "the server sent something that is not valid JSON"


def describe_silence(timeout_s: float) -> str:
    """Return the message for a server that was silent for too long."""
    return f"no data for {timeout_s:g} s (see WORKBENCH_REMOTE_TIMEOUT)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A failure: what a server sent instead of a completion."""

    status: int | None
    """HTTP status. None if there was no answer."""
    message: str
    """Message of the server or the connection."""
    retry_after_s: float | None = None
    """Time after which the server accepts another attempt. None if it does not say."""
    is_final: bool = False
    """True if another attempt makes no sense, whatever the status is."""

    @property
    def is_temporary(self) -> bool:
        """True if another attempt may succeed."""
        return not self.is_final and (self.status is None or self.status in TEMPORARY)


def remote_failed(refusal: Refusal, server: Server, model: str, *, attempts: int = 1) -> RemoteFailed:
    """Turn a failure into an error with a message for people.

    Args:
        attempts: How many requests were sent.
    """
    problem, remedy = _explained(refusal, server, model, attempts)
    return RemoteFailed(
        server.place, problem, remedy, status=refusal.status, retry_after_s=refusal.retry_after_s
    )


def _explained(refusal: Refusal, server: Server, model: str, attempts: int) -> tuple[str, str]:
    """Return what went wrong, and what to do about it."""
    reason = f": {quoted(refusal.message, server)}" if refusal.message.strip() else ""
    repeated = f", after {attempts} attempts" if attempts > 1 else ""
    match refusal.status:
        case None if refusal.is_final:
            return quoted(refusal.message, server), ""
        case None:
            return f"no answer{repeated}{reason}", "check that the server is running and its address is right"
        case 401 | 403:
            problem = "the API key was refused" if server.key else "it needs an API key, and none is set"
            return f"{problem}{reason}", server.key_remedy
        case 404 if _is_about_model(refusal.message, model):
            remedy = "`workbench models list --json` shows its models"
            return f"there is no model {model!r}{reason}", remedy
        case 404:
            is_raw = server.mode is Mode.RAW
            remedy = address_remedy(server) + (", or set `mode: chat`" if is_raw else "")
            path = "completions" if is_raw else "chat/completions"
            return f"it has no path /{path}{reason}", remedy
        case 429:
            return f"too many requests{repeated}{reason}", _again(refusal)
        case status if status >= 500:
            return f"it failed with status {status}{repeated}{reason}", ""
        case status:
            return f"it refused the request with status {status}{reason}", ""


def _is_about_model(message: str, model: str) -> bool:
    """Return whether a 404 is about the model. Otherwise it is about the path.

    >>> _is_about_model('model "hermes" not found, try pulling it first', "hermes"), _is_about_model("Not Found", "it")
    (True, False)
    """
    name = rf"(?<!\w){re.escape(model)}(?!\w)" if model else r"(?!)"
    return re.search(rf"\bmodel\b|{name}", message, re.IGNORECASE) is not None


def address_remedy(server: Server) -> str:
    """Return what to do about a path that does not exist on a server: the address to try, if there is a likely one."""
    likely = likely_base_url(server.place)
    return CHECK_URL if likely == server.place.rstrip("/") else f"try the base URL {likely}"


def likely_base_url(url: str) -> str:
    """Return the base URL that was probably meant. It is the same URL, without a slash at its end, if it may be right.

    >>> likely_base_url("http://gpu:8000"), likely_base_url("http://gpu:8000/v1/v1")
    ('http://gpu:8000/v1', 'http://gpu:8000/v1')
    >>> likely_base_url("http://gpu:8000/v1/chat/completions"), likely_base_url("https://host/v1beta/openai/")
    ('http://gpu:8000/v1', 'https://host/v1beta/openai')
    """
    parts = urlsplit(url)
    path = _DOUBLED.sub(r"\1", _ENDPOINT.sub("", parts.path)).rstrip("/")
    if not _VERSION.search(path):
        path += "/v1"
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _again(refusal: Refusal) -> str:
    wait_s = refusal.retry_after_s
    is_known = wait_s is not None and wait_s < _A_DAY_S
    return f"try again in {wait_s:,.0f} s" if is_known else "try again later"


def quoted(message: str, server: Server) -> str:
    """Return a server's message as one line, shortened, without the API key."""
    line = " ".join(_message_in(message).split())
    line = server.key.redact(line) if server.key else line
    return line if len(line) <= MOST_QUOTED_CHARS else line[: MOST_QUOTED_CHARS - 1] + "…"


def _message_in(text: str) -> str:
    """Return the message in `{"error": {"message": …}}` or similar JSON, the title of a page, or the whole text."""
    try:
        body = as_object(cast(JsonValue, json.loads(text)))
    except (ValueError, RecursionError):
        title = _TITLE.search(text)
        return unescape(title[1]) if title else text
    error = body.get("error", body.get("detail", body.get("message")))
    message = as_object(error).get("message", error)
    if isinstance(message, list):
        message = "; ".join(filter(None, map(_field_problem, message)))
    return message if message and isinstance(message, str) else text


def _field_problem(entry: JsonValue) -> str:
    """Return an entry of FastAPI's list of invalid fields as text. Empty if it is something else.

    >>> _field_problem({"loc": ["body", "messages", 0], "msg": "Field required"})
    'body.messages.0: Field required'
    """
    fields = as_object(entry)
    place, problem = fields.get("loc"), fields.get("msg")
    if not isinstance(problem, str) or not isinstance(place, list):
        return ""
    return f"{'.'.join(map(str, place))}: {problem}"
