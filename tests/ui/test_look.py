"""Opening data sets on the page Explore: only your own, and paths only on your own machine."""

import json
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import pytest

from tests.app.test_loop_tools import called, tools_text
from tests.services import services_for
from tests.trajectory.validate.rows import OPENAI, SHAREGPT
from workbench.app.editing import edit_text
from workbench.chat.message import Role
from workbench.library.datasets.opened_rows import OpenedRows
from workbench.records.owner import Owner
from workbench.trajectory.sets.row_index import MarkKind, Range, RowFilter, RowMark
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.present.notices import advice
from workbench.ui.present.row_conditions import read_conditions
from workbench.ui.present.row_picture import show_picture
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.data.form import ANY, DataForm, Jobs
from workbench.ui.tabs.data.look_events import NOT_NEAR, LookEvents, LookForm, LookScreen
from workbench.ui.tabs.data.open_sets import OpenSet, OpenSets


def request_of(tab, user="ann"):
    return cast(gr.Request, SimpleNamespace(session_hash=tab, username=user, headers={}, client=None))


def event(**fields):
    data = {"conditions": "[]", "text": "", "seed": None, "first": 0, **fields}
    return cast(gr.EventData, SimpleNamespace(_data=data))


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    with services_for(tmp_path_factory.mktemp("look"), "Hello.") as (opened, _):
        yield opened


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (SHAREGPT, OPENAI, SHAREGPT)))
    return path


@pytest.fixture
def events(services):
    events = LookEvents(services, Jobs())
    yield events
    for item in list(events.sets._sets.values()):
        item.opened.close()


def form(**values):
    first = dict.fromkeys(LookForm._fields, "") | {"file": None, "other_file": None}
    return LookForm(**cast(Any, {**first, "read_as": "auto", "max_length": 4096, **values}))


def data_form(**values):
    first = dict.fromkeys(DataForm._fields, "") | dict.fromkeys(
        ("verdict", "min_rating", "state", "source"), ANY
    )
    return DataForm(**cast(Any, {**first, "included": (), "options": (), **values}))


def last(steps):
    """Return the screen after all steps: each leaves out what stays unchanged."""
    screen = LookScreen()
    for step in steps:
        screen = LookScreen(*(old if new is SAME else new for old, new in zip(screen, step, strict=True)))
    return screen


def opened(events, tab="t", **values):
    return last(events.on_look_file(request_of(tab), TabState(), *form(**values)))


def test_an_uploaded_file_and_a_path_are_opened(events, file):
    for values in ({"file": str(file)}, {"path": str(file)}):
        screen = opened(events, **values)
        assert screen.picture.note == "3 rows · sharegpt 2, openai 1"
        assert screen.picture.cut.label == "0 rows are cut at 4,096 tokens"
        assert (screen.found.total, len(screen.found.rows)) == (3, 3)
        bars = {
            chart.chart.title: [mark.label for mark in chart.chart.marks] for chart in screen.picture.charts
        }
        assert bars["Calls by tool"] == ["get_weather: 6 calls in 3 rows"]
        assert bars["Findings by code"] == ["duplicate-row: 1 finding in 1 row"]
        assert bars["Calls per row"] == ["2 calls: 3 rows"]


def test_every_bar_opens_its_rows(events, file):
    screen = opened(events, file=str(file))
    for chart in screen.picture.charts:
        for mark, condition in zip(chart.chart.marks, chart.conditions, strict=True):
            conditions = json.dumps([condition])
            found = last(events.on_find(request_of("t"), TabState(), event(conditions=conditions))).found
            rows = int(mark.label.rpartition(" in ")[2].rpartition(": ")[2].split()[0].replace(",", ""))
            assert (found.total, found.conditions) == (rows, (condition,))


def test_a_length_draws_the_picture_again(events, file):
    opened(events, file=str(file))
    longest = max(events.sets.get(events.services.owner, "t").opened.stats.lengths)
    picture = events.on_max_length(request_of("t"), TabState(), longest - 1)
    assert picture.cut.label.endswith(f"cut at {longest - 1:,} tokens")
    assert picture.cut_rows >= 1
    found = last(
        events.on_find(request_of("t"), TabState(), event(conditions=json.dumps([picture.cut])))
    ).found
    assert found.total == picture.cut_rows


