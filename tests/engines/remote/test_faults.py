"""Failures of servers, for both kinds of clients."""

import logging
import re
import traceback

import pytest

from tests.engines.remote.asking import KEY, ask, asking_for, hf_engine, openai_engine, raw_engine, text_of
from tests.engines.remote.scripted_server import (
    DONE,
    Answer,
    delta,
    event,
    piece,
    refused,
    said,
    scripted_server,
    stream,
)
from workbench.errors import RemoteFailed
from workbench.rollout.ports import FinishReason

pytestmark = pytest.mark.slow

CHAT = pytest.mark.parametrize("engine_of", [openai_engine, hf_engine], ids=["openai", "hf-inference"])


def failure(engine) -> RemoteFailed:
    with pytest.raises(RemoteFailed) as caught:
        ask(engine)
    return caught.value


@CHAT
@pytest.mark.parametrize(
    ("status", "words", "tries"),
    [
        (400, "refused the request with status 400", 1),
        (401, "the API key was refused", 1),
        (403, "the API key was refused", 1),
        (429, "too many requests", 4),
        (500, "failed with status 500", 4),
        (503, "failed with status 503", 4),
    ],
)
def test_a_failure_is_reported_and_repeated_if_it_is_temporary(engine_of, status, words, tries):
    with scripted_server(refused(status, "because")) as server:
        error = failure(engine_of(server.url))
    assert error.args[0].startswith("http://127.0.0.1:")
    assert "because" in str(error)
    assert len(server.requests) == tries
    assert re.search(words, str(error))


NO_SUCH_MODEL = [
    "The model `hermes` does not exist.",
    "The requested model does not exist",
    'Repository "hermes" is unknown',
]
NO_SUCH_PATH = [
    "Not Found",
    "File Not Found",
    "404 page not found",
    "Invalid URL (POST /v1/v1/chat/completions)",
    "Cannot POST /chat/completions",
]


@pytest.mark.parametrize("message", NO_SUCH_MODEL)
def test_a_404_about_the_model_names_it(message):
    with scripted_server(refused(404, message)) as server:
        error = failure(openai_engine(server.url))
    assert f"there is no model 'hermes': {message} (`workbench models list --json`" in str(error)
    assert len(server.requests) == 1


@pytest.mark.parametrize("message", NO_SUCH_PATH)
@pytest.mark.parametrize(
    ("engine_of", "path"), [(openai_engine, "/chat/completions"), (raw_engine, "/completions")]
)
def test_any_other_404_is_about_the_path(engine_of, path, message):
    with scripted_server(refused(404, message)) as server:
        error = failure(engine_of(server.url))
    assert error.args[0].startswith(f"{server.url}: it has no path {path}: {message} (")
    assert len(server.requests) == 1


def with_paths(*paths):
    """A server that has these paths only, as FastAPI answers for others."""

    def answer(request):
        return said("Noon.") if request.path in paths else refused(404, "Not Found")

    return answer


@pytest.mark.parametrize("wrong", ["", "/", "/v1/v1", "/v1/v1/", "/v1/chat/completions", "/v1/models"])
def test_the_address_to_try_answers(wrong):
    with scripted_server(with_paths("/v1/chat/completions")) as server:
        right = server.url
        error = failure(openai_engine(right.removesuffix("/v1") + wrong))
        tried = re.search(r"\(try the base URL ([^ )]+)\)", str(error))
        assert tried and tried[1] == right
        assert text_of(ask(openai_engine(tried[1]))) == "Noon."


@pytest.mark.parametrize("base", ["/v1", "/v1beta/openai", "/api/v3", "/openai/v1/"])
def test_an_address_with_a_version_has_no_better_one(base):
    with scripted_server(refused(404, "Not Found")) as server:
        error = failure(openai_engine(server.url.removesuffix("/v1") + base))
    assert str(error).endswith("(check the base URL, which should end with /v1)")


def test_a_server_without_raw_completions_is_used_with_mode_chat():
    with scripted_server(with_paths("/v1/chat/completions")) as server:
        error = failure(raw_engine(server.url))
    assert str(error).endswith("(check the base URL, which should end with /v1, or set `mode: chat`)")


@CHAT
def test_the_key_is_in_no_error_traceback_or_log(engine_of, caplog):
    caplog.set_level(logging.DEBUG)
    with scripted_server(refused(401, f"Incorrect API key provided: {KEY}")) as server:
        error = failure(engine_of(server.url))
    assert KEY in str(server.requests[0].headers)
    shown = str(error) + repr(error) + "".join(traceback.format_exception(error))
    assert KEY not in shown
    assert KEY not in caplog.text
    assert "Incorrect API key provided: …" in str(error)
    assert error.__cause__ is None and error.__context__ is None


@CHAT
def test_the_key_is_in_no_delta_if_an_error_in_the_stream_contains_it(engine_of):
    broken = stream(delta(content="a"), event({"error": {"message": f"no room for {KEY}"}}))
    with scripted_server(broken) as server:
        deltas = ask(engine_of(server.url))
    assert KEY not in repr(deltas)
    assert deltas[-1].problem == "no room for …"


@CHAT
def test_too_many_requests_are_repeated_after_the_requested_wait(engine_of):
    with scripted_server(refused(429, "slow down", **{"Retry-After": "3"}), said("hello")) as server:
        deltas = ask(engine_of(server.url))
    assert text_of(deltas) == "hello"
    assert len(server.requests) == 2


