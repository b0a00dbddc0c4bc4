"""The search: what it finds, in what order, and that no text of any kind breaks it."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.examples import SETUP, completion, tool_result, user
from workbench.chat.message import Message, Role, ToolCall
from workbench.records.labels.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.records.session_tree import FoundSession, SearchFilter
from workbench.records.sessions import MessageOrigin, NewMessage
from workbench.store.search_terms import CHUNK_SIZE_CHARS
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
def whole(made_url: str) -> Iterator[Store]:
    """A store whose clock goes on by a minute at each look."""
    moments = (START + timedelta(minutes=number) for number in range(1_000_000))
    with closing(Store(made_url, now=lambda: next(moments))) as opened:
        yield opened


@pytest.fixture
def owned(whole: Store) -> OwnedStore:
    """The local owner's."""
    return whole.of(LOCAL_OWNER)


def keep(owned: OwnedStore, *said: str | NewMessage, setup=WEATHER) -> str:
    """A session in which that was said."""
    session = owned.sessions.create_session(setup)
    parent_id = None
    for one in said:
        new = user(one) if isinstance(one, str) else one
        parent_id = owned.sessions.append(session.id, new, parent_id=parent_id).id
    return session.id


def ids(found: object) -> list[str]:
    return [one.session.id for one in found]


def marked(found: FoundSession) -> list[str]:
    assert found.snippet
    return [span.of(found.snippet.text) for span in found.snippet.spans]


