"""The editors of Play before their code editors are loaded: a person can type at once, and nothing typed is lost."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.play import Play
from tests.e2e.waiting import until
from tests.served import Server

pytestmark = [pytest.mark.browser, pytest.mark.long]

LINE_PX = 18
STATE = """content => {
  const tile = content.cmTile || content.cmView;
  const view = tile.view || tile.root.view;
  const { anchor, head } = view.state.selection.main;
  return { text: view.state.doc.toString(), anchor, head, top: view.scrollDOM.scrollTop, focused: view.hasFocus };
}"""
"""What a code editor shows."""


class Editor:
    """The contract editor of Play, whose code editor is loaded only when the test says so."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.part = page.locator("#play-contract-text")
        self.before = self.draft
        self._held: list[Route] = []
        self._is_released = False

    @property
    def plain(self) -> Locator:
        return self.part.get_by_role("textbox", name="Contract text")

    @property
    def code(self) -> Locator:
        return self.part.locator(".cm-content")

    @property
    def draft(self) -> str:
        """The text that counts: the draft, or the text without one."""
        return str(self.page.evaluate("hermesWorkbench.documents.textOf('play-contract-text')"))

    def hold(self, route: Route) -> None:
        if self._is_released:
            route.continue_()
        else:
            self._held.append(route)

    def click(self, line: int) -> None:
        """Click before the first character of a line, counted from 0."""
        self.plain.click(position={"x": 43, "y": 5 + LINE_PX * line + LINE_PX / 2})
        until(self.page, lambda: self._held, "clicking the editor loads nothing")
        expect(self.code).to_have_count(0)

    def release(self) -> None:
        """Load the code editor, without waiting for it."""
        self._is_released = True
        for route in self._held:
            route.continue_()

    def expect(self, text: str) -> None:
        """Wait until the code editor shows a text, which is the draft and what events read."""
        expect(self.code).to_be_visible()
        self.page.wait_for_function(
            f"text => ({STATE})(document.querySelector('#play-contract-text .cm-content')).text === text",
            arg=text,
        )
        assert self.draft == text
        assert self.part.locator("textarea").input_value() == text
        expect(self.part.locator("textarea")).to_have_count(1)


@pytest.fixture
def editor(page: Page, server: Server) -> Editor:
    """The contract editor of the freshly opened tab."""
    Play(page, server).open()
    editor = Editor(page)
    page.route("**/*.js", editor.hold)
    return editor


def line_start(text: str, line: int) -> int:
    return sum(len(one) + 1 for one in text.split("\n")[:line])


def test_text_typed_before_the_code_editor_is_loaded_is_at_the_place_of_the_click(editor: Editor) -> None:
    editor.click(line=2)
    editor.page.keyboard.type("Be brief.")
    editor.page.keyboard.press("Enter")
    place = line_start(editor.before, 2)
    text = f"{editor.before[:place]}Be brief.\n{editor.before[place:]}"
    assert editor.draft == text
    expect(editor.part.locator("+ .hw-draft")).to_contain_text("Unsaved draft")
    editor.release()
    editor.expect(text)
    editor.page.keyboard.type("Ask.")
    editor.expect(f"{editor.before[:place]}Be brief.\nAsk.{editor.before[place:]}")


def test_a_pasted_text_replaces_all_and_is_one_step_to_undo(editor: Editor) -> None:
    editor.click(line=0)
    editor.page.keyboard.press("Control+A")
    editor.page.keyboard.insert_text("Answer in one word.\n")
    assert editor.draft == "Answer in one word.\n"
    editor.release()
    editor.expect("Answer in one word.\n")
    editor.page.keyboard.press("Control+z")
    editor.expect(editor.before)
    editor.page.keyboard.press("Control+y")
    editor.expect("Answer in one word.\n")


def test_keys_pressed_while_the_code_editor_appears_are_all_in_order(editor: Editor) -> None:
    editor.click(line=0)
    typed = "".join(f"{number}," for number in range(100))
    editor.release()
    editor.page.keyboard.type(typed, delay=4)
    editor.expect(typed + editor.before)


