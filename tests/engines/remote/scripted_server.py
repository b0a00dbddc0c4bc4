"""A local HTTP server that sends prepared answers and records the requests."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


@dataclass
class RecordedRequest:
    """A recorded request."""

    path: str
    headers: dict[str, str]
    body: dict[str, object]


@dataclass
class Answer:
    """A prepared answer. A number in `pieces` is a pause in seconds, None cuts the connection."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pieces: Sequence[bytes | float | None] = ()


@dataclass
class ScriptedServer:
    """The address of the server and its recorded requests. The last answer is repeated."""

    url: str
    requests: list[RecordedRequest]
    gone: Event
    """Set once a client has hung up during an answer."""


def event(chunk: object) -> bytes:
    return b"data: " + (chunk if isinstance(chunk, bytes) else json.dumps(chunk).encode()) + b"\n\n"


DONE = event(b"[DONE]")


def delta(finish_reason: str | None = None, **fields: object) -> bytes:
    return event({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                  "choices": [{"index": 0, "delta": fields, "finish_reason": finish_reason}]})  # fmt: skip


def piece(text: str, finish_reason: str | None = None) -> bytes:
    return event({"id": "1", "object": "text_completion", "created": 1, "model": "m",
                  "choices": [{"index": 0, "text": text, "finish_reason": finish_reason, "logprobs": None}]})  # fmt: skip


def usage(prompt: int, completion: int, cached: int = 0) -> bytes:
    return event({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
                  "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
                            "prompt_tokens_details": {"cached_tokens": cached}}})  # fmt: skip


def stream(*pieces: bytes | float | None) -> Answer:
    return Answer(headers={"Content-Type": "text/event-stream"}, pieces=pieces)


def said(text: str) -> Answer:
    """Return a complete chat answer."""
    return stream(delta(role="assistant", content=text), delta("stop"), usage(10, 2, 4), DONE)


def refused(status: int, message: str, **headers: str) -> Answer:
    body = json.dumps({"error": {"message": message, "type": "x", "code": None}}).encode()
    return Answer(status=status, headers={"Content-Type": "application/json", **headers}, pieces=(body,))


@contextmanager
def scripted_server(
    *answers: Answer | Callable[[RecordedRequest], Answer], port: int = 0
) -> Iterator[ScriptedServer]:
    """Serve the answers, in order. Port 0 takes a free one."""
    served = ScriptedServer(url="", requests=[], gone=Event())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, body: dict[str, object]) -> None:
            request = RecordedRequest(path=self.path, headers=dict(self.headers), body=body)
            served.requests.append(request)
            answer = answers[min(len(served.requests), len(answers)) - 1]
            answer = answer(request) if callable(answer) else answer
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                self._send(answer.pieces)
            except (BrokenPipeError, ConnectionResetError):
                served.gone.set()
                self.close_connection = True

        def _send(self, pieces: Sequence[bytes | float | None]) -> None:
            for piece in pieces:
                if piece is None:
                    self.close_connection = True
                    return
                if isinstance(piece, bytes):
                    self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                    self.wfile.flush()
                else:
                    time.sleep(piece)
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *args: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
