"""The embedded model on llama-cpp-python's own server, for every kind of remote engine."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.engines.remote.asking import CONVERSATION, hf_engine, openai_engine, raw_engine, text_of
from tests.engines.remote.real_server import real_server
from workbench.chat.message import Conversation, Message, Role
from workbench.engines.embedded_model import find_embedded
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.remote.server import ServerKind
from workbench.errors import RemoteFailed
from workbench.rollout.ports import FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling

pytestmark = [pytest.mark.model, pytest.mark.slow]

PROMPT = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n"
REQUEST = GenerationRequest(
    prompt=PROMPT,
    sampling=Sampling(max_tokens=24),
    conversation=Conversation(messages=(Message(role=Role.USER, text="What is the capital of France?"),)),
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with real_server() as address:
        yield address


def answer(engine, request=REQUEST):
    try:
        return list(engine.generate(request, is_cancelled=lambda: False))
    finally:
        engine.close()


@pytest.mark.parametrize(
    "engine_of", [openai_engine, raw_engine, hf_engine], ids=["chat", "raw", "hf-inference"]
)
def test_each_kind_answers(url, engine_of):
    deltas = answer(engine_of(url, timeout_s=60.0))
    assert "Paris" in text_of(deltas)
    assert deltas[-1].finish_reason in (FinishReason.STOP, FinishReason.LENGTH)
    assert len(deltas) > 3


def test_raw_mode_gives_the_same_text_as_the_local_engine(url):
    path = find_embedded()
    local = load_llama_cpp(
        path, name="embedded", loading=LoadOptions(context_tokens=2048, threads=0, gpu_layers=0)
    )
    sampling = Sampling(max_tokens=24, temperature=0.0, min_p=0.05, top_k=40)
    request = replace(REQUEST, sampling=sampling)
    try:
        local_text = text_of(list(local.generate(request, is_cancelled=lambda: False)))
    finally:
        local.close()
    server_text = text_of(answer(raw_engine(url, timeout_s=60.0, kind=ServerKind.LLAMA_SERVER), request))
    assert server_text == local_text


def test_a_prompt_that_is_too_long_is_refused(url):
    with pytest.raises(RemoteFailed):
        answer(raw_engine(url, timeout_s=60.0), replace(REQUEST, prompt="word " * 4000))


def test_after_stopping_the_server_answers_the_next_request(url):
    engine = raw_engine(url, timeout_s=60.0)
    answers = iter([False, False, False])
    seen = list(engine.generate(REQUEST, is_cancelled=lambda: next(answers, True)))
    assert seen[-1].finish_reason is FinishReason.CANCELLED
    assert "Paris" in text_of(answer(engine))


def test_a_chat_server_s_models_are_listed(url):
    from workbench.engines.remote.server import Server
    from workbench.engines.remote.transport.model_lists import fetch_model_names

    assert fetch_model_names(Server(name="", base_url=url)) == ("hermes",)


def test_a_complete_turn_as_the_page_runs_it(url, tmp_path):
    """Contract, tools, loop and store with a chat server. Then the same session continues in raw mode."""
    from tests.services import CHECKOUT
    from workbench.app.turn_request import TurnRequest
    from workbench.app.turns import begin_session, run_turn
    from workbench.hermes.written_out import written_out
    from workbench.settings import read_settings
    from workbench.wiring import open_services

    (tmp_path / "servers.yaml").write_text(
        json.dumps({"servers": {
            "chat": {"base_url": url, "models": ["hermes"]},
            "raw": {"base_url": url, "mode": "raw", "kind": "llama-server", "models": ["hermes"]},
        }})
    )  # fmt: skip
    variables = {
        "WORKBENCH_DATA": str(tmp_path),
        "WORKBENCH_HOME": str(CHECKOUT),
        "WORKBENCH_MODEL": "openai:chat/hermes",
    }
    with open_services(read_settings(variables)) as services:
        assert {"openai:chat/hermes", "openai:raw/hermes"} <= set(services.models.names())
        setup = services.setup_for()
        setup = replace(setup, sampling=replace(setup.sampling, max_tokens=16), max_rounds=1)
        session = begin_session(services, setup).id
        list(
            run_turn(
                services, TurnRequest(setup=setup, session_id=session, text=CONVERSATION.messages[0].text)
            )
        )
        first = services.sessions.path(session)
        assert not first[2].generation.is_exact
        raw = replace(setup, model="openai:raw/hermes")
        list(run_turn(services, TurnRequest(setup=raw, session_id=session, text="And where?")))
        path = services.sessions.path(session)
    assert path[-1].generation.is_exact
    assert written_out(first[2].message) in path[-1].generation.prompt_text
    assert "get_flumbuster" in path[-1].generation.prompt_text
