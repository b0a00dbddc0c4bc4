"""Exchanges of a client become sessions: what is stored continues there, and nothing is stored twice."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.exchanges import RAW_CALL, SETUP, SYSTEM, Agent, answered, said
from tests.store.examples import user
from workbench.chat.message import Message, Role
from workbench.errors import BadInput
from workbench.records.exchanges import ClientAnswer, ClientRequest, RecordedAnswer
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.records.sessions import MessageOrigin
from workbench.rollout.ports import EmittedToken, LikelyToken
from workbench.store.store import OwnedStore, Store, utc_now

RESULT = Message(role=Role.TOOL, text='{"celsius": 31}', name="get_weather")


@pytest.fixture
def opened(migrated_url: str) -> Iterator[Store]:
    """An empty store."""
    with closing(Store(migrated_url)) as store:
        yield store


@pytest.fixture
def own(opened: Store) -> OwnedStore:
    """The data of the only owner."""
    return opened.of(LOCAL_OWNER)


def record(
    own: OwnedStore, request: ClientRequest, answer: ClientAnswer, new: str = "s" * 32
) -> RecordedAnswer:
    """Record an exchange where a gateway would, or in the session `new`."""
    found = own.recordings.find_session(request)
    return own.recordings.record(found.session_id if found else new, request, answer)


def texts(own: OwnedStore, session_id: str) -> list[str]:
    """Return the texts of the open path."""
    return [stored.message.text for stored in own.sessions.path(session_id)]


def test_a_call_its_result_and_the_answer_become_one_session(own: OwnedStore) -> None:
    agent, call, answer = Agent(tag="yesterday"), answered(RAW_CALL), answered("It is 31 degrees.\n")
    first = record(own, agent.request(said("How is the weather in Rome?")), call)
    agent.got(call)
    second = record(own, agent.request(RESULT), answer)
    agent.got(answer)
    third = record(own, agent.request(said("Thanks.")), answered("You are welcome."))
    assert (first.stored, second.stored, third.stored) == (3, 2, 2)
    assert {first.session_id, second.session_id, third.session_id} == {"s" * 32}
    (listed,) = own.sessions.list_sessions()
    assert (listed.title, listed.tags, listed.message_count) == (
        "How is the weather in Rome?",
        ("yesterday",),
        7,
    )
    path = own.sessions.path(listed.id)
    assert [stored.message.text for stored in path] == [
        "Call tools.", "How is the weather in Rome?", RAW_CALL, '{"celsius": 31}', "It is 31 degrees.\n",
        "Thanks.", "You are welcome.",
    ]  # fmt: skip
    assert [stored.origin for stored in path[1:5]] == [
        MessageOrigin.GATEWAY, MessageOrigin.MODEL, MessageOrigin.GATEWAY, MessageOrigin.MODEL,
    ]  # fmt: skip
    assert path[2].generation == call.generation
    assert path[3].message == RESULT


def test_a_recorded_session_is_searched_and_has_facts(own: OwnedStore) -> None:
    record(own, Agent().request(said("How is the weather in Rome?")), answered(RAW_CALL))
    assert [found.session.id for found in own.search.find("trailing-comma")] == ["s" * 32]
    assert [found.session.id for found in own.search.find("weather rome")] == ["s" * 32]
    assert [fact.code for _, fact in own.facts.of_session("s" * 32)] == ["trailing-comma"]


def test_what_diverges_becomes_a_branch(own: OwnedStore) -> None:
    agent, hello = Agent(), answered("Hello!")
    record(own, agent.request(said("Hi")), hello)
    agent.got(hello)
    other = Agent(messages=[*agent.messages])
    record(own, agent.request(said("Tell me a joke")), answered("Knock knock."))
    branch = record(own, other.request(said("Tell me a story")), answered("Once upon a time."))
    assert (branch.session_id, branch.stored) == ("s" * 32, 2)
    assert texts(own, "s" * 32)[-2:] == ["Tell me a story", "Once upon a time."]
    assert len(own.sessions.tree("s" * 32)) == 7
    again = record(own, agent.request(answered("Knock knock.").sent, said("Who is there?")), answered("Ann."))
    assert again.stored == 2
    assert texts(own, "s" * 32)[2:] == ["Hello!", "Tell me a joke", "Knock knock.", "Who is there?", "Ann."]


def test_another_answer_becomes_a_branch_and_the_same_answer_is_not_stored_again(own: OwnedStore) -> None:
    request = Agent().request(said("Hi"))
    first = record(own, request, answered("Hello!"))
    same, other = record(own, request, answered("Hello!")), record(own, request, answered("Good day!"))
    assert (same.message_id, same.stored, other.stored) == (first.message_id, 0, 1)
    thought = record(own, request, answered("<think>\nPolite.\n</think>\nHello!"))
    assert thought.stored == 1
    assert len(own.sessions.tree("s" * 32)) == 5


def test_another_first_message_begins_another_session(own: OwnedStore) -> None:
    record(own, Agent().request(said("Hi")), answered("Hello!"))
    other = record(own, Agent().request(said("Hi there")), answered("Hello!"), new="t" * 32)
    assert other.session_id == "t" * 32
    assert len(own.sessions.list_sessions()) == 2


def test_another_system_text_copies_the_conversation_under_it(own: OwnedStore) -> None:
    agent, call = Agent(), answered(RAW_CALL)
    record(own, agent.request(said("How is the weather in Rome?")), call)
    agent.got(call)
    agent.messages[0] = replace(SYSTEM, text="Call tools. Today is Monday.")
    second = record(own, agent.request(RESULT), answered("It is 31 degrees."))
    assert (second.session_id, second.stored) == ("s" * 32, 5)
    path = own.sessions.path("s" * 32)
    assert path[0].message.text == "Call tools. Today is Monday."
    assert path[2].copy_of is not None and path[2].generation == call.generation
    agent.got(answered("It is 31 degrees."))
    assert record(own, agent.request(said("Thanks.")), answered("Welcome.")).stored == 2
    agent.messages[0] = SYSTEM
    # Copied below the first two: the result, its answer and the thanks.
    assert record(own, agent.request(said("Bye")), answered("Bye.")).stored == 3 + 2
    assert len(own.facts.of_session("s" * 32)) == 1


def test_another_system_text_without_a_common_answer_begins_another_session(own: OwnedStore) -> None:
    record(own, Agent().request(said("Hi")), answered("Hello!"))
    other = Agent(messages=[replace(SYSTEM, text="Be rude.")])
    assert record(own, other.request(said("Hi")), answered("What?"), new="t" * 32).session_id == "t" * 32


def test_a_conversation_without_a_system_text_is_joined(own: OwnedStore) -> None:
    agent = Agent(messages=[])
    record(own, agent.request(said("Hi")), answered("Hello!"))
    agent.got(answered("Hello!"))
    assert record(own, agent.request(said("Bye")), answered("Bye.")).stored == 2
    assert texts(own, "s" * 32) == ["Hi", "Hello!", "Bye", "Bye."]


def test_a_conversation_that_began_elsewhere_is_stored_as_it_was_sent(own: OwnedStore) -> None:
    agent = Agent()
    agent.got(answered(RAW_CALL))
    record(own, agent.request(RESULT, said("And tomorrow?")), answered("I do not know."))
    path = own.sessions.path("s" * 32)
    assert path[1].message.calls[0].name == "get_weather"
    assert [fact.code for _, fact in own.facts.of_session("s" * 32)] == []
    assert [found.session.id for found in own.search.find("get_weather")] == ["s" * 32]


def test_a_client_names_the_session(own: OwnedStore) -> None:
    agent = Agent(name="ticket 17")
    record(own, agent.request(said("Hi")), answered("Hello!"))
    summary = Agent(messages=[replace(SYSTEM, text="Summary: they said hello.")], name="ticket 17")
    assert record(own, summary.request(said("Go on")), answered("Fine."), new="t" * 32).session_id == "s" * 32
    by_id = Agent(name="s" * 32)
    assert record(own, by_id.request(said("By id")), answered("Fine."), new="u" * 32).session_id == "s" * 32
    assert len(own.sessions.list_sessions()) == 1


def test_tags_and_owners_do_not_share_sessions(opened: Store, own: OwnedStore) -> None:
    request = Agent().request(said("Hi"))
    record(own, request, answered("Hello!"))
    tagged = record(own, replace(request, tag="other"), answered("Hello!"), new="t" * 32)
    assert tagged.session_id == "t" * 32
    ann = opened.of(Owner(key="ann", name="Ann"))
    assert ann.recordings.find_session(request) is None
    named = ann.recordings.find_session(replace(request, session_name="s" * 32))
    assert named is None
    # The id of another owner's session is not written to, even if it is given.
    theirs = ann.recordings.record("s" * 32, request, answered("Hello!"))
    assert theirs.session_id != "s" * 32
    assert len(own.sessions.tree("s" * 32)) == 3


def test_a_deleted_session_is_not_continued(own: OwnedStore) -> None:
    request = Agent().request(said("Hi"))
    record(own, request, answered("Hello!"))
    own.sessions.delete_session("s" * 32)
    assert own.recordings.find_session(request) is None
    assert own.recordings.record("s" * 32, request, answered("Hello!")).session_id != "s" * 32


def test_a_deleted_message_is_not_continued(own: OwnedStore) -> None:
    agent = Agent()
    recorded = record(own, agent.request(said("Hi")), answered("Hello!"))
    own.sessions.delete_message("s" * 32, recorded.message_id)
    agent.got(answered("Hello!"))
    assert record(own, agent.request(said("Bye")), answered("Bye.")).stored == 3
    assert texts(own, "s" * 32) == ["Call tools.", "Hi", "Hello!", "Bye", "Bye."]


def test_a_session_that_was_continued_on_the_page_is_recorded_on(own: OwnedStore) -> None:
    agent = Agent()
    recorded = record(own, agent.request(said("Hi")), answered("Hello!"))
    own.sessions.append_all("s" * 32, [user("What?"), user("Never mind.")], parent_id=recorded.message_id)
    agent.got(answered("Hello!"))
    assert record(own, agent.request(said("Bye")), answered("Bye.")).stored == 2
    assert texts(own, "s" * 32)[2:] == ["Hello!", "Bye", "Bye."]


def test_the_last_request_sets_the_setup(own: OwnedStore) -> None:
    agent = Agent()
    record(own, agent.request(said("Hi")), answered("Hello!"))
    agent.got(answered("Hello!"))
    agent.setup = replace(SETUP, contract_text=SETUP.contract_text + " Be short.")
    record(own, agent.request(said("Bye")), answered("Bye."), new="t" * 32)
    session = own.sessions.find_session("s" * 32)
    assert session is not None and session.setup == agent.setup


@pytest.mark.parametrize("change", [{"model": "other"}, {"contract_name": "full"}])
@pytest.mark.parametrize("name", ["", "ticket 17"])
def test_another_model_or_contract_has_its_own_session(
    own: OwnedStore, change: dict[str, str], name: str
) -> None:
    agent = Agent(name=name)
    record(own, agent.request(said("Hi")), answered("Hello!"))
    agent.got(answered("Hello!"))
    agent.setup = replace(SETUP, **change)
    other = record(own, agent.request(said("Bye")), answered("Bye."), new="t" * 32)
    assert (other.session_id, other.stored) == ("t" * 32, 5)
    assert len(own.sessions.tree("s" * 32)) == 3


def test_tokens_that_were_not_written_are_not_stored(own: OwnedStore) -> None:
    written = EmittedToken(id=1, text="Hello", logprob=-0.5, likely=(LikelyToken("Hello", -0.5),))
    record(own, Agent().request(said("Hi")), answered("Hello!", tokens=(written,)))
    (session,) = own.sessions.list_sessions()
    generation = own.sessions.path(session.id)[-1].generation
    assert generation is not None and generation.tokens == (replace(written, likely=()),)


def test_text_that_cannot_be_stored_stores_nothing(own: OwnedStore) -> None:
    with pytest.raises(BadInput, match="NUL"):
        record(own, Agent().request(said("a\0b")), answered("Hello!"))
    assert own.sessions.find_session("s" * 32) is None
    assert own.recordings.find_session(Agent(name="\0").request(said("Hi"))) is None


def test_requests_at_the_same_time_become_branches_and_nothing_is_doubled(own: OwnedStore) -> None:
    agent = Agent()
    request = agent.request(said("Hi"))
    # Twelve threads: four answers, each three times.
    answers = [answered(f"Hello {number % 4}!") for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        futures = [pool.submit(own.recordings.record, "s" * 32, request, answer) for answer in answers]
        stored = [future.result() for future in futures]
    tree = own.sessions.tree("s" * 32)
    assert len(tree) == 2 + 4
    assert len({recorded.message_id for recorded in stored}) == 4
    assert len({node.parent_id for node in tree if node.role is Role.ASSISTANT}) == 1


def test_purging_a_session_purges_its_hashes(migrated_url: str) -> None:
    request, long_ago = Agent().request(said("Hi")), utc_now() - timedelta(days=31)
    with closing(Store(migrated_url, now=lambda: long_ago)) as store:
        own = store.of(LOCAL_OWNER)
        record(own, request, answered("Hello!"))
        own.sessions.delete_session("s" * 32)
    with closing(Store(migrated_url)):
        engine = sa.create_engine(migrated_url)
        with engine.connect() as connection:
            for table in ("recorded_message", "recorded_session", "message"):
                assert connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar_one() == 0
        engine.dispose()