def test_undo_before_and_after_the_code_editor_appears_is_one_history(editor: Editor) -> None:
    editor.click(line=0)
    editor.page.keyboard.insert_text("first ")
    editor.page.keyboard.insert_text("second ")
    editor.page.keyboard.press("Control+z")
    assert editor.draft == f"first {editor.before}"
    editor.release()
    editor.expect(f"first {editor.before}")
    editor.page.keyboard.press("Control+Shift+z")
    editor.expect(f"first second {editor.before}")
    editor.page.keyboard.press("Control+z")
    editor.page.keyboard.press("Control+z")
    editor.expect(editor.before)


def test_the_selection_and_the_scroll_position_stay(editor: Editor) -> None:
    editor.click(line=0)
    editor.page.keyboard.press("Control+A")
    editor.page.keyboard.insert_text("\n".join(f"line {number:02}" for number in range(60)))
    for _ in range(3):
        editor.page.keyboard.press("ArrowUp")
    editor.page.keyboard.press("Shift+ArrowUp")
    editor.page.keyboard.press("Shift+Home")
    anchor, head, top = editor.plain.evaluate(
        "area => [area.selectionEnd, area.selectionStart, area.scrollTop]"
    )
    assert head < anchor
    assert top > 0
    editor.release()
    expect(editor.code).to_be_visible()
    shown = editor.code.evaluate(STATE)
    assert (shown["anchor"], shown["head"], shown["focused"]) == (anchor, head, True)
    assert abs(shown["top"] - top) < LINE_PX
    # A scroll that was animated would end by then.
    editor.page.wait_for_timeout(300)
    assert abs(editor.code.evaluate(STATE)["top"] - top) < LINE_PX


def test_a_character_that_is_being_composed_is_finished_in_the_plain_field(editor: Editor) -> None:
    keyboard = editor.page.context.new_cdp_session(editor.page)
    editor.click(line=0)
    keyboard.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    editor.release()
    expect(editor.code).to_have_count(1)
    expect(editor.code).to_be_hidden()
    keyboard.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    keyboard.send("Input.insertText", {"text": "日本"})
    editor.expect(f"日本{editor.before}")
    editor.page.keyboard.type("!")
    editor.expect(f"日本!{editor.before}")


def test_a_selection_with_the_pointer_is_finished_in_the_plain_field(editor: Editor) -> None:
    editor.click(line=0)
    box = editor.plain.bounding_box()
    assert box
    editor.page.mouse.move(box["x"] + 43, box["y"] + 10)
    editor.page.mouse.down()
    editor.page.mouse.move(box["x"] + 200, box["y"] + 10)
    editor.release()
    expect(editor.code).to_have_count(1)
    expect(editor.code).to_be_hidden()
    editor.page.mouse.move(box["x"] + 43, box["y"] + 10 + LINE_PX)
    editor.page.mouse.up()
    expect(editor.code).to_be_visible()
    shown = editor.code.evaluate(STATE)
    assert (shown["anchor"], shown["head"]) == (0, line_start(editor.before, 1))


def test_the_code_editor_leaves_the_focus_where_it_is(editor: Editor) -> None:
    editor.click(line=0)
    editor.page.keyboard.type("x")
    composer = editor.page.get_by_role("textbox", name="Message")
    composer.focus()
    editor.release()
    editor.expect(f"x{editor.before}")
    editor.page.keyboard.type("Hello")
    expect(composer).to_have_value(re.compile("Hello"))
    expect(composer).to_be_focused()


def test_the_code_editor_fills_the_room_of_the_plain_field(editor: Editor) -> None:
    editor.click(0)
    editor.release()
    expect(editor.code).to_be_visible()
    heights = "['.cm-editor', '.cm-scroller'].map((part) => document.querySelector(`#play-contract-text ${part}`).clientHeight)"
    whole, scrolled = editor.page.evaluate(heights)
    assert whole == scrolled
