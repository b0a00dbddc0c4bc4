"""The keys of the Label tab: the commands that they send, their order, and changes stored until confirmed."""

import json
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.scripts.component import Component
from workbench.ui.present.blocks import Argument, CallCard, ProseBlock
from workbench.ui.present.label.conversation import LabelEntry, LabelTargetView, LabelView, TalkView
from workbench.ui.present.label.form import FormField
from workbench.ui.present.label.label_tab import LabelTabView, ProjectView, QueueRow
from workbench.ui.present.notices import NoticeLine, NoticeView
from workbench.ui.present.transcript import TranscriptEntry

pytestmark = pytest.mark.browser

SESSIONS = ("one", "two", "three")
CALL, ANSWER = ("m1", 0), ("m2", None)
"""The targets where the cursor stops in each conversation: the call and the answer."""
SILENCE_MS = 20_000


class Desk:
    """The Label tab, with a server that answers on request."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.saved: dict[tuple[str, str, int | None], LabelView] = {}
        self.stale: tuple[str, ...] = ()
        self.commands: list[dict[str, Any]] = []
        """Commands without an answer."""

    def begin(self) -> "Desk":
        """Mount the tab and open the first conversation."""
        self.component.mount("label_desk", self.view(0, None))
        self.answer()
        return self

    def press(self, *keys: str) -> "Desk":
        self.component.press(*keys)
        return self

    def take(self) -> list[dict[str, Any]]:
        """Return the commands without an answer, without answering them."""
        self._read_events()
        return self.commands

    def answer(self) -> list[dict[str, Any]]:
        """Answer all commands, and those that follow from the answers, and return them."""
        answered = []
        self._read_events()
        while self.commands:
            command = self.commands.pop(0)
            answered.append(command)
            self.component.update(self._carry_out(command))
            self._read_events()
        return answered

    def refuse(self) -> None:
        """Answer the waiting command with an error."""
        self._read_events()
        command = self.commands.pop(0)
        line = NoticeLine(word="label", text="Somebody else saved a label.")
        view = self.view(command["serial"], command["session"])
        self.component.update(replace(view, notice=NoticeView(lines=(line,))))

    def labels(self) -> list[tuple[str, int | None, dict[str, Any]]]:
        """Answer all commands, and return the saved labels with their message and call."""
        return [
            (command["message"], command["call"], command["label"])
            for command in self.answer()
            if command["act"] == "label"
        ]

    @property
    def here(self) -> Locator:
        """The element with the cursor."""
        return self.component.element.locator(".hw-entries [aria-current=true]")

    @property
    def panel(self) -> Locator:
        return self.component.element.get_by_role("complementary", name="Verdict")

    @property
    def notice(self) -> Locator:
        return self.component.element.get_by_role("alert")

    @property
    def open_session(self) -> str | None:
        return self.component.element.locator("ol[data-session]").get_attribute("data-session")

    def _read_events(self) -> None:
        for name, data in self.component.events:
            assert name in ("label_order", "label_again", "label_stop")
            if name != "label_stop":
                self.commands.append(json.loads(data["order"]))

    def _carry_out(self, command: dict[str, Any]) -> LabelTabView:
        session = command["session"] or SESSIONS[0]
        if command["act"] == "label":
            key = (session, command["message"], command["call"])
            label = {name: value for name, value in command["label"].items() if name != "form"}
            if form := command["label"].get("form"):
                label |= {"name": form["name"], "arguments": json.dumps(form["texts"])}
            label["tags"] = tuple(label["tags"])
            self.saved[key] = LabelView(**label, revision=command["revision"] + 1)
        elif command["act"] in ("submit", "reject"):
            session = SESSIONS[(SESSIONS.index(session) + 1) % len(SESSIONS)]
        return self.view(command["serial"], session)

    def view(self, serial: int, session: str | None) -> LabelTabView:
        rows = tuple(
            QueueRow(id=name, title=name, state="pending", word="to do", is_open=name == session)
            for name in SESSIONS
        )
        return LabelTabView(
            serial=serial,
            project=ProjectView(name="", names=("",), guidelines="", questions=()),
            labeller="",
            rows=rows,
            has_more=False,
            progress="0 of 3",
            agreement=None,
            talk=None if session is None else self._talk(session),
            hint="",
        )

    def _talk(self, session: str) -> TalkView:
        card = CallCard(
            index=0,
            name="get_weather",
            status="done",
            tone="clean",
            arguments=(Argument(name="city", value='"Cairo"'),),
            notes=(),
            result=None,
        )
        entries = (
            self._entry(session, "u1", "user", "How warm is it?"),
            self._entry(session, "m1", "model", "Let me look.", card),
            self._entry(session, "m2", "model", f"31 in {session}."),
        )
        field = FormField(name="city", kind="text", type="string", is_required=True, description="")
        return TalkView(id=session, title=session, entries=entries, tools={"get_weather": (field,)}, row=())

    def _entry(self, session: str, message: str, role: str, text: str, *cards: CallCard) -> LabelEntry:
        calls = tuple(
            self._target(
                session, message, card.index, role, is_stop=True, tool=card.name, values={"city": "Cairo"}
            )
            for card in cards
        )
        message_target = self._target(
            session, message, None, role, is_stop=role == "model" and not cards, text=text
        )
        entry = TranscriptEntry(id=message, role=role, blocks=(ProseBlock(text=text), *cards))
        stale = (message,) if message in self.stale else ()
        return LabelEntry(entry=entry, stale=stale, targets=(*calls, message_target))

    def _target(
        self, session: str, message: str, call: int | None, role: str, **more: Any
    ) -> LabelTargetView:
        label = self.saved.get((session, message, call), LabelView())
        title = f"{message} {'itself' if call is None else f'call {call}'}"
        return LabelTargetView(
            message=message, call=call, role=role, title=title, label=label, others=(), **more
        )


@pytest.fixture
def desk(component: Component) -> Desk:
    return Desk(component).begin()


# The cursor


def test_j_and_k_move_between_calls_and_answers(desk: Desk) -> None:
    heading = desk.panel.get_by_role("heading")
    expect(heading).to_have_text("m1 call 0")
    desk.press("k")
    expect(heading).to_have_text("m1 call 0")
    desk.press("j")
    expect(heading).to_have_text("m2 itself")
    desk.press("j")
    expect(heading).to_have_text("m2 itself")
    expect(desk.here).to_have_attribute("data-id", "m2")


def test_a_click_selects_a_message_that_the_keys_skip(desk: Desk) -> None:
    desk.component.element.get_by_text("How warm is it?").click()
    expect(desk.panel.get_by_role("heading")).to_have_text("u1 itself")
    desk.press("1", "6")
    assert desk.labels() == []
    desk.press("j")
    expect(desk.panel.get_by_role("heading")).to_have_text("m1 call 0")


def test_the_cursor_returns_to_its_place_in_a_conversation(desk: Desk) -> None:
    desk.press("j", "n")
    desk.answer()
    assert desk.open_session == "two"
    desk.press("p")
    desk.answer()
    assert desk.open_session == "one"
    expect(desk.panel.get_by_role("heading")).to_have_text("m2 itself")


# Verdicts


@pytest.mark.parametrize(
    ("keys", "target", "changes"),
    [
        (["1"], CALL, {"verdict": "right"}),
        (["2"], CALL, {"verdict": "wrong-tool"}),
        (["3"], CALL, {"verdict": "bad-arguments"}),
        (["4"], CALL, {"verdict": "needless"}),
        (["5"], CALL, {"verdict": "should-ask"}),
        (["6"], ("m1", None), {"verdict": "missing-call"}),
        (["7"], ("m1", None), {"verdict": "bad-answer"}),
        (["j", "1"], ANSWER, {"verdict": "good"}),
        (["j", "6"], ANSWER, {"verdict": "missing-call"}),
        (["a"], CALL, {"verdict": "right"}),
        (["j", "a"], ANSWER, {"verdict": "good"}),
        (["Shift+Digit1"], CALL, {"rating": 1}),
        (["Shift+Digit5"], CALL, {"rating": 5}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_key_sets_one_field_of_one_target(
    desk: Desk, keys: list[str], target: tuple[str, int | None], changes: dict[str, Any]
) -> None:
    desk.press(*keys)
    [(message, call, label)] = desk.labels()
    assert (message, call) == target
    before = {"verdict": "", "rating": 0, "tags": [], "comment": "", "text": None}
    assert {name: label[name] for name in before} == before | changes


@pytest.mark.parametrize(
    "keys",
    [["j", "2"], ["j", "5"], ["8"], ["Shift+Digit6"], ["Control+1"], ["Alt+1"], ["x"]],
    ids=lambda keys: " ".join(keys),
)
def test_other_keys_do_nothing(desk: Desk, keys: list[str]) -> None:
    desk.press(*keys)
    assert desk.take() == []


def test_the_same_key_again_undoes_it(desk: Desk) -> None:
    desk.press("3")
    desk.answer()
    expect(desk.panel.get_by_role("button", name="bad arguments")).to_have_attribute("aria-pressed", "true")
    desk.press("3", "Shift+Digit4")
    desk.answer()
    desk.press("Shift+Digit4")
    assert [label["verdict"] for _, _, label in desk.labels()] == [""]
    assert desk.saved["one", *CALL].rating == 0


def test_u_undoes_one_change_after_the_other(desk: Desk) -> None:
    desk.press("1")
    desk.answer()
    desk.press("j", "1")
    desk.answer()
    desk.press("u")
    desk.answer()
    assert desk.saved["one", *ANSWER].verdict == ""
    desk.press("u")
    desk.answer()
    assert desk.saved["one", *CALL].verdict == ""
    expect(desk.panel.get_by_role("heading")).to_have_text("m1 call 0")
    desk.press("u")
    expect(desk.notice).to_have_text("Nothing to undo.")


def test_letters_in_a_tag_or_comment_are_not_shortcuts(desk: Desk) -> None:
    desk.press("t", "j", "k", "r", "Enter", "Escape", "c", *"a 1 u", "Escape")
    assert [(label["tags"], label["comment"]) for _, _, label in desk.labels()] == [
        (["jkr"], ""),
        (["jkr"], "a 1 u"),
    ]
    expect(desk.panel.get_by_role("button", name="Remove tag jkr")).to_be_visible()


# Commands are sent one after the other


def test_keys_faster_than_the_server_are_all_sent_in_order(desk: Desk) -> None:
    desk.press("3", "Shift+Digit2", "j", "7")
    assert [command["act"] for command in desk.take()] == ["label"]
    labels = desk.labels()
    assert [(message, call) for message, call, _ in labels] == [CALL, CALL, ANSWER]
    assert (labels[1][2]["verdict"], labels[1][2]["rating"]) == ("bad-arguments", 2)
    assert labels[2][2]["verdict"] == "bad-answer"


def test_a_whole_conversation_can_be_labelled_before_the_first_answer(desk: Desk) -> None:
    desk.press("a", "a", "Enter")
    acts = [(command["act"], command.get("message")) for command in desk.answer()]
    assert acts == [("label", "m1"), ("label", "m2"), ("submit", None)]
    assert desk.open_session == "two"


def test_keys_wait_for_the_next_conversation_and_apply_to_it(desk: Desk) -> None:
    desk.press("n", "2")
    assert [command["act"] for command in desk.take()] == ["show"]
    assert [(command["act"], command["session"]) for command in desk.answer()] == [
        ("show", "two"),
        ("label", "two"),
    ]
    assert desk.saved["two", *CALL].verdict == "wrong-tool"


def test_text_typed_for_the_next_conversation_goes_into_its_field(desk: Desk) -> None:
    desk.press("n", "c", *"a j")
    desk.answer()
    assert desk.open_session == "two"
    comment = desk.panel.get_by_label("Comment")
    expect(comment).to_be_focused()
    expect(comment).to_have_value("a j")
    desk.press("!", "Escape")
    assert [label["comment"] for _, _, label in desk.labels()] == ["a j!"]


def test_an_answer_to_an_older_command_is_not_shown(desk: Desk) -> None:
    desk.press("n")
    [command] = desk.take()
    stale = desk.view(command["serial"] - 1, "three")
    desk.component.update(stale)
    assert desk.open_session == "one"
    desk.answer()
    assert desk.open_session == "two"


def test_a_refused_change_is_reported_and_cannot_be_undone(desk: Desk) -> None:
    desk.press("1")
    desk.refuse()
    expect(desk.notice).to_have_text("Somebody else saved a label.")
    desk.press("u")
    expect(desk.notice).to_have_text("Nothing to undo.")
    assert desk.take() == []


def test_submit_and_reject_open_the_next_conversation_and_can_be_undone(desk: Desk) -> None:
    for key, act in (("Enter", "submit"), ("r", "reject")):
        session = desk.open_session
        desk.press(key)
        [command] = desk.answer()
        assert (command["act"], command["session"]) == (act, session)
        assert desk.open_session != session
        desk.press("u")
        assert [(command["act"], command["session"]) for command in desk.answer()] == [("reopen", session)]
        assert desk.open_session == session


def test_a_missing_answer_is_reported_and_keys_work_again(component: Component) -> None:
    component.page.clock.install()
    desk = Desk(component).begin()
    desk.press("1")
    [lost] = desk.take()
    component.page.clock.run_for(SILENCE_MS + 1)
    expect(desk.notice).to_contain_text("The server did not respond.")
    desk.commands.clear()
    desk.press("j", "6")
    [command] = desk.answer()
    assert (command["message"], command["label"]["verdict"]) == ("m2", "missing-call")
    assert command["serial"] > lost["serial"]


# What the browser stores


def test_unconfirmed_changes_are_sent_again_after_a_reload(desk: Desk) -> None:
    desk.press("3", "j", "7")
    assert len(desk.take()) == 1
    desk.component.reload()
    again = Desk(desk.component).begin()
    assert [label.verdict for label in again.saved.values()] == ["bad-arguments", "bad-answer"]
    desk.component.reload()
    assert Desk(desk.component).begin().saved == {}


def test_an_unfinished_comment_survives_a_reload(desk: Desk) -> None:
    desk.press("c", *"not London")
    desk.component.reload()
    again = Desk(desk.component).begin()
    expect(again.panel.get_by_label("Comment")).to_have_value("not London")
    assert again.labels() == []


def test_labeller_and_filter_survive_a_reload(desk: Desk) -> None:
    desk.component.element.get_by_text("Filter", exact=True).click()
    desk.component.element.get_by_label("Labeller").fill("ann")
    desk.press("Tab")
    desk.component.element.get_by_label("State").select_option("pending")
    desk.answer()
    desk.component.reload()
    desk.component.mount("label_desk", desk.view(0, None))
    [command] = Desk(desk.component).take()
    assert (command["labeller"], command["filter"]) == ("ann", {"state": "pending"})


# Corrections


def test_a_call_is_corrected_in_a_form_whose_draft_survives_a_reload(desk: Desk) -> None:
    desk.press("e")
    field = desk.panel.get_by_label("city", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_value("Cairo")
    field.fill("London")
    desk.component.reload()
    again = Desk(desk.component).begin()
    expect(again.panel.get_by_label("city", exact=True)).to_have_value("London")
    again.press("Control+Enter")
    [(message, call, label)] = again.labels()
    assert (message, call) == CALL
    assert label["form"] == {"name": "get_weather", "texts": {"city": "London"}}
    assert again.panel.get_by_label("city", exact=True).count() == 0


def test_escape_discards_an_unfinished_correction(desk: Desk) -> None:
    desk.press("j", "e")
    desk.panel.get_by_label("Text", exact=True).fill("other")
    desk.press("Escape")
    expect(desk.panel.get_by_label("Text", exact=True)).to_have_value("other")
    desk.press("Escape")
    expect(desk.panel.get_by_label("Text", exact=True)).to_have_count(0)
    assert desk.take() == []


def test_an_unchanged_answer_is_not_a_correction(desk: Desk) -> None:
    desk.press("j", "e", "Control+Enter")
    assert [label["text"] for _, _, label in desk.labels()] == [None]


def test_a_stale_message_is_accepted_or_regenerated(component: Component) -> None:
    desk = Desk(component)
    desk.stale = ("m2",)
    desk.begin()
    desk.press("j", "a")
    assert [(command["act"], command["message"]) for command in desk.answer()] == [
        ("accept", "m2"),
        ("label", "m2"),
    ]
    desk.press("g")
    [command] = desk.take()
    assert (command["act"], command["message"]) == ("regenerate", "m2")
    expect(component.element.get_by_text("regenerating · Esc stops")).to_be_visible()
    desk.press("Escape")
    assert component.events == [("label_stop", {})]
    desk.answer()
    expect(component.element.get_by_text("regenerating")).to_have_count(0)


# Elsewhere


def test_keys_do_nothing_below_the_help_and_on_another_tab(desk: Desk) -> None:
    desk.press("?")
    expect(desk.component.page.get_by_role("dialog")).to_contain_text("wrong tool")
    desk.press("1", "r", "Escape")
    expect(desk.component.page.get_by_role("dialog")).to_be_hidden()
    desk.component.page.evaluate("document.querySelector('#component').style.display = 'none'")
    desk.press("1", "r")
    assert desk.take() == []


def test_the_address_names_the_conversation_while_it_is_visible(desk: Desk) -> None:
    page = desk.component.page
    page.wait_for_url("**/?label=one")
    page.evaluate("document.querySelector('#component').style.display = 'none'")
    page.wait_for_url(lambda url: "label" not in url)
