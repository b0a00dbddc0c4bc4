"""Versions on the page: restoring closes a comparison, an address opens one, and no text gets into another document."""

from types import SimpleNamespace

import gradio as gr
import pytest

from tests.services import services_for
from workbench.records.versions import NewVersion, VersionKind
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.present.notices import CLEAR
from workbench.ui.present.version_diff import EDITOR
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.contracts_tab import contract_texts
from workbench.ui.tabs.play.setup_events import VersionEvents
from workbench.ui.tabs.suites.edit_events import suite_texts
from workbench.ui.tabs.tools.edit_events import ToolEditEvents
from workbench.ui.tabs.tools.storage_events import ToolStorageEvents

REQUEST = SimpleNamespace(session_hash="tab", username=None, query_params={})


@pytest.fixture
def services(tmp_path):
    with services_for(tmp_path, "x") as (services, _):
        yield services


def two_versions(services, kind):
    texts = [services.files.find(kind, name) for name in services.files.names(kind)[:1]]
    first = services.versions.save(NewVersion(kind=kind, name="own", text=texts[0]))
    services.versions.save(NewVersion(kind=kind, name="own", text=texts[0] + "\n# more\n"))
    return first


@pytest.mark.parametrize(
    ("kind", "texts_of"), [(VersionKind.CONTRACT, contract_texts), (VersionKind.SUITE, suite_texts)]
)
def test_restoring_a_contract_or_suite_closes_the_comparison(services, kind, texts_of):
    first, texts = two_versions(services, kind), texts_of(services)
    event = gr.EventData(None, {"id": first.id, "after": ""})
    diff, _ = texts.on_compare(TabState(), "own", first.text + "x", REQUEST, event)
    assert diff is not None
    diff, *_, editors = texts.on_restore(TabState(), "own", first.text + "x", REQUEST, event)
    [change] = editors.changes
    assert (change.how, change.document, change.text) == ("restored", f"{kind.value}:own", first.text)
    assert diff is None
    _, diff, *_ = texts.on_restore(TabState(), "own", "", REQUEST, gr.EventData(None, {"id": "nothing"}))
    assert diff == SAME


def test_restoring_a_toolset_closes_the_comparison(services):
    first = two_versions(services, VersionKind.TOOLS)
    restored = ToolStorageEvents(services).on_restore(
        TabState(), "weather/get_weather", REQUEST, gr.EventData(None, {"id": first.id})
    )
    assert restored[-1] is None


@pytest.mark.parametrize(
    ("kind", "events_of"),
    [
        (VersionKind.CONTRACT, contract_texts),
        (VersionKind.SUITE, suite_texts),
        (VersionKind.CONTRACT, VersionEvents),
    ],
)
def test_a_version_in_the_list_of_the_text_that_was_open_before_is_refused(services, kind, events_of):
    first, events = two_versions(services, kind), events_of(services)
    services.versions.save(NewVersion(kind=kind, name="other", text=first.text + "\n# other\n"))
    for change, data in (
        (events.on_restore, {"id": first.id}),
        (events.on_mark, {"id": first.id, "mark": "production"}),
    ):
        answer = change(TabState(), "other", "", REQUEST, gr.EventData(None, data))
        [notice] = [part for part in answer if getattr(part, "lines", None)]
        assert "the version belongs to 'own'" in notice.lines[0].text
    assert [version.number for version in services.versions.history(kind, "own")] == [2, 1]
    assert services.versions.find(kind, "own", "production") is None
    newest = services.versions.find(kind, "other", "1")
    assert newest is not None
    assert newest.text.endswith("# other\n")


@pytest.mark.parametrize(
    ("kind", "texts_of"), [(VersionKind.CONTRACT, contract_texts), (VersionKind.SUITE, suite_texts)]
)
def test_an_address_with_a_version_opens_its_comparison_with_the_draft(services, kind, texts_of):
    first, texts = two_versions(services, kind), texts_of(services)

    def opened(**named):
        event = gr.EventData(None, {"name": "own", "is_new": False, "is_draft": False, "draft": "", **named})
        *_, notice, diff = texts.on_open(TabState(), REQUEST, event)
        return notice, diff

    notice, diff = opened(version="1")
    assert (notice, diff.before_id, diff.after_id) == (CLEAR, first.id, EDITOR)
    notice, diff = opened(version="1", draft=first.text)
    assert (notice, diff.rows) == (CLEAR, ())
    notice, diff = opened(version="1", draft=first.text + "x")
    assert (notice, diff.summary) == (CLEAR, "1 changed line")
    notice, diff = opened(version="9")
    assert ("there is no such version" in notice.lines[0].text, diff) == (True, None)
    assert opened(version=None) == (CLEAR, None)


def test_an_address_with_a_version_of_a_toolset_opens_its_comparison(services):
    text = services.files.find(VersionKind.TOOLS, "weather")
    [first, _] = [
        services.versions.save(NewVersion(kind=VersionKind.TOOLS, name="weather", text=text + more))
        for more in ("", "\n# more\n")
    ]

    def opened(version):
        named = {"name": "get_weather", "toolset": "", "spec": "", "rules": "", "version": version}
        answer = ToolEditEvents(services).on_open_tool(TabState(), REQUEST, gr.EventData(None, named))
        return answer[3], answer[-1]

    notice, diff = opened("1")
    assert (notice, diff.before_id, diff.after_id) == (CLEAR, first.id, EDITOR)
    notice, diff = opened("9")
    assert ("there is no such version" in notice.lines[0].text, diff) == (True, None)
    assert opened(None) == (CLEAR, None)
