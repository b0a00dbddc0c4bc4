"""A model server's redirect is followed on the same host only."""

import pytest

from tests.engines.remote.asking import ask, openai_engine, text_of
from tests.security.hostile_server import hostile_server
from tests.security.raw_answers import DONE, HELLO, STOP, body, redirect_to
from workbench.errors import RemoteFailed

pytestmark = pytest.mark.slow


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_nothing_is_sent_to_another_host(self, status: int) -> None:
        with hostile_server(body(HELLO, STOP, DONE)) as elsewhere:
            with hostile_server(redirect_to(f"{elsewhere.url}/chat/completions", status)) as server:
                with pytest.raises(
                    RemoteFailed, match=r"redirects to another host, http://127\.0\.0\.1:"
                ) as caught:
                    ask(openai_engine(server.url))
                assert len(server.requests) == 1
            assert elsewhere.requests == []
        assert str(caught.value).startswith(server.url)

    @pytest.mark.parametrize(
        "place",
        [
            "http://localhost:{port}/v1/x",
            "//localhost:{port}/v1/x",
            "https://127.0.0.1:{port}/v1/x",
            "http://127.0.0.1:{other}/v1/x",
            "http://127.0.0.1/v1/x",
            "http://user:word@127.0.0.2:{port}/v1/x",
            "http://127.0.0.1:{port}@evil.example/x",
            "http://[::1]:{port}/x",
            "HTTP://2130706434:{port}/x",
            "file:///etc/passwd",
            "data:text/event-stream,hello",
        ],
    )
    def test_another_scheme_host_or_port_is_another_host(self, place: str) -> None:
        places: list[str] = []
        with hostile_server(lambda: redirect_to(places[0])()) as server:
            port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
            places.append(place.format(port=port, other=port - 1))
            with pytest.raises(RemoteFailed):
                ask(openai_engine(server.url))
            assert {one.split(b" ")[1] for one in server.requests} == {b"/v1/chat/completions"}

    @pytest.mark.parametrize(
        "place", ["/v1/there/chat/completions", "chat/again", "http://127.0.0.1:{port}/v1/y"]
    )
    def test_the_same_host_is_followed_with_the_whole_request(self, place: str) -> None:
        places: list[str] = []
        with hostile_server(lambda: redirect_to(places[0])(), body(HELLO, STOP, DONE)) as server:
            port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
            places.append(place.format(port=port))
            assert text_of(ask(openai_engine(server.url))) == "hello "
            assert (
                server.requests[1].partition(b"\r\n\r\n")[2] == server.requests[0].partition(b"\r\n\r\n")[2]
            )

    def test_a_second_redirect_to_another_host_is_refused_too(self) -> None:
        with hostile_server(body(HELLO, STOP, DONE)) as elsewhere:
            answers = (redirect_to("/v1/first"), redirect_to(f"{elsewhere.url}/x"))
            with (
                hostile_server(*answers) as server,
                pytest.raises(RemoteFailed, match="redirects to another host"),
            ):
                ask(openai_engine(server.url))
            assert elsewhere.requests == []
