"""The recipes for a tab and for a component, followed in a copy of the checkout."""

from collections.abc import Callable

import pytest

from tests.recipes.checkout_copy import CheckoutCopy

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

VIEW = '''"""How many words a text has."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCountView:
    """What the script `word_count` draws."""

    words: int = 0


def count_words(text: str) -> WordCountView:
    """The number of words in a text."""
    return WordCountView(words=len(text.split()))
'''
TAB = '''"""The Count tab: the number of words in a text."""

from dataclasses import dataclass

from workbench.records.owner import Permission
from workbench.ui.components.drawn import Drawn
from workbench.ui.components.fields import TextField
from workbench.ui.gradio_parts.listen import listen
from workbench.ui.permissions import needs
from workbench.ui.present.notices import NoticeView, advice
from workbench.ui.present.word_count import count_words


@dataclass(frozen=True, slots=True, kw_only=True)
class CountParts:
    """Parts of the tab."""

    text: TextField
    notice: Drawn


def build() -> CountParts:
    """Build the tab with its empty state."""
    return CountParts(
        text=TextField(label="Text to count", elem_id="count-text"), notice=Drawn("notice", elem_id="count-notice")
    )


class CountEvents:
    """Handlers of the tab."""

    @needs(Permission.WORK)
    def on_text(self, text: str) -> NoticeView:
        """Count the words."""
        return advice(f"{count_words(text).words} words")


def wire(parts: CountParts) -> None:
    """Count whenever the text changes."""
    listen(parts.text.change, CountEvents().on_text, [parts.text], [parts.notice], is_latest_only=True)
'''
BUILD = """            with gr.Tab("Count", elem_id="page-tab-count", id="count"):
                count_parts = count.build()
"""
JOURNEY = '''"""The Count tab."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.play import Play, open_tab
from tests.served import Server

pytestmark = [pytest.mark.browser]


def test_words_are_counted(page: Page, server: Server) -> None:
    Play(page, server).open()
    open_tab(page, "Count")
    page.get_by_label("Text to count").fill("one two three")
    expect(page.locator("#count-notice")).to_contain_text("3 words")
    assert page.url.endswith("?tab=count")
    page.reload()
    expect(page.get_by_label("Text to count")).to_be_visible()
'''
VIEW_TEST = '''"""Words are counted."""

from workbench.ui.present.word_count import count_words


def test_white_space_separates_words() -> None:
    assert count_words(" one\\n two ").words == 2
'''
SCRIPT = """// The number of words, and a button that resets it.
import { node } from "../shared/dom.js";

/** @param {Part<WordCountView, "reset">} part */
export const mount = ({ element, follow, trigger }) => {
  follow((value) => {
    const reset = node("button", { class: "hw-button", onclick: () => trigger("reset", { words: value.words }) }, "Reset");
    element.replaceChildren(node("p", {}, value ? value.words + " words" : "No text"), reset);
  });
};
"""
SCRIPT_TEST = '''"""The script word_count."""

import pytest

from tests.ui.scripts.component import Component
from workbench.ui.present.word_count import WordCountView

pytestmark = [pytest.mark.browser]


def test_the_number_is_shown_and_reset(component: Component) -> None:
    element = component.mount("word_count", WordCountView(words=2))
    assert "2 words" in element.inner_text()
    component.update(WordCountView(words=3))
    element.get_by_role("button", name="Reset").click()
    assert component.events == [("reset", {"words": 3})]
'''


def test_a_tab(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy, page = copy_for("A tab"), "workbench/ui/page.py"
    copy.write("workbench/ui/present/word_count.py", VIEW)
    copy.write("workbench/ui/tabs/count_tab.py", TAB)
    copy.insert(
        page,
        "from workbench.ui.tabs import count_tab as count\n",
        before="from workbench.ui.tabs import inspect",
    )
    copy.insert(page, BUILD, before='            with gr.Tab("Models"')
    copy.insert(page, "        count.wire(count_parts)\n", before="        inspect.wire(inspect_parts")
    copy.insert(
        "workbench/ui/present/place.py", '    "count": PlaceNames(),\n', before='    "models": PlaceNames()'
    )
    copy.insert("workbench/ui/present/place.py", '"count", ', before='"models"),\n')
    copy.write("tests/ui/test_word_count.py", VIEW_TEST)
    copy.write("tests/e2e/test_count.py", JOURNEY)
    assert copy.run_tests("tests/ui/test_word_count.py", "tests/e2e/test_count.py") == 2


def test_a_component(copy_for: Callable[[str], CheckoutCopy]) -> None:
    copy = copy_for("A component")
    copy.write("workbench/ui/scripts/inspect/word_count.js", SCRIPT)
    copy.write("workbench/ui/present/word_count.py", VIEW)
    copy.insert(
        "workbench/ui/tabs/inspect.py",
        '    Drawn("word_count", elem_id="inspect-words")\n',
        before='    editors = Drawn("editors"',
    )
    copy.write("tests/ui/scripts/test_word_count.py", SCRIPT_TEST)
    assert copy.run_tests("tests/ui/scripts/test_word_count.py") == 1
