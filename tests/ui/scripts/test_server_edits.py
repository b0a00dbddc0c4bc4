"""Edits that the server makes of a document: late, in another order, and of a document that is not shown."""

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from tests.ui.scripts.editing import Tab
from workbench.ui.present.documents import DocumentChange

pytestmark = pytest.mark.browser

NOTE = "The parameters replaced what you typed meanwhile."


@pytest.fixture
def tab(component: Component) -> Tab:
    return Tab(component)


def edit(text: str, *, before: str, number: int = 0, document: str = "tool:a") -> DocumentChange:
    return DocumentChange(
        how="edit", field="one", document=document, text=text, before=before, number=number, note=NOTE
    )


def test_an_edit_of_the_server_keeps_what_was_typed_after_it(tab: Tab) -> None:
    field = tab.open("suite:a", "cases:\n")
    field.fill("cases:\n# mine")
    tab.change(
        DocumentChange(how="edit", field="one", document="suite:a", text="cases:\n- a\n", before="cases:\n")
    )
    expect(field).to_have_value("cases:\n- a\n# mine")


def test_an_edit_that_comes_after_a_newer_one_is_ignored(tab: Tab) -> None:
    field = tab.open("tool:a", "a")
    tab.change(edit("a b c", before="a", number=2))
    tab.change(edit("a b", before="a", number=1))
    expect(field).to_have_value("a b c")
    expect(tab.bar()).not_to_contain_text(NOTE)


def test_edits_of_the_same_text_follow_each_other(tab: Tab) -> None:
    field = tab.open("tool:a", "a")
    for number, text in enumerate(("x", "x y", "z"), start=1):
        tab.change(edit(text, before="a", number=number))
        expect(field).to_have_value(text)
    expect(tab.bar()).not_to_contain_text(NOTE)
    tab.undo()
    expect(field).to_have_value("x y")


def test_an_edit_that_replaces_what_was_typed_says_so(tab: Tab) -> None:
    field = tab.open("tool:a", "a")
    tab.change(edit("b", before="a", number=1))
    field.fill("typed")
    tab.change(edit("c", before="a", number=2))
    expect(field).to_have_value("c")
    expect(tab.bar()).to_contain_text(NOTE)
    tab.undo()
    expect(field).to_have_value("typed")


def test_an_edit_counts_for_its_document_if_another_one_is_shown(tab: Tab) -> None:
    tab.open("tool:a", "a")
    field = tab.open("tool:b", "b")
    tab.change(edit("a, edited", before="a", number=1))
    expect(field).to_have_value("b")
    assert tab.drafts == {"tool:a": "a, edited"}
    tab.open("tool:a", "a")
    expect(field).to_have_value("a, edited")
    tab.undo()
    expect(field).to_have_value("a")


def test_an_edit_does_not_replace_the_draft_of_a_document_that_is_not_shown(tab: Tab) -> None:
    tab.open("tool:a", "a").fill("typed")
    field = tab.open("tool:b", "b")
    tab.change(edit("a, edited", before="a", number=1))
    tab.open("tool:a", "a")
    expect(field).to_have_value("typed")


def test_an_edit_finds_its_document_under_its_new_name(tab: Tab) -> None:
    field = tab.open("tool:a", "a")
    tab.change(DocumentChange(how="moved", document="tool:mine", was="tool:a"))
    tab.change(edit("a b c", before="a", number=2, document="tool:mine"))
    tab.change(edit("a b", before="a", number=1))
    expect(field).to_have_value("a b c")
