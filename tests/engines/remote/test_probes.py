"""What a server can do is found out with small requests, and used for the requests that follow."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from tests.engines.remote.asking import REQUEST, TOOLS, ask, openai_engine, raw_engine, text_of
from tests.engines.remote.scripted_server import (
    DONE,
    Answer,
    RecordedRequest,
    delta,
    piece,
    refused,
    said,
    scripted_server,
    stream,
)
from tests.peers.fake_servers import (
    LLAMA_CPP_PYTHON,
    LLAMA_CPP_PYTHON_ABILITIES,
    LLAMA_SERVER,
    NO_TOOLS_IN_TEMPLATE,
    OLD_VLLM,
    OLLAMA,
    PLAIN,
    SGLANG,
    VLLM,
    FakeSoftware,
    fake_server,
)
from workbench.engines.all_models import AllModels, EngineSources
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.models import LocalModels
from workbench.engines.remote.engine import RemoteEngine
from workbench.engines.remote.probes.server_probes import ProbedServer, ServerProbes
from workbench.engines.remote.request.openai_request import build_request
from workbench.engines.remote.server import Mode, Server, ServerKind, ToolsBy
from workbench.rollout.ports import ChoiceKind, Constraint, ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.rollout.server_abilities import ServerAbilities

NAMED = replace(REQUEST, tool_choice=ToolChoice(kind=ChoiceKind.NAMED, tool="now"))
GRAMMAR = Constraint(schema={}, closing="", grammar='root ::= "x"')
CALL = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
ALL = ServerAbilities(
    raw_completions=True,
    logprobs=True,
    grammar=True,
    json_schema=True,
    named_choice=True,
    required_choice=True,
)


def probed(url: str, kind: ServerKind = ServerKind.OPENAI, mode: Mode = Mode.CHAT) -> ProbedServer:
    probes, lab = ServerProbes(), Server(name="", base_url=url, kind=kind, mode=mode)
    probes.ask(lab, "hermes")
    found = probes.known(lab, "hermes")
    assert found is not None
    return found


def models_on(default: Server, **servers: Server) -> AllModels:
    loading = LoadOptions(context_tokens=0, threads=0, gpu_layers=0)
    return AllModels(
        local=LocalModels(loading=loading, find_cached=lambda _: None),
        default="openai:hermes",
        sources=EngineSources(default_server=default, servers=servers),
    )


def fields_of(body: dict[str, object], *names: str) -> dict[str, object]:
    return {name: body[name] for name in names if name in body}


GRAMMAR_FIELDS: Final = ("structured_outputs", "guided_grammar", "ebnf", "grammar")


@pytest.mark.parametrize(
    ("software", "kind", "abilities", "spelling"),
    [
        (VLLM, ServerKind.VLLM, ALL, "structured_outputs"),
        (OLD_VLLM, ServerKind.VLLM, ALL, "guided"),
        (SGLANG, ServerKind.SGLANG, ALL, "ebnf"),
        (LLAMA_SERVER, ServerKind.LLAMA_SERVER, ALL, "grammar"),
        (SGLANG, ServerKind.OPENAI, ALL, "ebnf"),
        # A named choice is an object for software that is not known.
        (LLAMA_SERVER, ServerKind.OPENAI, replace(ALL, named_choice=False, chat_grammar=True), "grammar"),
        (
            NO_TOOLS_IN_TEMPLATE,
            ServerKind.LLAMA_SERVER,
            replace(ALL, named_choice=False, required_choice=False, chat_grammar=True),
            "grammar",
        ),
        (
            OLLAMA,
            ServerKind.OLLAMA,
            ServerAbilities(
                raw_completions=False,
                logprobs=False,
                grammar=False,
                json_schema=True,
                named_choice=False,
                required_choice=False,
                chat_grammar=False,
            ),
            None,
        ),
        (
            PLAIN,
            ServerKind.OPENAI,
            ServerAbilities(
                raw_completions=False,
                logprobs=False,
                grammar=False,
                json_schema=False,
                named_choice=False,
                required_choice=False,
                chat_grammar=False,
            ),
            None,
        ),
        (
            LLAMA_CPP_PYTHON,
            ServerKind.OPENAI,
            LLAMA_CPP_PYTHON_ABILITIES,
            "grammar",
        ),
    ],
)
@pytest.mark.parametrize("mode", Mode)
def test_what_each_software_can_do_is_found_out(
    software: FakeSoftware, kind: ServerKind, abilities: ServerAbilities, spelling: str | None, mode: Mode
) -> None:
    if mode is Mode.RAW and not abilities.raw_completions:
        pytest.skip("it has no raw completions")
    with scripted_server(fake_server(software)) as server:
        found = probed(server.url, kind, mode)
    if mode is Mode.RAW:
        abilities = replace(abilities, chat_grammar=None)
    assert found == ProbedServer(abilities=abilities, spelling=spelling)
    assert {request.body["max_tokens"] for request in server.requests} == {1}


@pytest.mark.parametrize(
    ("status", "is_open"), [(400, False), (422, False), (500, False), (429, True), (503, True)]
)
def test_a_request_that_fails_leaves_the_ability_unknown(status: int, *, is_open: bool) -> None:
    with scripted_server(refused(status, "no")) as server:
        abilities = probed(server.url).abilities
    assert set(abilities.document.values()) == {None}
    assert (abilities.open == set(abilities.document)) is is_open
    assert abilities.problem == (f"status {status}; it will be asked again" if is_open else "")


def test_a_thought_shows_nothing() -> None:
    """A server applies a schema after the thought, and one token is less than a thought."""

    def answer(_: RecordedRequest) -> Answer:
        body = b'{"choices": [{"text": "", "message": {"content": "", "reasoning_content": "Hm"}, "logprobs": null}]}'
        return Answer(pieces=(body,))

    with scripted_server(answer) as server:
        abilities = probed(server.url).abilities
    assert (abilities.grammar, abilities.json_schema, abilities.named_choice) == (None, None, None)


def test_a_call_that_is_not_complete_shows_nothing() -> None:
    with scripted_server(fake_server(PLAIN, free="<tool_call>")) as server:
        assert probed(server.url).abilities.named_choice is None


def test_nothing_is_sent_when_models_are_listed() -> None:
    with scripted_server(fake_server(VLLM)) as server:
        models = models_on(Server(name="", base_url=server.url))
        models.ask_servers()
        status = models.status("openai:hermes")
        assert [request.path for request in server.requests] == ["/v1/models"]
        assert (status.abilities, status.context_tokens) == (None, 4096)
        models.check("openai:hermes")
        assert models.status("openai:hermes").abilities == ALL


@pytest.mark.parametrize(
    ("software", "sent"),
    [
        (VLLM, {"structured_outputs": {"grammar": GRAMMAR.grammar}}),
        (SGLANG, {"ebnf": GRAMMAR.grammar}),
        (LLAMA_SERVER, {"grammar": GRAMMAR.grammar}),
    ],
)
def test_after_a_check_the_grammar_is_sent_as_the_server_spells_it(
    software: FakeSoftware, sent: dict[str, object]
) -> None:
    with scripted_server(fake_server(software, constrained="~")) as server:
        models = models_on(Server(name="", base_url=server.url, mode=Mode.RAW))
        engine = models.engine("openai:hermes")
        assert isinstance(engine, RemoteEngine) and not engine.capabilities.has_grammar
        models.check("openai:hermes")
        assert engine.capabilities.has_grammar
        assert text_of(ask(engine, replace(REQUEST, constraint=GRAMMAR))) == "~"
    assert fields_of(server.requests[-1].body, *GRAMMAR_FIELDS) == sent


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        (ServerKind.VLLM, {"structured_outputs": {"grammar": 'root ::= "x"'}, "guided_grammar": 'root ::= "x"'}),
        (ServerKind.SGLANG, {"ebnf": 'root ::= "x"'}),
        (ServerKind.LLAMA_SERVER, {"grammar": 'root ::= "x"'}),
        (ServerKind.OPENAI, {}),
        (ServerKind.OLLAMA, {}),
    ],
)  # fmt: skip
def test_without_a_check_the_documentation_of_the_software_counts(
    kind: ServerKind, sent: dict[str, object]
) -> None:
    with scripted_server(stream(piece("x", "stop"), DONE)) as server:
        engine = raw_engine(server.url, kind=kind)
        assert engine.capabilities.has_grammar is bool(sent)
        ask(engine, replace(REQUEST, constraint=GRAMMAR))
    assert fields_of(server.requests[0].body, *GRAMMAR_FIELDS) == sent


def test_a_grammar_that_waits_for_a_trigger_is_not_sent() -> None:
    """A server would apply it from the first token, and the model could not answer without a call."""
    constraint = replace(GRAMMAR, trigger="<tool_call>")
    with scripted_server(fake_server(SGLANG)) as server:
        ask(raw_engine(server.url, kind=ServerKind.SGLANG), replace(REQUEST, constraint=constraint))
    assert "ebnf" not in server.requests[0].body


@pytest.mark.parametrize("kind", [ServerKind.LLAMA_SERVER, ServerKind.LM_STUDIO])
def test_a_named_choice_is_sent_as_required_with_that_one_tool(kind: ServerKind) -> None:
    """llama-server reads an object as `auto`."""
    other = replace(TOOLS.specs[0], document={"type": "function", "function": {"name": "other"}})
    tools = replace(TOOLS, specs=(other, *TOOLS.specs))
    with scripted_server(fake_server(LLAMA_SERVER)) as server:
        deltas = ask(openai_engine(server.url, kind=kind), replace(NAMED, tools=tools))
    body = server.requests[0].body
    assert (body["tool_choice"], body["tools"]) == ("required", [TOOLS.specs[0].document])
    assert [piece.name for delta in deltas for piece in delta.call_pieces] == ["now"]


@pytest.mark.parametrize(
    ("kind", "found", "required", "is_named"),
    [
        (ServerKind.OPENAI, True, None, True),
        (ServerKind.OPENAI, True, False, True),
        (ServerKind.OPENAI, True, True, False),
        (ServerKind.OPENAI, None, None, False),
        (ServerKind.LLAMA_SERVER, True, None, False),
    ],
)
def test_required_with_one_tool_names_it_if_only_that_is_known_to_work(
    kind: ServerKind, *, found: bool | None, required: bool | None, is_named: bool
) -> None:
    request = replace(REQUEST, tool_choice=ToolChoice(kind=ChoiceKind.REQUIRED))
    known = ProbedServer(abilities=ServerAbilities(named_choice=found, required_choice=required))
    sent = build_request(request, Server(name="", base_url="http://lab/v1", kind=kind), "hermes", known)
    named = {"type": "function", "function": {"name": "now"}}
    assert sent.body["tool_choice"] == (named if is_named else "required")


@pytest.mark.parametrize("choice", [NAMED.tool_choice, ToolChoice(kind=ChoiceKind.REQUIRED)], ids=str)
@pytest.mark.parametrize(
    ("software", "fields"),
    [
        (OLLAMA, {"kind": ServerKind.OLLAMA}),
        (VLLM, {"kind": ServerKind.VLLM, "tools_by": ToolsBy.CONTRACT}),
    ],
    ids=["ollama", "contract"],
)
def test_a_server_that_ignores_tool_choices_gets_the_schema_of_a_call(
    choice: ToolChoice, software: FakeSoftware, fields: dict[str, object]
) -> None:
    with scripted_server(fake_server(software)) as server:
        deltas = ask(openai_engine(server.url, **fields), replace(REQUEST, tool_choice=choice))
    assert text_of(deltas) == CALL
    body = server.requests[0].body
    assert '"name": {"const": "now"}' in json.dumps(body["response_format"])
    assert "tool_choice" not in body
    assert ("tools" in body) is ("tools_by" not in fields)


def test_an_answer_that_ignores_the_schema_stays_as_it_is() -> None:
    with scripted_server(said("It is noon.")) as server:
        assert text_of(ask(openai_engine(server.url, kind=ServerKind.OLLAMA), NAMED)) == "It is noon."


def test_a_call_that_was_cut_off_is_not_closed() -> None:
    answer = stream(delta(content='{"name": "now", '), delta("length"), DONE)
    with scripted_server(answer) as server:
        text = text_of(ask(openai_engine(server.url, kind=ServerKind.OLLAMA), NAMED))
    assert text == '<tool_call>\n{"name": "now", '


@pytest.mark.parametrize(
    ("context", "max_tokens", "sent"), [(0, 5000, 5000), (100, 32, 32), (100, 5000, 84), (4, 8, 1)]
)
@pytest.mark.parametrize("engine_of", [openai_engine, raw_engine])
def test_max_tokens_leave_room_for_the_prompt(
    engine_of: Callable[..., RemoteEngine], context: int, max_tokens: int, sent: int
) -> None:
    """vLLM refuses a request whose prompt and `max_tokens` exceed the context together."""
    request = replace(REQUEST, prompt="a" * 64, sampling=Sampling(max_tokens=max_tokens))
    with scripted_server(said("x")) as server:
        engine = engine_of(server.url, context_tokens=context)
        list(engine.generate(request, is_cancelled=lambda: bool(server.requests)))
    assert server.requests[0].body["max_tokens"] == sent


def test_the_context_is_that_of_the_list_unless_the_settings_give_one() -> None:
    with scripted_server(fake_server(VLLM)) as server:
        plain = Server(name="", base_url=server.url)
        models = models_on(plain, lab=replace(plain, name="lab", context_tokens=9))
        engines = [models.engine("openai:hermes"), models.engine("openai:lab/hermes")]
        assert [engine.context_tokens for engine in engines] == [0, 9]
        models.ask_servers()
        assert [engine.context_tokens for engine in engines] == [4096, 9]
        statuses = map(models.status, ("openai:hermes", "openai:lab/hermes"))
        assert [status.context_tokens for status in statuses] == [4096, 9]