@CHAT
def test_a_long_requested_wait_fails_at_once(engine_of):
    with scripted_server(refused(429, "slow down", **{"Retry-After": "3600"})) as server:
        failure(engine_of(server.url))
    assert len(server.requests) == 1


@CHAT
def test_a_broken_stream_keeps_its_text_and_is_unfinished(engine_of):
    with scripted_server(stream(delta(content="It is "), delta(content="n"), None)) as server:
        deltas = ask(engine_of(server.url))
    assert text_of(deltas) == "It is n"
    assert deltas[-1].finish_reason is FinishReason.INTERRUPTED
    assert deltas[-1].problem
    assert len(server.requests) == 1


@CHAT
def test_a_stream_that_breaks_before_any_text_is_repeated(engine_of):
    with scripted_server(stream(None), said("hello")) as server:
        assert text_of(ask(engine_of(server.url))) == "hello"


@CHAT
def test_a_stalled_stream_keeps_its_text_and_is_unfinished(engine_of):
    with scripted_server(stream(delta(content="It is "), 20.0)) as server:
        deltas = ask(engine_of(server.url, timeout_s=0.3))
    assert text_of(deltas) == "It is "
    assert deltas[-1].finish_reason is FinishReason.INTERRUPTED
    assert "no data for 0.3 s" in deltas[-1].problem


@CHAT
def test_a_server_that_never_answers_is_not_asked_again(engine_of):
    with scripted_server(stream(20.0)) as server:
        assert "no data for 0.3 s" in str(failure(engine_of(server.url, timeout_s=0.3)))
    assert len(server.requests) == 1


@CHAT
def test_invalid_json_is_reported(engine_of):
    with scripted_server(stream(event(b'{"choices": ['))) as server:
        assert "not valid JSON" in str(failure(engine_of(server.url)))
    with scripted_server(stream(delta(content="a"), event(b'{"choices": ['))) as server:
        deltas = ask(engine_of(server.url))
    assert (text_of(deltas), deltas[-1].finish_reason) == ("a", FinishReason.INTERRUPTED)


@CHAT
def test_a_page_instead_of_a_stream_is_reported(engine_of):
    page = Answer(headers={"Content-Type": "text/html"}, pieces=(b"<html>Welcome</html>",))
    with scripted_server(page) as server:
        assert "contains no completion" in str(failure(engine_of(server.url)))
    assert len(server.requests) == 1


@CHAT
@pytest.mark.parametrize("shape", [[1], [{"delta": 5}], [None], "x", 7, {"a": 1}])
def test_a_chunk_of_any_shape_is_read_or_reported(engine_of, shape):
    with scripted_server(
        stream(event({"choices": shape}), delta(content="a"), delta("stop"), DONE)
    ) as server:
        try:
            assert ask(engine_of(server.url))[-1].finish_reason is FinishReason.STOP
        except RemoteFailed as error:
            assert server.url in str(error)


@CHAT
def test_ten_megabytes_arrive_completely_if_requested(engine_of):
    text = "0123456789" * 100_000
    answer = stream(*(delta(content=text) for _ in range(10)), delta("stop"), DONE)
    with scripted_server(answer) as server:
        deltas = ask(engine_of(server.url, timeout_s=30.0), asking_for(400_000))
    assert text_of(deltas) == text * 10
    assert deltas[-1].finish_reason is FinishReason.STOP


@CHAT
def test_an_unreachable_server_is_reported(engine_of):
    assert "no answer" in str(failure(engine_of("http://127.0.0.1:1/v1")))


@pytest.mark.parametrize("engine_of", [openai_engine, raw_engine, hf_engine])
def test_stopping_a_silent_server_takes_effect_at_once_and_hangs_up(engine_of):
    calls = []

    def is_cancelled():
        calls.append(1)
        return len(calls) > 5

    chunk = piece("a") if engine_of is raw_engine else delta(content="a")
    with scripted_server(stream(chunk, 2.0, chunk, 0.2, chunk, 0.2, chunk)) as server:
        deltas = ask(engine_of(server.url), is_cancelled=is_cancelled)
        assert deltas[-1].finish_reason is FinishReason.CANCELLED
        assert text_of(deltas) == "a"
        assert server.gone.wait(timeout=10)


@CHAT
def test_stopping_during_the_wait_sends_no_further_request(engine_of):
    calls = []

    def is_cancelled():
        calls.append(1)
        return bool(server.requests) and len(calls) > 3

    with scripted_server(refused(503, "later")) as server:
        deltas = ask(engine_of(server.url), is_cancelled=is_cancelled)
    assert [chunk.finish_reason for chunk in deltas] == [FinishReason.CANCELLED]
    assert len(server.requests) == 1


def test_several_requests_get_their_own_answers():
    from concurrent.futures import ThreadPoolExecutor
    from dataclasses import replace

    from tests.engines.remote.asking import REQUEST

    def echo(request):
        return stream(piece(str(request.body["prompt"])), 0.01, piece("!", "stop"), DONE)

    with scripted_server(echo) as server:
        engine = raw_engine(server.url)
        with ThreadPoolExecutor(8) as pool:
            requests = [replace(REQUEST, prompt=f"visitor {number}") for number in range(8)]
            answers = pool.map(
                lambda request: text_of(list(engine.generate(request, is_cancelled=lambda: False))), requests
            )
            assert list(answers) == [f"visitor {number}!" for number in range(8)]
        engine.close()