def test_rows_are_found_by_text_and_drawn_at_random(events, file):
    opened(events, file=str(file))
    found = last(events.on_find(request_of("t"), TabState(), event(text="Be BRIEF"))).found
    assert [card.note.split(" · ")[0] for card in found.rows] == ["row 2"]
    found = last(events.on_find(request_of("t"), TabState(), event(seed=3))).found
    assert (found.total, found.seed) == (3, 3)
    assert last(events.on_find(request_of("t"), TabState(), event(text="nobody"))).found.rows == ()


def test_a_bad_file_gives_a_message_and_no_picture(events, tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08 not gzip")
    assert "there are no rows" in str(opened(events, file=str(tmp_path / "empty.jsonl")).notice)
    assert "cut off or damaged" in str(opened(events, file=str(tmp_path / "cut.jsonl.gz")).notice)
    assert "none is chosen" in str(opened(events).notice)
    assert "No such file" in str(opened(events, path=str(tmp_path / "nowhere.jsonl")).notice)
    assert "it is empty" in str(opened(events, file=str(tmp_path / "empty.jsonl"), max_length=None).notice)


@pytest.mark.parametrize("place", ["team", "space"])
def test_a_path_is_refused_where_others_use_the_server(services, file, place):
    accounts = {"ann": "x"} if place == "team" else {}
    settings = replace(
        services.settings, accounts=accounts, admins=frozenset({"ann"}), is_on_space=place == "space"
    )
    events = LookEvents(replace(services, settings=settings), Jobs())
    for path in (str(file), "/nowhere/rows.jsonl"):
        screen = opened(events, path=path)
        assert "may not open files of rows by their path. Upload the file instead." in str(screen.notice)
    screen = last(events.on_compare(request_of("t"), TabState(), *form(file=str(file), other_path=str(file))))
    assert "may not open files of rows by their path" in str(screen.notice)
    screen = opened(events, file=str(file), tokenizer="embedded")
    assert "may not open files" in str(screen.notice)


def test_another_tab_or_person_does_not_reach_a_data_set(services, file):
    settings = replace(services.settings, accounts={"ann": "x", "bob": "y"})
    events = LookEvents(replace(services, settings=settings), Jobs())
    assert opened(events, tab="t", file=str(file)).found.total == 3
    for request in (request_of("other"), request_of("t", user="bob")):
        screen = last(events.on_find(request, TabState(), event()))
        assert "it is not open any more" in str(screen.notice)
    assert last(events.on_find(request_of("t"), TabState(), event())).found.total == 3
    events.sets.get(Owner(key="account:ann"), "t").opened.close()


def test_the_set_that_was_used_longest_ago_is_closed():
    sets, owner = OpenSets(most=2), Owner(key="a")
    with ExitStack() as stack:
        rows = [OpenedRows(name=str(number)) for number in range(4)]
        for item in rows:
            stack.callback(item.close)
        sets.put(owner, "one", OpenSet(rows[0], 1))
        sets.put(owner, "two", OpenSet(rows[1], 2))
        assert sets.get(owner, "one").opened is rows[0]
        sets.put(owner, "three", OpenSet(rows[2], 3))
        with pytest.raises(Exception, match="not open any more"):
            sets.get(owner, "two")
        assert sets.get(owner, "one").opened is rows[0]


def test_who_wrote_the_text_of_sessions_is_shown(tmp_path):
    call = called("calculate_zorbix", {"zorb": 2, "bix": 3})
    with services_for(tmp_path, call, "It is 6.") as (services, play):
        session = play("What is the zorbix?", tools_text=tools_text(services, "calculate_zorbix"))
        path = services.sessions.path(session)
        result = next(stored.message.text for stored in path if stored.message.role is Role.TOOL)
        edit_text(services, session, path, path[-1].id, "It is six.")
        events = LookEvents(services, Jobs())
        values = (*form(), *data_form(format="sharegpt"))
        screen = last(events.on_look_sessions(request_of("t"), TabState(), *values))
        (chart,) = [chart for chart in screen.picture.charts if chart.chart.title == "Characters by writer"]
        people = len("What is the zorbix?") + len("It is six.")
        mock = len(f"<tool_response>\n{result}\n</tool_response>")
        assert [(mark.category, mark.y) for mark in chart.chart.marks] == [
            ("people", people), ("models", len(call)), ("mocks and tools", mock),
        ]  # fmt: skip
        conditions = json.dumps([chart.conditions[2]])
        assert (
            last(events.on_find(request_of("t"), TabState(), event(conditions=conditions))).found.total == 1
        )
        (card,) = screen.found.rows
        assert card.link == f"?tab=play&session={session}"
        events.sets.get(services.owner, "t").opened.close()


def test_a_search_for_near_duplicates_follows_the_picture_and_says_that_it_was_stopped(events, file):
    steps = events.on_look_file(request_of("t"), TabState(), *form(file=str(file)))
    screen = next(step for step in steps if step.picture is not SAME)
    assert screen.found.total == 3
    running = next(steps)
    assert (running.job.label, running.job.is_running) == ("Looking for near duplicates", True)
    events.jobs.stop("t")
    *_, end = steps
    assert end.notice == advice(NOT_NEAR) and not end.job.is_running


def test_two_files_are_compared(events, file, tmp_path):
    text = json.dumps(
        {**OPENAI, "messages": [*OPENAI["messages"][:5], {"role": "assistant", "content": "Rain."}]}
    )
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join([json.dumps(SHAREGPT), text, '{"no": "row"}']))

    def compare(**values):
        return last(events.on_compare(request_of("t"), TabState(), *form(**values)))

    screen = compare(file=str(file), other_path=str(other))
    view = screen.diff
    assert (view.title, view.note) == (
        "rows.jsonl → other.jsonl",
        "1 row unchanged, 1 row changed, 1 row removed, 1 row added",
    )
    assert [(row.title, row.changes) for row in view.changed] == [
        (
            "row 2 → row 2",
            (("message 6: text", "changed", '"Sun in Paris, rain in Rome."', '"Rain."'),),
        )
    ]
    assert [card.note.split(" · ")[0] for card in (*view.removed, *view.added)] == ["row 3", "row 3"]
    assert ("calls by tool: get_weather", "6", "4", "-2") in view.moved
    assert (screen.picture, screen.found) == (None, None)
    assert compare(file=str(file), other_file=str(file)).diff.note == "All rows are equal."
    assert "none is chosen" in str(compare(file=str(file)).notice)


