"""Errors as OpenAI's protocol writes them."""

import math
import re
from dataclasses import dataclass
from typing import Final

from workbench.chat.json_value import JsonObject
from workbench.errors import (
    BadInput,
    ConstraintFailed,
    EngineError,
    ModelBroken,
    ModelMissing,
    PromptTooLong,
    RemoteFailed,
    StoreError,
    WorkbenchError,
)

_TOO_LONG: Final = re.compile(
    r"context[ _-]?(?:length|window|size)|too many tokens|(?:prompt|input) is too long|longer than the maximum",
    re.IGNORECASE,
)
"""How servers say that a prompt does not fit. *Source:* OpenAI, vLLM, SGLang, llama-server, Ollama, TGI."""

INVALID: Final = "invalid_request_error"
SERVER: Final = "server_error"


@dataclass
class RequestFault(Exception):
    """A request cannot be answered.

    Args:
        status: Status of the response.
        message: What is wrong, where, and what to do.
        param: Field of the request, such as `messages[2].role`. None if it is not about one field.
    """

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    kind: str = INVALID
    retry_after_s: int = 0
    """Seconds to wait before the next attempt. 0 if waiting does not help."""

    @property
    def document(self) -> JsonObject:
        """The body of the response."""
        return {"error": {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}}

    @property
    def headers(self) -> dict[str, str]:
        """The headers that belong to the body."""
        return {"Retry-After": str(self.retry_after_s)} if self.retry_after_s else {}


def fault_of(error: WorkbenchError) -> RequestFault:
    """Return how an error of the workbench is answered.

    >>> error = PromptTooLong(prompt_tokens=5000, context_tokens=4096, reserved_tokens=16)
    >>> fault_of(error).code, fault_of(error).status
    ('context_length_exceeded', 400)
    """
    message = str(error)
    match error:
        case PromptTooLong():
            return RequestFault(400, message, "context_length_exceeded", "messages")
        case ConstraintFailed():
            return RequestFault(400, message, "invalid_schema", "tools")
        case ModelMissing():
            return RequestFault(404, message, "model_not_found", "model")
        case RemoteFailed():
            return _fault_of_server(error, message)
        case ModelBroken() | EngineError():
            return RequestFault(500, message, "engine_error", kind=SERVER)
        case StoreError():
            return RequestFault(503, message, "store_error", kind=SERVER, retry_after_s=1)
        case BadInput():
            return RequestFault(400, message, "invalid_value")
        case _:
            return RequestFault(500, message, kind=SERVER)


def _fault_of_server(error: RemoteFailed, message: str) -> RequestFault:
    """Return a server's refusal with its own status, so that clients handle it as they would without the gateway."""
    status = error.status if error.status is not None and 400 <= error.status < 600 else 502
    wait_s = math.ceil(min(error.retry_after_s or 0, 86_400))
    match status:
        case 400 | 413 | 422 if _TOO_LONG.search(message):
            return RequestFault(status, message, "context_length_exceeded", "messages")
        case 401:
            return RequestFault(status, message, "invalid_api_key")
        case 404 if "model" in error.problem:
            return RequestFault(status, message, "model_not_found", "model")
        case 429:
            code, kind = "rate_limit_exceeded", "rate_limit_error"
            return RequestFault(status, message, code, kind=kind, retry_after_s=wait_s)
        case _ if status < 500:
            return RequestFault(status, message, "upstream_error")
        case _:
            return RequestFault(status, message, "upstream_error", kind=SERVER, retry_after_s=wait_s)
