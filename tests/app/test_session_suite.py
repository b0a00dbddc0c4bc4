"""Recorded conversations become cases that expect the labelled or recorded calls."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.exchanges import SETUP, Agent, answered, said
from tests.services import services_for
from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.runs.session_suite import save_session_suite, suite_from_sessions
from workbench.app.runs.suites import load_suite
from workbench.app.services import Services
from workbench.chat.message import Message, Role, ToolCall
from workbench.errors import BadInput
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.suite.case import Case

TOOLS = """[{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object",
"properties": {"city": {"type": "string"}}, "required": ["city"]}}}]"""
RESULT = Message(role=Role.TOOL, text='{"celsius": 31}', name="get_weather")
FAULTY = '<tool_call>\n{"name": "get_weather", "arguments": {"town": "Rome"}}\n</tool_call>'


def call_of(city: str) -> str:
    """Return a completion that calls the tool."""
    return f'<tool_call>\n{{"name": "get_weather", "arguments": {{"city": "{city}"}}}}\n</tool_call>'


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Services whose model calls the tool for Rome and then answers, for every case."""
    with services_for(tmp_path, call_of("Rome"), "It is 31 degrees.") as (opened, _):
        yield opened


def record(
    services: Services, *exchanges: tuple[Message, str], tag: str = "agent", **changes: object
) -> list[str]:
    """Record a conversation, and return the ids of the answers."""
    agent = Agent(tag=tag, setup=replace(SETUP, tools_text=TOOLS, **changes))
    ids: list[str] = []
    for sent, text in exchanges:
        request, answer = agent.request(sent), answered(text)
        found = services.recordings.find_session(request)
        session_id = (
            found.session_id
            if found
            else ("abcdef" + str(len(services.sessions.list_sessions()))).ljust(32, "0")
        )
        ids.append(services.recordings.record(session_id, request, answer).message_id)
        agent.got(answer)
    return ids


def label(services: Services, message_id: str, call: int | None = None, **content: object) -> None:
    """Label a message or one of its calls."""
    for session in services.sessions.list_sessions():
        if any(node.id == message_id for node in services.sessions.tree(session.id)):
            target = LabelTarget(session_id=session.id, message_id=message_id, call_index=call)
            services.labels.save(NewLabel(target=target, content=LabelContent(**content)))


def expectations(cases: tuple[Case, ...]) -> list[object]:
    """Return the expectation of each case."""
    return [expectation.document() for case in cases for expectation in case.expectations]


ROME = {"name": "get_weather", "arguments": {"city": "Rome"}}


def test_each_turn_becomes_a_case_that_expects_its_calls_again(services: Services) -> None:
    record(
        services,
        (said("How is the weather in Rome?"), call_of("Rome")),
        (RESULT, "It is 31 degrees."),
        (said("Thanks."), "You are welcome."),
    )
    made = suite_from_sessions(services, "agent", name="yesterday")
    first, second = made.suite.cases
    assert (made.sessions, made.labelled, made.left_out) == (1, 0, ())
    assert expectations(made.suite.cases) == [{"calls": [ROME], "within": "turn"}, {"no_call": True}]
    assert [message.role for message in second.messages] == [
        Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.USER,
    ]  # fmt: skip
    assert [spec["function"]["name"] for spec in first.tool_specs] == ["get_weather"]
    assert first.mocks["get_weather"][0]["result"] == {"celsius": 31}
    assert first.tags == ("agent",)


def test_the_cases_run_with_the_recorded_results(services: Services) -> None:
    record(services, (said("How is the weather in Rome?"), call_of("Rome")), (RESULT, "It is 31 degrees."))
    made = suite_from_sessions(services, "agent")
    stored = begin_run(services, plan_run(services, RunRequest(suites=()), [made.suite]))
    for _ in execute_run(services, stored, is_cancelled=lambda: False):
        pass
    (result,) = services.runs.results(stored.id)
    assert result.status.value == "passed", result
    path = services.sessions.path(result.session_id or "")
    assert [stored.message.text for stored in path if stored.message.role is Role.TOOL] == ['{"celsius": 31}']


def test_labels_decide_what_is_expected(services: Services) -> None:
    corrected, needless, asking, right = (
        record(services, (said(f"Question {number}"), call_of("Rome")), (RESULT, "Done."))[0]
        for number in range(4)
    )
    oslo = ToolCall(name="get_weather", arguments={"city": "Oslo", "when": {"regex": "x"}})
    label(services, corrected, 0, verdict=Verdict.BAD_ARGUMENTS, correction=oslo)
    label(services, needless, 0, verdict=Verdict.NEEDLESS)
    label(services, asking, 0, verdict=Verdict.SHOULD_ASK)
    label(services, right, 0, verdict=Verdict.RIGHT)
    made = suite_from_sessions(services, "agent")
    assert made.labelled == 4
    assert expectations(made.suite.cases) == [
        {
            "calls": [
                {"name": "get_weather", "arguments": {"city": "Oslo", "when": {"equals": {"regex": "x"}}}}
            ]
        },
        {"no_call": True},
        {"asks": True},
        {"calls": [ROME], "within": "turn"},
    ]