class TestWords:
    def test_they_are_found(self, owned: OwnedStore) -> None:
        session_id = keep(
            owned, "first", user("What is the weather in Cairo? Café 🦉 東京都 Strasse get_thing now")
        )
        keep(owned, "something else")
        for query in FOUND:
            (found,) = owned.search.find(query)
            assert found.session.id == session_id, query
            assert marked(found), query

    def test_what_is_not_there_is_not_found(self, owned: OwnedStore) -> None:
        keep(owned, "What is the weather in Cairo? 🦉")
        for query in ("weathers", '"cairo weather"', "weather london", "🦊", '"wea"', "x*"):
            assert owned.search.find(query) == (), query

    def test_no_sign_is_syntax(self, owned: OwnedStore) -> None:
        for query in SIGNS:
            session_id = keep(owned, "x" if {"\0", "\ud83e"} & {*query} else f"before {query} after")
            assert {*ids(owned.search.find(query))} <= {session_id, *ids(owned.search.find(""))}

    def test_any_text_can_be_asked(self, owned: OwnedStore) -> None:
        keep(owned, "some words")

        @settings(max_examples=60, deadline=None)
        @given(query=st.text(max_size=30))
        def ask(query: str) -> None:
            owned.search.find(query)

        ask()

    def test_a_blank_query_gives_all_last_used_first(self, owned: OwnedStore) -> None:
        first, second = keep(owned, "a"), keep(owned, "b")
        assert ids(owned.search.find(" \n")) == [second, first]

    def test_titles_tags_tools_and_codes_come_first(self, owned: OwnedStore) -> None:
        titled = keep(owned, "Weather of today")
        called = keep(owned, "x", completion(CLEAN))
        tagged = keep(owned, "y")
        owned.sessions.tag_session(tagged, ["weather report"])
        said = keep(owned, "z", user("about the weather"))
        given_as_structure = keep(
            owned,
            NewMessage(
                message=Message(
                    role=Role.ASSISTANT, text="", calls=(ToolCall(name="weather_map", arguments={}),)
                ),
                origin=MessageOrigin.IMPORT,
            ),
        )
        found = ids(owned.search.find("weather"))
        assert found == [given_as_structure, tagged, called, titled, said]
        assert ids(owned.search.find("report")) == [tagged]
        owned.sessions.tag_session(tagged, ["other"])
        owned.sessions.rename_session(titled, "Sunshine")
        assert ids(owned.search.find("report")) == []
        assert ids(owned.search.find("sunshine")) == [titled]

    def test_codes_and_results_are_found(self, owned: OwnedStore) -> None:
        session_id = keep(owned, "x", completion(FIXED), tool_result("31 degrees"))
        keep(owned, "y", completion(CLEAN))
        assert ids(owned.search.find("trailing-comma")) == [session_id]
        assert ids(owned.search.find("degrees")) == [session_id]

    def test_a_system_text_is_not_searched(self, owned: OwnedStore) -> None:
        system = NewMessage(
            message=Message(role=Role.SYSTEM, text="You are grumpy"), origin=MessageOrigin.PERSON
        )
        keep(owned, system, "hi")
        assert owned.search.find("grumpy") == ()

    def test_a_long_text_is_searched_to_its_end(self, owned: OwnedStore) -> None:
        cut = "x " * (CHUNK_SIZE_CHARS // 2 - 3) + "needle at the cut " + "y " * CHUNK_SIZE_CHARS + " endmark"
        session_id = keep(owned, user(cut))
        for query in ("needle", '"needle at the cut"', "endma"):
            (found,) = owned.search.find(query)
            assert found.session.id == session_id
            assert marked(found)

    def test_a_megabyte_without_a_blank_is_kept(self, owned: OwnedStore) -> None:
        session_id = keep(owned, "x" * 1_000_000)
        assert ids(owned.search.find("xxx")) == [session_id]

    def test_the_newest_message_is_shown_on_one_line(self, owned: OwnedStore) -> None:
        keep(owned, "old owl", user("a\r\n" * 100 + "the owl\tof " + "b " * 200))
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
        made = {
            "fixed": keep(owned, "cairo", completion(FIXED)),
            "clean": keep(owned, "cairo", completion(CLEAN, engine_name="qwen")),
            "dropped": keep(owned, "cairo", completion(DROPPED), setup=other),
        }
        owned.sessions.tag_session(made["clean"], ["good", "v1"])
        answer = owned.sessions.path(made["dropped"])[-1]
        owned.labels.save(
            NewLabel(
                target=LabelTarget(session_id=made["dropped"], message_id=answer.id),
                content=LabelContent(verdict=Verdict.MISSING_CALL, tags=("lost cause",)),
            )
        )
        return made

    @pytest.mark.parametrize("query", ["cairo", ""])
    def test_each_narrows(self, owned: OwnedStore, sessions: dict[str, str], query: str) -> None:
        for wanted, found in (
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
            assert ids(owned.search.find(query, wanted)) == [sessions[name] for name in found], wanted

    def test_origin_is_about_the_message_with_the_words(
        self, owned: OwnedStore, sessions: dict[str, str]
    ) -> None:
        assert ids(owned.search.find("cairo", SearchFilter(origin=MessageOrigin.MODEL))) == [
            sessions["fixed"]
        ]

    def test_the_tags_of_labels_are_words_too(self, owned: OwnedStore, sessions: dict[str, str]) -> None:
        assert ids(owned.search.find("lost cau")) == [sessions["dropped"]]


class TestPages:
    def test_they_part_the_list(self, owned: OwnedStore) -> None:
        made = [keep(owned, f"owl {number}", "more owl") for number in range(7)]
        pages = [ids(owned.search.find("owl", limit=3, offset=offset)) for offset in (0, 3, 6, 9)]
        assert pages == [made[:3:-1], made[3:0:-1], made[:1], []]


class TestWhose:
    def test_only_ones_own_are_found(self, whole: Store) -> None:
        mine, theirs = whole.of(Owner(key="me")), whole.of(Owner(key="them"))
        session_id = keep(theirs, "a secret owl", completion(FIXED))
        assert ids(theirs.search.find("owl")) == [session_id]
        for nobody in (mine, whole.of(LOCAL_OWNER)):
            assert nobody.search.find("owl") == ()
            assert nobody.search.find("") == ()
            assert nobody.facts.of_session(session_id) == ()

    def test_deleted_ones_are_not_found_until_restored(self, owned: OwnedStore) -> None:
        session_id = keep(owned, "an owl")
        owned.sessions.delete_session(session_id)
        assert owned.search.find("owl") == ()
        assert owned.search.find("") == ()
        owned.sessions.restore_session(session_id)
        assert ids(owned.search.find("owl")) == [session_id]

    def test_purged_ones_leave_no_word(self, url: str) -> None:
        with closing(Store(url, now=lambda: START)) as store:
            owned = store.of(LOCAL_OWNER)
            owned.sessions.delete_session(keep(owned, "an owl", completion(FIXED)))
        with (
            closing(Store(url, now=lambda: START + timedelta(days=40))) as store,
            store._database.reading() as db,
        ):
            for table in ("session", "message", "fact", "search_document", "search_words"):
                assert db.connection().exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() == 0

    def test_a_copy_is_found_beside_the_original(self, owned: OwnedStore) -> None:
        session_id = keep(owned, "an owl", completion(FIXED))
        copy = owned.sessions.copy_session(session_id)
        assert set(ids(owned.search.find("owl"))) == {session_id, copy.id}
        assert set(ids(owned.search.find("trailing-comma"))) == {session_id, copy.id}
