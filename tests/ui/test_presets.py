"""The handlers of presets, of the setup in use and of runs over rows, without a browser."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

import gradio as gr
import pytest

from tests.services import services_for
from tests.ui.requests import page_request
from workbench.app.services import Services
from workbench.records.versions import hash_of
from workbench.ui.incoming.refusal import MalformedEvent
from workbench.ui.present.notices import NoticeView
from workbench.ui.present.presets import PresetBarView
from workbench.ui.present.row_run import RowWindowView
from workbench.ui.present.sampling_form import SamplingView
from workbench.ui.present.sessions import DownloadView
from workbench.ui.present.setup import show_setup
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.active_runs import ActiveRuns
from workbench.ui.tabs.play.opening_events import OpeningEvents
from workbench.ui.tabs.play.preset_events import PresetEvents
from workbench.ui.tabs.play.row_events import RowEvents
from workbench.ui.tabs.play.session_events import SessionEvents
from workbench.ui.tabs.play.setup_events import SetupEvents


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with services_for(tmp_path, "Sunny.") as (services, _):
        yield services


def event(**data: object) -> gr.EventData:
    return gr.EventData(cast(Any, SimpleNamespace()), data)


def values_of(services: Services, **changes: object) -> dict[str, Any]:
    """Return the values of the default setup by name, as the browser stores them."""
    shown = show_setup(services.setup_for())
    form = shown.pop("sampling").values
    return {**shown, **form, **changes}


def rounds_in(filled: Iterable[object]) -> int:
    """Return the maximum number of rounds that the fields are filled with."""
    [form] = [value for value in filled if isinstance(value, SamplingView)]
    return cast(int, form.values["max_rounds"])


def fields_of(services: Services, **changes: Any) -> tuple[object, ...]:
    return tuple(show_setup(replace(services.setup_for(), **changes)).values())


def act(services: Services, *fields: object, **data: object) -> tuple[PresetBarView, tuple[object, ...]]:
    events = PresetEvents(services, SetupEvents(services))
    screen = events.on_act(TabState(), page_request(), event(**data), *fields)
    return cast(PresetBarView, screen.presets), screen.filled


def test_a_preset_is_saved_applied_and_put_back(services: Services) -> None:
    saved, rest = act(services, *fields_of(services, max_rounds=3), action="save", name="three")
    assert rest == ()
    assert [line.name for line in saved.presets] == ["three"]
    taken, _ = act(services, *fields_of(services), action="save", name="three")
    assert "this name is taken" in taken.problem
    bar, filled = act(services, action="apply", id="three")
    assert rounds_in(filled) == 3
    assert bar.open_id == saved.open_id
    assert bar.undo and bar.undo.action == "put_back"
    values = values_of(services, max_rounds=5, disabled_tools=[])
    _, filled = act(services, action="put_back", setup=values, open_id="")
    assert rounds_in(filled) == 5
    _, filled = act(services, action="reset")
    assert rounds_in(filled) == services.settings.max_rounds
    missing, rest = act(services, action="apply", id="nothing")
    assert "there is no such preset" in missing.problem
    assert rest == ()


def test_forged_actions_are_refused(services: Services) -> None:
    for data in ({}, {"action": "steal"}, {"action": "apply"}, {"action": "put_back", "setup": 5}):
        with pytest.raises(MalformedEvent):
            act(services, *fields_of(services), **data)
    values = show_setup(services.setup_for())
    values["sampling"] = SamplingView(values={**values["sampling"].values, "max_rounds": None})
    invalid, _ = act(services, *values.values(), action="save", name="a")
    assert "max rounds" in invalid.problem
    assert invalid.presets == ()


def test_a_page_starts_with_the_preset_of_its_address(services: Services) -> None:
    act(services, *fields_of(services, max_rounds=3), action="save", name="three")
    key = services.presets.share_preset("three").share_key
    events = OpeningEvents(services, SessionEvents(services, SetupEvents(services)))
    for query in ({"preset": "three"}, {"shared_preset": key}):
        screen = events.on_page("", "", "?" + urlencode(query), page_request())
        assert rounds_in(screen.filled) == 3
        assert cast(PresetBarView, screen.presets).open_id
    for query in ({"preset": "tree"}, {"shared_preset": "x"}):
        screen = events.on_page("", "", "?" + urlencode(query), page_request())
        assert rounds_in(screen.filled) == services.settings.max_rounds
        assert cast(PresetBarView, screen.presets).open_id is None
        assert "error" in str(screen.notice)


def test_a_setup_comes_with_the_advice_about_its_model(services: Services) -> None:
    for model, words in (("embedded+bare", ["rarely calls a tool"]), (services.setup_for().model, [])):
        setup = replace(services.setup_for(), model=model)
        notice = cast(NoticeView, SetupEvents(services).filled(services, setup)[-1])
        assert [part for line, part in zip(notice.lines, words, strict=True) if part in line.text] == words


def test_a_new_session_leaves_the_setup_as_it_is(services: Services) -> None:
    events = SessionEvents(services, SetupEvents(services))
    for fields in (fields_of(services), (*fields_of(services)[:-1], SamplingView(values={}))):
        screen = events.on_open_session(
            TabState(session_id="x"),
            page_request(),
            event(session="", shared="", message="", request=2),
            *fields,
        )
        assert screen.filled == ()
        assert cast(TabState, screen.state).session_id is None


def row_event(services: Services, runs: ActiveRuns, **data: object) -> list[RowWindowView]:
    events = RowEvents(services, runs)
    return list(events.on_run(TabState(), page_request(), event(**data), None, *fields_of(services)))


def row_act(services: Services, **data: object) -> tuple[RowWindowView, DownloadView]:
    events = RowEvents(services, ActiveRuns())
    return cast(Any, events.on_act(TabState(), page_request(), event(**data), *fields_of(services)))


def test_rows_are_checked_run_followed_and_downloaded(services: Services) -> None:
    form = {"message": "Weather in {{ city }}?", "rows": "city\nRome\nOslo\n"}
    check = row_act(services, action="check", number=4, **form)[0].check
    setup = services.setup_for()
    used = f"contract {setup.contract_name} · {hash_of(setup.contract_text)[:4]}"
    assert check and (check.note, check.first, check.number) == (
        f"2 rows · city in the message · {used}",
        "Weather in Rome?",
        4,
    )
    draft = replace(setup, contract_text=setup.contract_text + "Be brief.\n")
    drafted = cast(Any, RowEvents(services, ActiveRuns()).on_act(
        TabState(), page_request(), event(action="check", number=4, **form), *show_setup(draft).values(),
    ))[0].check  # fmt: skip
    assert drafted.note.endswith(
        f" · contract {setup.contract_name} · draft · {hash_of(draft.contract_text)[:4]}"
    )
    bad = row_act(services, action="check", number=5, message="{{ citty }}", rows="city\nRome")[0].check
    assert bad and "did you mean 'city'" in bad.problem
    runs = ActiveRuns()
    views = row_event(services, runs, mode="start", id="", **form)
    last = views[-1].run
    assert last and (last.note, last.columns, last.is_running) == (
        f"2 of 2 rows · done · {used}", ("city",), False,
    )  # fmt: skip
    assert [line.answer for line in last.rows] == ["Sunny.", "Sunny."]
    [again] = row_event(services, ActiveRuns(), mode="watch", id=last.id)
    assert again.run == last
    assert row_act(services, action="csv", id=last.id)[1].text.startswith("city,message,answer")
    assert "Saved the suite 'cities'" in row_act(services, action="save", name="cities", **form)[0].message
    assert row_act(services, action="save", name="cities", **form)[0].is_problem
    [missing] = row_event(services, runs, mode="watch", id="nothing")
    assert missing.is_problem
    with pytest.raises(MalformedEvent):
        row_event(services, runs, mode="steal", id="")