def test_a_corrected_text_is_expected(services: Services) -> None:
    (answer,) = record(services, (said("How is the weather in Rome?"), "I do not know."))
    label(services, answer, verdict=Verdict.MISSING_CALL, correction=call_of("Rome"))
    assert expectations(suite_from_sessions(services, "agent").suite.cases) == [{"calls": [ROME]}]


@pytest.mark.parametrize(
    ("text", "content", "call", "reason"),
    [
        (FAULTY, {}, None, "call 1 is not valid (invalid arguments)"),
        ("<tool_call>\nnonsense\n</tool_call>", {}, None, "could not be read"),
        (call_of("Rome"), {"verdict": Verdict.WRONG_TOOL}, 0, "labelled 'wrong-tool' without a correction"),
        ("I do not know.", {"verdict": Verdict.MISSING_CALL}, None, "a call is missing"),
    ],
)
def test_a_turn_whose_expectation_is_not_known_is_left_out(
    services: Services, text: str, content: dict[str, Verdict], call: int | None, reason: str
) -> None:
    (bad,) = record(services, (said("How is the weather in Rome?"), text))
    record(services, (said("Hi"), "Hello!"))
    if content:
        label(services, bad, call, **content)
    made = suite_from_sessions(services, "agent")
    assert expectations(made.suite.cases) == [{"no_call": True}]
    (left_out,) = made.left_out
    assert reason in left_out.reason and left_out.message_id == bad


def test_a_labelled_answer_counts_instead_of_a_newer_one(services: Services) -> None:
    (first,) = record(services, (said("How is the weather?"), call_of("Rome")))
    record(services, (said("How is the weather?"), call_of("Oslo")))
    assert expectations(suite_from_sessions(services, "agent").suite.cases)[0] == {
        "calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]
    }
    label(services, first, 0, verdict=Verdict.RIGHT)
    assert expectations(suite_from_sessions(services, "agent").suite.cases) == [{"calls": [ROME]}]


def test_a_conversation_that_ends_with_calls_allows_no_more_rounds_than_were_recorded(
    services: Services,
) -> None:
    record(services, (said("Rome and Oslo?"), call_of("Rome")), (RESULT, call_of("Oslo")))
    (case,) = suite_from_sessions(services, "agent").suite.cases
    assert case.max_rounds == 2
    assert case.expectations[0].allow_extra and len(case.expectations[0].calls or ()) == 2


def test_the_clients_own_system_text_is_part_of_the_case(services: Services) -> None:
    setup = replace(SETUP, tools_text=TOOLS)
    contract = setup.parsed().system_text(date="2020-01-01")
    agent = Agent(
        messages=[Message(role=Role.SYSTEM, text=f"{contract}\n\nAnswer in Latin.")], tag="agent", setup=setup
    )
    services.recordings.record("s" * 32, agent.request(said("Hi")), answered("Salve!"))
    (case,) = suite_from_sessions(services, "agent").suite.cases
    assert case.system == "Answer in Latin."
    alone = Agent(
        messages=[Message(role=Role.SYSTEM, text="Answer in Greek.")],
        tag="alone",
        setup=replace(setup, contract_name="none", contract_text="{{ tools }}"),
    )
    services.recordings.record("t" * 32, alone.request(said("Hi")), answered("Chaire!"))
    (case,) = suite_from_sessions(services, "alone").suite.cases
    assert case.system == "Answer in Greek."


def test_the_clients_own_system_text_is_found_where_an_earlier_version_wrote_the_tools(
    services: Services,
) -> None:
    contract = (
        "---\nname: minimal\ntitle: H\nfamily: hermes-3\n---\n<tools> {{ tools }} </tools>Call tools.\n"
    )
    setup = replace(SETUP, contract_text=contract, tools_text=TOOLS)
    system = setup.parsed().system_text(date="2020-01-01")
    assert system.count("}} </tools>") == 1
    earlier = system.replace("}} </tools>", "}}} </tools>")
    agent = Agent(
        messages=[Message(role=Role.SYSTEM, text=f"{earlier}\n\nAnswer in Latin.")], tag="agent", setup=setup
    )
    services.recordings.record("s" * 32, agent.request(said("Hi")), answered("Salve!"))
    (case,) = suite_from_sessions(services, "agent").suite.cases
    assert case.system == "Answer in Latin."


def test_the_suite_is_saved_as_the_next_version(services: Services) -> None:
    record(services, (said("Hi"), "Hello!"))
    for number in (1, 2):
        made = suite_from_sessions(services, " agent ", name="yesterday")
        version = save_session_suite(services, made, " agent ")
        assert (version.name, version.message) == ("yesterday", "cases from sessions tagged agent")
        assert version.number == 1, f"an unchanged suite is not saved again ({number})"
    assert load_suite(services, "yesterday").cases == made.suite.cases


def test_what_cannot_become_a_suite_is_refused(services: Services) -> None:
    with pytest.raises(BadInput, match="no session has it"):
        suite_from_sessions(services, "nothing")
    with pytest.raises(BadInput, match="no tag is given"):
        suite_from_sessions(services, " ")
    record(services, (said("How is the weather in Rome?"), FAULTY))
    with pytest.raises(BadInput, match=r"no turn of its sessions can become a case .*not valid"):
        suite_from_sessions(services, "agent")
    with pytest.raises(BadInput, match="not usable as a file name"):
        suite_from_sessions(services, "agent", name="a/b")
