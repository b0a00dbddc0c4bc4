"""Fixes, findings and dropped blocks are stored and counted."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.store.examples import SETUP, completion, tool_result, user
from tests.store.runs.examples import give_run
from tests.store.sessions.test_search import CLEAN, DROPPED, FIXED, WEATHER, store_session
from workbench.chat.finding import Severity
from workbench.hermes.parse import parse
from workbench.records.facts import FactGroup, FactKind, facts_of
from workbench.records.owner import LOCAL_OWNER
from workbench.records.sessions import NewMessage
from workbench.records.versions import hash_of
from workbench.store.store import OwnedStore, Store

START = datetime(2026, 1, 1, 23, 58, tzinfo=UTC)


@pytest.fixture
def owned(migrated_url: str) -> Iterator[OwnedStore]:
    moments = (START + timedelta(seconds=20 * number) for number in range(1_000_000))
    with closing(Store(migrated_url, now=lambda: next(moments))) as store:
        yield store.of(LOCAL_OWNER)


def test_facts_equal_the_reader_s_report(owned: OwnedStore) -> None:
    text = f"🦉 {FIXED}\n{DROPPED}"
    session_id = store_session(owned, "x", completion(text))
    reading = parse(text, tools=WEATHER.offered_tools(), finish_reason="length")
    facts = [fact for _, fact in owned.facts.of_session(session_id)]
    assert facts == list(facts_of(reading))
    assert [(fact.kind, fact.code) for fact in facts] == [
        (FactKind.FIX, "trailing-comma"),
        (FactKind.FINDING, "invalid-json"),
        (FactKind.DROP, "invalid-json"),
    ]
    assert facts[0].edits == reading.fixes[0].edits
    assert facts[1].severity is Severity.ERROR
    assert facts[2].span and facts[2].span.of(text) == DROPPED


def test_facts_refer_to_their_message_and_use_the_offered_tools(owned: OwnedStore) -> None:
    session_id = store_session(owned, user(FIXED), completion(CLEAN), setup=SETUP)
    leaf = owned.sessions.path(session_id)[-1]
    ((message_id, fact),) = owned.facts.of_session(session_id)
    assert (message_id, fact.code) == (leaf.id, "unknown-tool")


@pytest.mark.parametrize("session_id", ["nowhere", "a\0", ""])
def test_an_unknown_session_has_no_facts(owned: OwnedStore, session_id: str) -> None:
    assert owned.facts.of_session(session_id) == ()


def test_a_copy_on_another_branch_is_not_counted_twice(owned: OwnedStore) -> None:
    session_id = store_session(owned, "x", completion(FIXED))
    _, stored = owned.sessions.path(session_id)
    copy = NewMessage(
        message=stored.message, origin=stored.origin, generation=stored.generation, copy_of=stored.id
    )
    owned.sessions.append(session_id, copy, parent_id=None)
    assert len(owned.facts.of_session(session_id)) == 1


class TestCount:
    def test_facts_are_counted_by_each_group(self, owned: OwnedStore) -> None:
        store_session(owned, "x", completion(FIXED), completion(FIXED, engine_name="qwen"))
        deleted = store_session(owned, "y", completion(FIXED))
        owned.sessions.delete_session(deleted)
        store_session(owned, "z", completion(FIXED + DROPPED))

        def counted(group: FactGroup, **when: datetime) -> list[tuple[str, str, int, int]]:
            return [
                (row.group, row.kind.value, row.count, row.message_count)
                for row in owned.facts.count(group, **when)
            ]

        assert counted(FactGroup.CODE) == [
            ("trailing-comma", "fix", 3, 3),
            ("invalid-json", "drop", 1, 1),
            ("invalid-json", "finding", 1, 1),
        ]
        assert ("qwen", "fix", 1, 1) in counted(FactGroup.MODEL)
        (contract,) = {group for group, *_ in counted(FactGroup.CONTRACT)}
        assert len(contract) == 64
        days = counted(FactGroup.DAY)
        assert {group for group, *_ in days} == {"2026-01-01", "2026-01-02"}
        assert sum(count for *_, count, _ in days) == 5
        assert counted(FactGroup.CODE, until=START) == []
        assert counted(FactGroup.CODE, since=START) == counted(FactGroup.CODE)


def test_daily_statistics_are_grouped_by_version_and_model(owned: OwnedStore) -> None:
    other = replace(WEATHER, contract_text="another")
    store_session(
        owned, "x", completion(CLEAN), completion(FIXED + FIXED), completion(FIXED, engine_name="qwen")
    )
    store_session(owned, "y", completion(DROPPED), setup=other)
    store_session(owned, "z", completion(DROPPED), setup=replace(WEATHER, contract_text="a third"))
    deleted = store_session(owned, "y", completion(FIXED))
    owned.sessions.delete_session(deleted)
    session_id = store_session(owned, "copied", completion(FIXED))
    _, stored = owned.sessions.path(session_id)
    copy = NewMessage(
        message=stored.message, origin=stored.origin, generation=stored.generation, copy_of=stored.id
    )
    owned.sessions.append(session_id, copy, parent_id=None)
    first, second = (hash_of(setup.contract_text) for setup in (WEATHER, other))
    counted: Counter[tuple[str, str]] = Counter()
    days = owned.facts.days([first, second])
    for day in days:
        assert day.day in ("2026-01-01", "2026-01-02")
        for name in ("completions", "fixed", "dropped"):
            counted[day.contract_version[:4] + day.model, name] += getattr(day, name)
    assert counted == {
        (first[:4] + "embedded", "completions"): 3,
        (first[:4] + "embedded", "fixed"): 2,
        (first[:4] + "embedded", "dropped"): 0,
        (first[:4] + "qwen", "completions"): 1,
        (first[:4] + "qwen", "fixed"): 1,
        (first[:4] + "qwen", "dropped"): 0,
        (second[:4] + "embedded", "completions"): 1,
        (second[:4] + "embedded", "fixed"): 0,
        (second[:4] + "embedded", "dropped"): 1,
    }
    assert owned.facts.days([]) == ()


def test_totals_count_what_is_stored(owned: OwnedStore) -> None:
    store_session(owned, "x", completion(FIXED), tool_result("31 degrees"))
    rollout = store_session(owned, "y", completion(CLEAN))
    give_run(owned, rollout)
    deleted = store_session(owned, "z", completion(CLEAN))
    owned.sessions.delete_session(deleted)
    totals = owned.facts.totals()
    assert (totals.conversations, totals.rollouts, totals.imported) == (1, 1, 0)
    assert totals.completions == 2
    assert list(totals.tool_calls.values()) == [1]
