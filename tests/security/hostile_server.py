"""A server on the loopback interface that answers requests with arbitrary bytes."""

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

LONGEST_S: Final = 60.0
"""Limit of an endless answer, if no client hangs up earlier."""
MOST_BYTES: Final = 400_000_000

RawAnswer = Callable[[], Iterable[bytes | float]]
"""Returns the bytes that are sent; a number is a pause in seconds."""


@dataclass
class HostileServer:
    url: str = ""
    requests: list[bytes] = field(default_factory=list)
    """Head of each request, with the part of its body that arrived together with it."""
    sent_bytes: int = 0


@contextmanager
def hostile_server(*answers: RawAnswer) -> Iterator[HostileServer]:
    """Answer the first request with the first answer, and so on; the last answer is repeated."""
    served = HostileServer()
    listener = socket.create_server(("127.0.0.1", 0))
    served.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    is_over = threading.Event()
    open_sockets: list[socket.socket] = []

    def answer(client: socket.socket) -> None:
        with client:
            client.settimeout(LONGEST_S)
            served.requests.append(_request(client))
            raw_answer = answers[min(len(served.requests), len(answers)) - 1]
            ends = time.monotonic() + LONGEST_S
            for piece in raw_answer():
                if is_over.is_set() or time.monotonic() > ends or served.sent_bytes > MOST_BYTES:
                    return
                if isinstance(piece, float):
                    is_over.wait(piece)
                    continue
                client.sendall(piece)
                served.sent_bytes += len(piece)

    def answer_quietly(client: socket.socket) -> None:
        try:
            answer(client)
        except OSError:
            return  # The client hung up, as it should.

    def serve() -> None:
        while True:
            try:
                client = listener.accept()[0]
            except OSError:
                return
            open_sockets.append(client)
            threading.Thread(target=answer_quietly, args=(client,), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        is_over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for one in open_sockets:
            one.close()
        thread.join()


def _request(client: socket.socket) -> bytes:
    """Read the whole request, because closing a socket with unread bytes would cut the answer."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        if not more:
            return data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b":0"
    )
    while len(body) < int(length.partition(b":")[2]):
        more = client.recv(65536)
        if not more:
            break
        body += more
    return head + b"\r\n\r\n" + body
