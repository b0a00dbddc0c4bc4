"""The documents of the page: drafts, undo histories, and several tabs."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.ui.scripts.component import Component
from tests.ui.scripts.editing import Tab
from workbench.ui.present.documents import DocumentChange

pytestmark = pytest.mark.browser


@pytest.fixture
def tab(component: Component) -> Tab:
    return Tab(component)


@pytest.fixture
def open_tab(
    component: Component, components_context: BrowserContext, empty_page_url: str
) -> Iterator[Callable[[], Tab]]:
    """Opens more tabs of the same browser."""
    pages: list[Page] = []

    def new_tab() -> Tab:
        page = components_context.new_page()
        pages.append(page)
        page.goto(empty_page_url)
        return Tab(Component(page))

    yield new_tab
    for page in pages:
        page.close()


def test_undo_never_brings_the_text_of_another_document(tab: Tab) -> None:
    field = tab.open("contract:full", "full")
    field.press("End")
    field.press_sequentially(" more")
    tab.open("contract:minimal", "minimal")
    tab.undo()
    expect(field).to_have_value("minimal")
    field.press("End")
    field.press_sequentially("!")
    tab.open("contract:full", "full")
    expect(field).to_have_value("full more")
    tab.undo()
    expect(field).to_have_value("full")
    field.press("Control+Shift+z")
    expect(field).to_have_value("full more")
    tab.open("contract:minimal", "minimal")
    tab.undo()
    expect(field).to_have_value("minimal")
    tab.undo()
    expect(field).to_have_value("minimal")
    assert tab.drafts == {"contract:full": "full more"}


def test_words_typed_with_a_pause_are_undone_one_by_one(tab: Tab) -> None:
    field = tab.open("suite:a", "")
    for word in ("one", " two"):
        field.press_sequentially(word)
        # Typing after a pause of half a second is a step of its own.
        tab.page.wait_for_timeout(600)
    tab.undo()
    expect(field).to_have_value("one")
    tab.undo()
    expect(field).to_have_value("")
    field.press("Control+y")
    expect(field).to_have_value("one")


def test_a_draft_that_equals_the_saved_text_is_removed(tab: Tab) -> None:
    field = tab.open("contract:a", "saved")
    field.fill("saved!")
    assert tab.drafts == {"contract:a": "saved!"}
    expect(tab.bar()).to_contain_text("Unsaved draft")
    field.fill("saved")
    assert tab.drafts == {}
    expect(tab.bar()).to_be_empty()
    field.fill("")
    assert tab.drafts == {"contract:a": ""}, "an emptied text is a draft, too"


def test_a_draft_survives_a_reload_and_can_be_discarded_with_undo(tab: Tab) -> None:
    tab.open("contract:a", "saved").fill("draft")
    tab.component.reload()
    again = Tab(tab.component)
    field = again.open("contract:a", "saved")
    expect(field).to_have_value("draft")
    again.press("Discard draft")
    expect(field).to_have_value("saved")
    assert again.drafts == {}
    again.press("Undo")
    expect(field).to_have_value("draft")
    assert again.drafts == {"contract:a": "draft"}


def test_two_fields_show_one_draft_and_undo_it_together(tab: Tab) -> None:
    tab.open("contract:a", "saved")
    tab.open("contract:a", "saved", "two")
    tab.field("one").fill("from one")
    expect(tab.field("two")).to_have_value("from one")
    tab.field("two").fill("from two")
    tab.undo("one")
    expect(tab.field("two")).to_have_value("from one")
    tab.undo("two")
    expect(tab.field("one")).to_have_value("saved")


def test_an_answer_about_a_document_that_is_no_longer_shown_changes_nothing(tab: Tab) -> None:
    tab.open("tool:a", "a")
    field = tab.open("tool:b", "b")
    field.fill("typed")
    for how in ("replace", "sent"):
        tab.change(DocumentChange(how=how, field="one", document="tool:a", text="late"))
    expect(field).to_have_value("typed")
    assert tab.drafts == {"tool:b": "typed"}


def test_a_message_that_could_not_be_sent_waits_where_it_was_written(tab: Tab) -> None:
    tab.open("composer:a", "")
    field = tab.open("composer:b", "")
    field.fill("typed")
    tab.change(DocumentChange(how="unsent", field="one", document="composer:a", text="unsent"))
    expect(field).to_have_value("typed")
    assert tab.drafts == {"composer:a": "unsent", "composer:b": "typed"}


def test_a_document_can_go_back_to_its_previous_id(tab: Tab) -> None:
    field = tab.open("composer:new", "")
    for was, now in (("composer:new", "composer:a"), ("composer:a", "composer:new")):
        tab.change(DocumentChange(how="moved", document=now, was=was))
    tab.change(DocumentChange(how="unsent", field="one", document="composer:new", text="unsent"))
    expect(field).to_have_value("unsent")


def test_what_is_typed_while_saving_stays_a_draft(tab: Tab) -> None:
    field = tab.open("contract:a", "v1")
    field.fill("v2")
    tab.change(DocumentChange(how="saved", field="one", document="contract:a", text="v2"))
    assert tab.drafts == {}
    field.fill("v2 and more")
    tab.change(DocumentChange(how="saved", field="one", document="contract:a", text="v2"))
    assert tab.drafts == {"contract:a": "v2 and more"}


def test_a_new_document_has_its_draft_under_its_new_name_after_saving(tab: Tab) -> None:
    field = tab.open("tool:new", "{}")
    field.fill('{"name": "a"}')
    field.fill('{"name": "a"} ')
    saved = DocumentChange(
        how="saved", field="one", document="tool:mine/a", was="tool:new", text='{"name": "a"}'
    )
    tab.change(saved)
    assert tab.drafts == {"tool:mine/a": '{"name": "a"} '}
    tab.open("tool:new", "{}")
    expect(field).to_have_value("{}")


def test_restoring_over_a_draft_offers_to_bring_it_back(tab: Tab) -> None:
    field = tab.open("contract:a", "v2")
    restored = DocumentChange(
        how="restored", field="one", document="contract:a", text="v1", note="Replaced your draft."
    )
    tab.change(restored)
    expect(field).to_have_value("v1")
    expect(tab.bar()).to_be_empty()
    field.fill("draft")
    tab.change(restored)
    expect(field).to_have_value("v1")
    expect(tab.bar()).to_contain_text("Replaced your draft.")
    tab.press("Undo")
    expect(field).to_have_value("draft")
    assert tab.drafts == {"contract:a": "draft"}


def test_a_created_document_is_a_draft_and_making_it_again_keeps_it(tab: Tab) -> None:
    created = DocumentChange(how="create", field="one", document="contract:Agenda!", text="template")
    tab.change(created)
    assert tab.drafts == {"contract:Agenda!": "template"}
    tab.field().fill("mine")
    tab.open("contract:full", "full")
    tab.change(created)
    expect(tab.field()).to_have_value("mine")


def test_a_sent_message_leaves_the_composer_and_what_follows_stays(tab: Tab) -> None:
    field = tab.open("composer:new", "What is it?")
    sent = DocumentChange(how="sent", field="one", document="composer:new", text="What is it?")
    tab.change(sent)
    expect(field).to_have_value("")
    field.fill("Hello")
    field.fill("Hello\nand more")
    tab.change(DocumentChange(how="sent", field="one", document="composer:new", text="Hello"))
    expect(field).to_have_value("and more")
    moved = DocumentChange(how="saved", field="one", document="composer:s1", was="composer:new", text="")
    tab.change(moved)
    assert tab.drafts == {"composer:s1": "and more"}
    tab.change(DocumentChange(how="unsent", field="one", document="composer:s1", text="Hello"))
    expect(field).to_have_value("Hello\n\nand more")


def test_the_session_text_is_offered_next_to_a_draft(tab: Tab) -> None:
    shown = DocumentChange(how="open", field="one", document="contract:a", text="session's", saved="newest")
    tab.change(shown)
    expect(tab.field()).to_have_value("session's")
    assert tab.drafts == {}
    tab.open("contract:a", "newest", "two").fill("draft")
    expect(tab.field()).to_have_value("draft")
    expect(tab.bar()).to_contain_text("This session used another text.")
    tab.press("Use it")
    expect(tab.field()).to_have_value("session's")
    tab.undo()
    expect(tab.field()).to_have_value("draft")


def test_discarding_a_draft_that_the_session_was_sent_with_shows_the_saved_text(tab: Tab) -> None:
    tab.open("contract:a", "newest").fill("draft")
    tab.change(DocumentChange(how="open", field="one", document="contract:a", text="draft", saved="newest"))
    expect(tab.field()).to_have_value("draft")
    tab.press("Discard draft")
    expect(tab.field()).to_have_value("newest")


def test_a_draft_of_something_unsaved_stays_when_its_text_is_opened(tab: Tab) -> None:
    tab.change(DocumentChange(how="create", field="one", document="contract:a", text="template"))
    unsaved = DocumentChange(how="open", field="one", document="contract:a", text="template", is_unsaved=True)
    tab.change(unsaved)
    assert tab.drafts == {"contract:a": "template"}


def test_an_empty_page_begins_with_the_text_that_is_shown_and_its_own_draft_is_kept(tab: Tab) -> None:
    field = tab.open("tools:s1", "[1]")
    kept = DocumentChange(how="keep", field="one", document="tools:new")
    tab.change(kept)
    expect(field).to_have_value("[1]")
    field.fill("[1, 2]")
    tab.change(replace(kept, note="again"))
    tab.open("tools:s1", "[1]")
    expect(field).to_have_value("[1]")
    tab.change(kept)
    expect(field).to_have_value("[1, 2]")


def test_accounts_do_not_see_the_drafts_of_each_other(tab: Tab) -> None:
    tab.open("contract:a", "saved").fill("mine")
    tab.component.reload()
    ann = Tab(tab.component, "ann")
    expect(ann.open("contract:a", "saved")).to_have_value("saved")
    assert ann.drafts == {}


def test_a_field_that_is_drawn_later_or_again_shows_its_document(tab: Tab) -> None:
    tab.open("suite:a", "saved", "later")
    draw = "document.querySelector('#around').insertAdjacentHTML('beforeend', '<p id=later><textarea></textarea></p>')"
    tab.page.evaluate(draw)
    expect(tab.field("later")).to_have_value("saved")
    tab.field("later").fill("typed")
    tab.page.evaluate("document.querySelector('#later').remove()")
    tab.page.evaluate(draw)
    expect(tab.field("later")).to_have_value("typed")


def test_a_draft_that_cannot_be_stored_says_so_and_leaving_asks(tab: Tab) -> None:
    field = tab.open("contract:a", "saved")
    tab.page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    field.fill("draft")
    expect(tab.bar()).to_contain_text("The browser cannot store this draft.")
    leave = "() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert tab.page.evaluate(leave)
    tab.press("Discard draft")
    assert not tab.page.evaluate(leave)


# Several tabs


def test_a_second_tab_follows_as_long_as_it_has_no_edits_of_its_own(
    tab: Tab, open_tab: Callable[[], Tab]
) -> None:
    here, there = tab, open_tab()
    here.open("contract:a", "saved")
    there.open("contract:a", "saved")
    here.field().fill("from here")
    expect(there.field()).to_have_value("from here")
    there.field().fill("from here and there")
    expect(here.field()).to_have_value("from here and there")
    here.undo()
    expect(there.field()).to_have_value("from here")
    there.press("Discard draft")
    expect(here.field()).to_have_value("saved")
    expect(here.bar()).to_be_empty()


def test_a_version_saved_in_another_tab_is_the_saved_text_here(tab: Tab, open_tab: Callable[[], Tab]) -> None:
    here, there = tab, open_tab()
    here.open("contract:a", "v1")
    there.open("contract:a", "v1")
    there.field().fill("v2")
    there.change(DocumentChange(how="saved", field="one", document="contract:a", text="v2"))
    expect(here.field()).to_have_value("v2")
    expect(here.bar()).to_be_empty()


OTHER = """text => {
  const key = "hermes-workbench:draft::contract:a";
  const value = JSON.stringify({ text, revision: "other:1", root: null, at: 1 });
  localStorage.setItem(key, value);
  window.dispatchEvent(new StorageEvent("storage", { key, newValue: value }));
}"""
"""What this tab sees of another one that did not know of its draft, such as after sleeping."""


def test_edits_of_two_tabs_at_once_are_both_kept(tab: Tab) -> None:
    field = tab.open("contract:a", "saved")
    field.fill("mine")
    tab.page.evaluate(OTHER, "theirs")
    expect(field).to_have_value("mine")
    expect(tab.bar()).to_contain_text("Another tab has a different draft.")
    field.fill("mine, longer")
    assert tab.drafts == {"contract:a": "theirs"}
    tab.component.reload()
    again = Tab(tab.component)
    field = again.open("contract:a", "saved")
    expect(field).to_have_value("theirs")
    expect(again.bar()).to_contain_text("Another tab has a different draft.")
    again.press("Use it")
    expect(field).to_have_value("mine, longer")
    expect(again.bar()).not_to_contain_text("Another tab")
    again.undo()
    expect(field).to_have_value("theirs")
