"""Diffs: added, dropped and changed text is marked, and the text itself is unchanged."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.ui.scripts.component import Component
from workbench.ui.present.blocks import CallCard
from workbench.ui.present.compare.board import BoardView, CellView, ColumnHeadView, TurnView
from workbench.ui.present.compare.signs import ArgumentView, CallView, FixLine, diff_words
from workbench.ui.present.contracts import DiffLine, DiffView
from workbench.ui.present.glossary_terms import TERMS
from workbench.ui.present.inspect import EditRow, FixesView, FixRow, ForeignRow
from workbench.ui.present.parsers import ParserComparisonView, ParserRow
from workbench.ui.present.read_text import FixChange, ReadPiece, ReadSection, ReadTextView

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)> ${1+1} \\ &amp;"


def test_lines_have_their_signs(component: Component) -> None:
    lines = (
        DiffLine(kind="place", text="@@ -1 +1 @@"),
        DiffLine(kind="same", text="a"),
        DiffLine(kind="drop", text="  b  "),
        DiffLine(kind="add", text=HOSTILE),
    )
    part = component.mount("text_diff", DiffView(title="v1 to v2", lines=lines))
    group = part.get_by_role("group", name="v1 to v2")
    assert group.locator(".hw-sign").all_text_contents() == ["", " ", "−", "+"]
    assert group.locator("del").text_content() == "−  b  "
    assert group.locator("ins").text_content() == "+" + HOSTILE
    component.update(DiffView(title="v1 to v1", lines=()))
    expect(part.get_by_text("The texts are the same.")).to_be_visible()
    component.update(None)
    expect(part).to_be_empty()


READ = ReadTextView(
    sections=(
        ReadSection(kind="prose", label="prose", pieces=(ReadPiece(text="Let me look.\n", kind="text"),)),
        ReadSection(
            kind="call",
            label="call",
            pieces=(
                ReadPiece(text='{"a": ', kind="text"),
                ReadPiece(text="True", kind="text", change=FixChange.BEFORE, code="python-literal"),
                ReadPiece(text="true", kind="text", change=FixChange.AFTER, code="python-literal"),
                ReadPiece(text="}", kind="text", change=FixChange.AFTER, code="closed", is_guess=True),
            ),
        ),
        ReadSection(
            kind="stray",
            label="dropped",
            pieces=(ReadPiece(text="</tool_call>", kind="tag", change=FixChange.BEFORE, code="stray-tag"),),
        ),
    ),
    summary="3 fixes",
    has_fixes=True,
)


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("As written", 'Let me look.\n{"a": True</tool_call>'),
        ("Changes", 'Let me look.\n{"a": Truetrue}</tool_call>'),
        ("Fixed", 'Let me look.\n{"a": true}'),
    ],
)
def test_a_completion_is_shown_as_written_fixed_or_with_changes(
    component: Component, way: str, text: str
) -> None:
    part = component.mount("read_text", READ)
    expect(part.get_by_role("button", name="Changes")).to_have_attribute("aria-pressed", "true")
    part.get_by_role("button", name=way, exact=True).click()
    expect(part.get_by_role("button", name=way, exact=True)).to_have_attribute("aria-pressed", "true")
    assert "".join(part.locator("section pre").all_text_contents()) == text


def test_a_change_names_its_fix(component: Component) -> None:
    part = component.mount("read_text", READ)
    expect(part.locator("del").first).to_have_attribute("title", "python-literal")
    assert part.locator("ins").evaluate_all(
        "all => all.map((change) => [change.title, change.className])"
    ) == [
        ["python-literal", ""],
        ["closed (guess)", "is-guess"],
    ]


def test_the_selected_view_stays_for_the_next_text(component: Component) -> None:
    part = component.mount("read_text", READ)
    part.get_by_role("button", name="Fixed", exact=True).click()
    component.update(replace(READ, summary="other"))
    expect(part.get_by_role("button", name="Fixed", exact=True)).to_have_attribute("aria-pressed", "true")
    assert part.locator("del").count() == 0


def test_without_fixes_there_is_no_choice_of_views(component: Component) -> None:
    part = component.mount("read_text", replace(READ, has_fixes=False))
    assert part.get_by_role("group", name="Text view").count() == 0


def test_a_fix_shows_its_edits_and_the_selected_fix_is_marked(component: Component) -> None:
    fixes = tuple(
        FixRow(
            code=code,
            meaning="Written as in Python.",
            is_guess=is_guess,
            place="call 1",
            edits=(EditRow(before="True", after=HOSTILE, times="twice"),),
            is_picked=is_guess,
        )
        for code, is_guess in (("python-literal", False), ("closed", True))
    )
    part = component.mount("fixes", FixesView(hint="", fixes=fixes))
    assert part.locator("del").all_text_contents() == ["True", "True"]
    assert part.locator("ins").all_text_contents() == [HOSTILE, HOSTILE]
    assert part.locator(".is-selected code").all_text_contents() == ["closed"]
    assert part.locator(".k-guess").all_text_contents() == ["closed"]
    expect(part.get_by_text("Fixes", exact=True)).to_have_attribute("title", TERMS["fix"])


def test_a_call_in_another_format_shows_its_parser_and_what_to_change(component: Component) -> None:
    row = ForeignRow(
        dialect="mistral",
        sentence=HOSTILE,
        place="line 1",
        parsers="vLLM --tool-call-parser mistral",
        contract=HOSTILE,
    )
    part = component.mount("fixes", FixesView(hint="", foreign=(row, replace(row, parsers=""))))
    assert part.locator("h3").all_text_contents() == ["Other formats"]
    assert part.locator("code").all_text_contents() == [
        "mistral",
        "vLLM --tool-call-parser mistral",
        "mistral",
    ]
    assert part.get_by_text(HOSTILE).count() >= 2


# Compare: the second column compared with the first


def _card(name: str) -> CallCard:
    return CallCard(index=0, name=name, status="done", tone="clean", arguments=(), notes=(), result=None)


def _argument(sign: str, name: str, value: str, was: str = "") -> ArgumentView:
    return ArgumentView(sign=sign, name=name, value=value, was=was)


def test_differences_from_the_first_column_have_labels(component: Component) -> None:
    first = CellView(
        letter="A", state="done", summary="", differs=False, text=diff_words("It is 31.", "It is 31.")
    )
    second = CellView(
        letter="B",
        state="done",
        summary="other arguments",
        differs=True,
        text=diff_words("It is 31.", "It is 13."),
        calls=(
            CallView(
                sign="≠",
                card=_card("get_weather"),
                arguments=(
                    _argument("=", "city", '"Zurich"'),
                    _argument("≠", "unit", '"F"', '"C"'),
                    _argument("−", "day", "", "1"),
                ),
            ),
            CallView(sign="−", card=_card("get_time"), arguments=()),
        ),
        fixes=(FixLine(sign="+", code="python-literal", is_guess=False, note="once"),),
        message="m2",
    )
    turn = TurnView(place=0, heading="", question="How warm?", cells=(first, second), can_vote=False)
    heads = tuple(ColumnHeadView(letter=letter, contract="full", model="m", note="") for letter in "AB")
    board = BoardView(
        id="c", session="s", note="", is_running=False, can_resume=False, heads=heads, turns=(turn,)
    )
    part = component.mount("compare_board", board)
    part.get_by_role("button", name="Show differences").click()
    column = part.get_by_role("region", name="Column B")
    signs = column.get_by_role("img").evaluate_all(
        "all => all.map((sign) => sign.getAttribute('aria-label'))"
    )
    assert signs == [
        "different from A",
        "same as in A",
        "different from A",
        "only in A",
        "only in A",
        "not in A",
    ]
    assert column.locator("del").all_text_contents() == ['"C"', "1", "get_time", "31"]
    assert column.locator("ins").all_text_contents() == ["13"]
    assert part.get_by_role("region", name="Column A").locator("del, ins").count() == 0


# Results of other parsers, loaded when the pane is visible


def _differ(message: str, *, is_known: bool) -> ParserComparisonView:
    row = ParserRow(rule=f"rule of {message}", origin="", got="1", tone="clean", calls=(), why="")
    return ParserComparisonView(rows=(row,) if is_known else (), message_id=message, is_known=is_known)


def test_an_answer_about_a_message_that_is_not_shown_is_not_drawn(
    component: Component,
) -> None:
    part = component.mount("differ")
    rules = part.locator("th[scope=row]")
    component.update(_differ("first", is_known=False))
    component.update(_differ("second", is_known=False))
    assert component.events == [("ask_differ", {"id": "first"}), ("ask_differ", {"id": "second"})]
    component.update(_differ("second", is_known=True))
    expect(rules).to_have_text(["rule of second"])
    component.update(_differ("first", is_known=True))
    expect(rules).to_have_text(["rule of second"])
    component.update(_differ("first", is_known=False))
    expect(rules).to_have_count(0)
    component.update(_differ("first", is_known=True))
    expect(rules).to_have_text(["rule of first"])
    assert component.events == [("ask_differ", {"id": "first"})]


def test_a_hidden_pane_loads_once_it_is_visible(component: Component) -> None:
    component.page.evaluate("document.querySelector('#component').style.display = 'none'")
    component.mount("differ", _differ("first", is_known=False))
    component.update(_differ("second", is_known=False))
    assert component.events == []
    component.page.evaluate("document.querySelector('#component').style.display = ''")
    component.page.wait_for_function("stubs.events.length > 0")
    assert component.events == [("ask_differ", {"id": "second"})]
