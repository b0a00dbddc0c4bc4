"""The search: results, their order, and queries with unusual characters."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.examples import SETUP, completion, tool_result, user
from workbench.chat.message import Message, Role, ToolCall
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.records.session_tree import FoundSession, SearchFilter
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.store.sessions.search_terms import CHUNK_SIZE_CHARS
from workbench.store.store import OwnedStore, Store

TOOLS = '[{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]'
WEATHER = replace(SETUP, tools_text=TOOLS, disabled_tools=frozenset())
FIXED = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "cairo",}}\n</tool_call>'
CLEAN = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "oslo"}}\n</tool_call>'
DROPPED = "<tool_call>\nnonsense\n</tool_call>"
START = datetime(2026, 1, 1, tzinfo=UTC)

FOUND = (
    "weather",
    "WEATHER",
    "wea",
    "  weather  ",
    "weather cairo",
    "cairo what",
    '"the weather"',
    '"weather" "cairo"',
    '"weather in ca',
    "weat* cairo",
    "weather?",
    "cafe",
    "CAFÉ",
    "cafe\u0301",
    "🦉",
    "東",
    "東京",
    "straße",
    "STRASSE",
    "get_thing",
    "thing",
)
"""Queries that find the one message."""
SIGNS = [
    '"',
    '""',
    "*",
    "'",
    "''",
    "\\",
    "(",
    "a AND",
    "NOT",
    "NEAR(a b)",
    "text:",
    "-a",
    "^a",
    "a:*",
    "a & b |",
    "'; DROP TABLE session; --",
    "%",
    "_",
    "\0",
    "a\0b",
    "\ud83e",
    "{}",
    "<tool_call>",
    "🦉*",
    '"🦉',
    "\n",
    "a" * 100_000,
    " ".join(map(str, range(300))),
]
"""Queries that could be taken for syntax."""


@pytest.fixture
def all_owners_store(migrated_url: str) -> Iterator[Store]:
    """A store whose clock advances by a minute with each call."""
    moments = (START + timedelta(minutes=number) for number in range(1_000_000))
    with closing(Store(migrated_url, now=lambda: next(moments))) as opened:
        yield opened


@pytest.fixture
def owned(all_owners_store: Store) -> OwnedStore:
    """The data of the local owner."""
    return all_owners_store.of(LOCAL_OWNER)


def store_session(owned: OwnedStore, *messages: str | NewMessage, setup=WEATHER) -> str:
    """Store a session with these messages and return its id."""
    session = owned.sessions.create_session(setup)
    parent_id = None
    for message in messages:
        new = user(message) if isinstance(message, str) else message
        parent_id = owned.sessions.append(session.id, new, parent_id=parent_id).id
    return session.id


def ids(found: object) -> list[str]:
    return [result.session.id for result in found]


def marked(found: FoundSession) -> list[str]:
    assert found.snippet
    return [span.of(found.snippet.text) for span in found.snippet.spans]


class TestWords:
    def test_words_are_found(self, owned: OwnedStore) -> None:
        session_id = store_session(
            owned, "first", user("What is the weather in Cairo? Café 🦉 東京都 Strasse get_thing now")
        )
        store_session(owned, "something else")
        for query in FOUND:
            (found,) = owned.search.find(query)
            assert found.session.id == session_id, query
            assert marked(found), query

    def test_other_words_are_not_found(self, owned: OwnedStore) -> None:
        store_session(owned, "What is the weather in Cairo? 🦉")
        for query in ("weathers", '"cairo weather"', "weather london", "🦊", '"wea"', "x*"):
            assert owned.search.find(query) == (), query

    def test_no_character_is_taken_for_syntax(self, owned: OwnedStore) -> None:
        for query in SIGNS:
            session_id = store_session(owned, "x" if {"\0", "\ud83e"} & {*query} else f"before {query} after")
            assert {*ids(owned.search.find(query))} <= {session_id, *ids(owned.search.find(""))}

    def test_any_text_can_be_searched(self, owned: OwnedStore) -> None:
        store_session(owned, "some words")

        @settings(max_examples=60, deadline=None)
        @given(query=st.text(max_size=30))
        def ask(query: str) -> None:
            owned.search.find(query)

        ask()

    def test_a_blank_query_returns_all_sessions(self, owned: OwnedStore) -> None:
        first, second = store_session(owned, "a"), store_session(owned, "b")
        assert ids(owned.search.find(" \n")) == [second, first]

    def test_titles_tags_tools_and_codes_come_first(self, owned: OwnedStore) -> None:
        titled = store_session(owned, "Weather of today")
        called = store_session(owned, "x", completion(CLEAN))
        tagged = store_session(owned, "y")
        owned.sessions.tag_session(tagged, ["weather report"])
        messages = store_session(owned, "z", user("about the weather"))
        given_as_structure = store_session(
            owned,
            NewMessage(
                message=Message(
                    role=Role.ASSISTANT, text="", calls=(ToolCall(name="weather_map", arguments={}),)
                ),
                origin=MessageOrigin.IMPORT,
            ),
        )
        found = ids(owned.search.find("weather"))
        assert found == [given_as_structure, tagged, called, titled, messages]
        assert ids(owned.search.find("report")) == [tagged]
        owned.sessions.tag_session(tagged, ["other"])
        owned.sessions.rename_session(titled, "Sunshine")
        assert ids(owned.search.find("report")) == []
        assert ids(owned.search.find("sunshine")) == [titled]

    def test_codes_and_results_are_found(self, owned: OwnedStore) -> None:
        session_id = store_session(owned, "x", completion(FIXED), tool_result("31 degrees"))
        store_session(owned, "y", completion(CLEAN))
        assert ids(owned.search.find("trailing-comma")) == [session_id]
        assert ids(owned.search.find("degrees")) == [session_id]

    def test_system_texts_are_not_searched(self, owned: OwnedStore) -> None:
        system = NewMessage(
            message=Message(role=Role.SYSTEM, text="You are grumpy"), origin=MessageOrigin.PERSON
        )
        store_session(owned, system, "hi")
        assert owned.search.find("grumpy") == ()

    def test_long_texts_are_searched_completely(self, owned: OwnedStore) -> None:
        cut = "x " * (CHUNK_SIZE_CHARS // 2 - 3) + "needle at the cut " + "y " * CHUNK_SIZE_CHARS + " endmark"
        session_id = store_session(owned, user(cut))
        for query in ("needle", '"needle at the cut"', "endma"):
            (found,) = owned.search.find(query)
            assert found.session.id == session_id
            assert marked(found)

    def test_a_megabyte_without_spaces_is_stored(self, owned: OwnedStore) -> None:
        session_id = store_session(owned, "x" * 1_000_000)
        assert ids(owned.search.find("xxx")) == [session_id]

    def test_the_snippet_is_one_line_of_the_newest_message(self, owned: OwnedStore) -> None:
        store_session(owned, "old owl", user("a\r\n" * 100 + "the owl\tof " + "b " * 200))
        (found,) = owned.search.find("owl")
        assert found.snippet
        assert "\n" not in found.snippet.text
        assert found.snippet.text.startswith("…")
        assert found.snippet.text.endswith("…")
        assert marked(found) == ["owl"]


class TestFilters:
    @pytest.fixture
    def sessions(self, owned: OwnedStore) -> dict[str, str]:
        other = replace(WEATHER, contract_name="full", contract_text="other")
        created = {
            "fixed": store_session(owned, "cairo", completion(FIXED)),
            "clean": store_session(owned, "cairo", completion(CLEAN, engine_name="qwen")),
            "dropped": store_session(owned, "cairo", completion(DROPPED), setup=other),
        }
        owned.sessions.tag_session(created["clean"], ["good", "v1"])
        answer = owned.sessions.path(created["dropped"])[-1]
        owned.labels.save(
            NewLabel(
                target=LabelTarget(session_id=created["dropped"], message_id=answer.id),
                content=LabelContent(verdict=Verdict.MISSING_CALL, tags=("lost cause",)),
            )
        )
        return created

    @pytest.mark.parametrize("query", ["cairo", ""])
    def test_each_filter_narrows_the_results(
        self, owned: OwnedStore, sessions: dict[str, str], query: str
    ) -> None:
        for chosen, found in (
            (SearchFilter(has_fix=True), ["fixed"]),
            (SearchFilter(has_fix=False), ["dropped", "clean"]),
            (SearchFilter(has_drop=True), ["dropped"]),
            (SearchFilter(has_drop=False), ["clean", "fixed"]),
            (SearchFilter(code="trailing-comma"), ["fixed"]),
            (SearchFilter(code="no-such-code"), []),
            (SearchFilter(contract="minimal"), ["clean", "fixed"]),
            (SearchFilter(contract="full"), ["dropped"]),
            (SearchFilter(contract="d9298a10"), ["dropped"]),
            (SearchFilter(model="qwen"), ["clean"]),
            (SearchFilter(tag="good"), ["clean"]),
            (SearchFilter(tag="lost cause"), ["dropped"]),
            (SearchFilter(verdict="missing-call"), ["dropped"]),
            (SearchFilter(verdict="right"), []),
            (SearchFilter(tag="goo"), []),
            (SearchFilter(tag="a\0"), []),
            (SearchFilter(origin=MessageOrigin.PERSON), ["dropped", "clean", "fixed"]),
            (SearchFilter(origin=MessageOrigin.IMPORT), []),
            (SearchFilter(since=START + timedelta(days=1)), []),
            (SearchFilter(until=START), []),
            (SearchFilter(until=START + timedelta(days=1)), ["dropped", "clean", "fixed"]),
            (SearchFilter(has_fix=True, has_drop=True), []),
        ):
            assert ids(owned.search.find(query, chosen)) == [sessions[name] for name in found], chosen

    def test_the_origin_filter_applies_to_the_matching_message(
        self, owned: OwnedStore, sessions: dict[str, str]
    ) -> None:
        assert ids(owned.search.find("cairo", SearchFilter(origin=MessageOrigin.MODEL))) == [
            sessions["fixed"]
        ]

    def test_tags_of_labels_are_searched(self, owned: OwnedStore, sessions: dict[str, str]) -> None:
        assert ids(owned.search.find("lost cau")) == [sessions["dropped"]]


class TestPages:
    def test_pages_do_not_overlap(self, owned: OwnedStore) -> None:
        created = [store_session(owned, f"owl {number}", "more owl") for number in range(7)]
        pages = [ids(owned.search.find("owl", limit=3, offset=offset)) for offset in (0, 3, 6, 9)]
        assert pages == [created[:3:-1], created[3:0:-1], created[:1], []]


class TestWhose:
    def test_only_the_owner_s_sessions_are_found(self, all_owners_store: Store) -> None:
        mine, theirs = all_owners_store.of(Owner(key="me")), all_owners_store.of(Owner(key="them"))
        session_id = store_session(theirs, "a secret owl", completion(FIXED))
        assert ids(theirs.search.find("owl")) == [session_id]
        for nobody in (mine, all_owners_store.of(LOCAL_OWNER)):
            assert nobody.search.find("owl") == ()
            assert nobody.search.find("") == ()
            assert nobody.facts.of_session(session_id) == ()

    def test_deleted_sessions_are_not_found_until_restored(self, owned: OwnedStore) -> None:
        session_id = store_session(owned, "an owl")
        owned.sessions.delete_session(session_id)
        assert owned.search.find("owl") == ()
        assert owned.search.find("") == ()
        owned.sessions.restore_session(session_id)
        assert ids(owned.search.find("owl")) == [session_id]

    def test_purged_sessions_leave_no_rows(self, url: str) -> None:
        with closing(Store(url, now=lambda: START)) as store:
            owned = store.of(LOCAL_OWNER)
            owned.sessions.delete_session(store_session(owned, "an owl", completion(FIXED)))
        with (
            closing(Store(url, now=lambda: START + timedelta(days=40))) as store,
            store._database.reading() as db,
        ):
            for table in ("session", "message", "fact", "search_document", "search_words"):
                assert db.connection().exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() == 0

    def test_a_copied_session_is_found_too(self, owned: OwnedStore) -> None:
        session_id = store_session(owned, "an owl", completion(FIXED))
        copy = owned.sessions.copy_session(session_id)
        assert set(ids(owned.search.find("owl"))) == {session_id, copy.id}
        assert set(ids(owned.search.find("trailing-comma"))) == {session_id, copy.id}