def test_conditions_are_read_strictly():
    tool = ["calls f", json.dumps({"mark": ["tool", "f"]})]
    long, short = ["a", json.dumps({"tokens": [10, None]})], ["b", json.dumps({"tokens": [0, 20]})]
    chosen, conditions = read_conditions(json.dumps([tool, long, short]))
    assert chosen == RowFilter(marks=(RowMark(MarkKind.TOOL, ("f",)),), tokens=Range(10, 20))
    assert [condition.label for condition in conditions] == ["calls f", "a", "b"]
    assert len(read_conditions(json.dumps([tool] * 100))[1]) == 20
    for wrong in ("{", "[1]", '[["a", "1"]]', '[["a", "{}"]]', '[["a", "{\\"mark\\": [\\"x\\", \\"f\\"]}"]]',
                  '[["a", "{\\"count_tokens\\": [1, 2]}"]]', '[["a", "{\\"tokens\\": [1]}"]]'):  # fmt: skip
        with pytest.raises(Exception, match="not valid"):
            read_conditions(wrong)


def test_bars_of_lengths_meet_at_the_maximum():
    rows = OpenedRows(name="x")
    rows.stats.lengths.update({0: 1, 512: 2, 513: 3, 4096: 4, 4097: 5, 8192: 6, 20_000: 7})
    (chart,) = [
        chart for chart in show_picture(rows, 4096, serial=1).charts if chart.chart.title == "Tokens per row"
    ]
    bars = [(mark.category, mark.y, mark.is_full) for mark in chart.chart.marks if mark.y]
    assert bars == [
        ("0–512", 3, True),
        ("513–1,024", 3, True),
        ("3,585–4,096", 4, True),
        ("4,097–8,192", 11, False),
        ("over 16,384", 7, False),
    ]
