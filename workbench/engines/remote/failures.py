"""Explain a server's refusal in words, never with a key in them."""

import json
from dataclasses import dataclass
from typing import Final, cast

from workbench.chat.json_value import JsonValue, as_object
from workbench.engines.remote.server import Server
from workbench.errors import RemoteFailed

MOST_QUOTED_CHARS: Final = 160
"""A server's own words are cut here."""
WORTH_ANOTHER_TRY: Final = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Status codes of what may pass."""

NO_JSON: Final = "the server sent something that is not valid JSON"


def silence(timeout_s: float) -> str:
    """What is said of a server that did not say anything for too long."""
    return f"silent for {timeout_s:g} s (WORKBENCH_REMOTE_TIMEOUT)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What came instead of a completion."""

    status: int | None
    """HTTP status; None where there was no answer."""
    words: str
    """What the server or the connection said."""
    retry_after_s: float | None = None
    """When the server wants to be asked again; None where it does not say."""
    is_final: bool = False
    """True where asking again makes no sense, whatever the status says."""

    @property
    def is_temporary(self) -> bool:
        """True where it makes sense to ask again."""
        return not self.is_final and (self.status is None or self.status in WORTH_ANOTHER_TRY)


def remote_failed(refusal: Refusal, server: Server, model: str) -> RemoteFailed:
    """The refusal as an error for a person."""
    said = f": {quoted(refusal.words, server)}" if refusal.words.strip() else ""
    match refusal.status:
        case None if refusal.is_final:
            return RemoteFailed(server.place, quoted(refusal.words, server))
        case None:
            return RemoteFailed(
                server.place, f"no answer{said}", "is the server running, and is the address right?"
            )
        case 401 | 403:
            given = "the key was refused" if server.key else "a key is wanted and none was given"
            return RemoteFailed(server.place, f"{given}{said}", f"set {server.key_variable} and start again")
        case 404:
            remedy = "`workbench models list --json` shows what the server offers; is the base URL right?"
            return RemoteFailed(server.place, f"model {model!r} is not there{said}", remedy)
        case 429:
            return RemoteFailed(server.place, f"too many requests, several times{said}", "try again later")
        case status if status >= 500:
            return RemoteFailed(server.place, f"it failed with status {status}, several times{said}")
        case status:
            return RemoteFailed(server.place, f"it refused the request with status {status}{said}")


def quoted(words: str, server: Server) -> str:
    """A server's words on one line, cut, without the key."""
    line = " ".join(_message_in(words).split())
    line = server.key.redact(line) if server.key else line
    return line if len(line) <= MOST_QUOTED_CHARS else line[: MOST_QUOTED_CHARS - 1] + "…"


def _message_in(words: str) -> str:
    """The message of `{"error": {"message": …}}` or of its relatives; else all of it."""
    try:
        body = as_object(cast(JsonValue, json.loads(words)))
    except (ValueError, RecursionError):
        return words
    error = body.get("error", body.get("detail", body.get("message")))
    inner = as_object(error).get("message", error)
    return inner if isinstance(inner, str) else words
