"""The keys of the Label tab: the commands that they send, their order, and changes stored until confirmed."""

import json
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.scripts.component import Component
from workbench.ui.present.blocks import Argument, CallCard, ProseBlock
from workbench.ui.present.label.conversation import (
    CALL_VERDICTS,
    MESSAGE_VERDICTS,
    LabelEntry,
    LabelTargetView,
    LabelView,
    TalkView,
)
from workbench.ui.present.label.form import FormField
from workbench.ui.present.label.label_tab import (
    ActionAnswer,
    LabelTabView,
    ProjectView,
    QuestionView,
    QueueRow,
)
from workbench.ui.present.transcript import TranscriptEntry

pytestmark = pytest.mark.browser

SESSIONS = ("one", "two", "three")
CALL, ANSWER = ("m1", 0), ("m2", None)
"""The targets where the cursor stops in each conversation: the call and the answer."""
SILENCE_MS = 10_000


class Desk:
    """The Label tab, with a small server that answers on request and applies each action once."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.saved: dict[tuple[str, str, int | None], LabelView] = {}
        self.stale: tuple[str, ...] = ()
        self.project = ProjectView(name="", names=("",), guidelines=(), questions=())
        self.closed: dict[str, str] = {}
        """States of sessions that were submitted or rejected."""
        self.refusals: dict[str, ActionAnswer] = {}
        """The answer to actions of a kind that are refused."""
        self.commands: list[dict[str, Any]] = []
        """Commands without an answer."""
        self.applied: list[dict[str, Any]] = []
        """Applied actions, in order."""
        self.before: dict[tuple[str, int], Any] = {}
        self.total = len(SESSIONS)
        """Length of the queue, of which three rows are loaded."""

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
            self.component.update(self.carry_out(command))
            self._read_events()
        return answered

    def actions(self) -> list[dict[str, Any]]:
        """Answer all commands, and return the actions that were applied since the last call."""
        self.answer()
        found, self.applied = self.applied, []
        return found

    def labels(self) -> list[tuple[str, int | None, dict[str, Any]]]:
        """Answer all commands, and return each action on labels: message, call, and the changed fields."""
        return [
            (
                action["changes"][0]["message"],
                action["changes"][0]["call"],
                {change["field"]: change["value"] for change in action["changes"]},
            )
            for action in self.actions()
            if action["kind"] == "label"
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
                self.commands.append(json.loads(data["order"]) | {"is_again": name == "label_again"})

    def carry_out(self, command: dict[str, Any]) -> LabelTabView:
        """Apply the actions of a command, and return the answer."""
        answers = tuple(self._apply(action) for action in command["actions"])
        session = command["session"]
        if not session:
            after = command["after"]
            place = SESSIONS.index(after) + 1 if after else 0
            session = SESSIONS[place % len(SESSIONS)]
        return self.view(command["serial"], session, answers=answers)

    def _apply(self, action: dict[str, Any]) -> ActionAnswer:
        key = (action["client"], action["number"])
        answer = ActionAnswer(client=key[0], number=key[1], session=action["session"])
        if key in self.before:
            return answer
        refusal = self.refusals.get(action["kind"])
        if refusal is not None and not action.get("is_confirmed"):
            return replace(refusal, client=key[0], number=key[1], session=action["session"])
        self.applied.append(action)
        self.before[key] = (dict(self.saved), dict(self.closed), self.stale)
        session = action["session"]
        match action["kind"]:
            case "label":
                for change in action["changes"]:
                    place = (session, change["message"], change["call"])
                    self.saved[place] = changed(self.saved.get(place, LabelView()), change)
            case "accept" | "accept-rest":
                stops = (
                    [CALL, ANSWER]
                    if action["kind"] == "accept-rest"
                    else [(action["message"], action["call"])]
                )
                for message, call in stops:
                    label = self.saved.get((session, message, call), LabelView())
                    verdict = label.verdict or ("good" if call is None else "right")
                    self.saved[session, message, call] = replace(label, verdict=verdict)
                self.stale = ()
            case "submit" | "reject" as kind:
                self.closed[session] = "done" if kind == "submit" else "discarded"
            case "undo":
                undone = (action["undoes"]["client"], action["undoes"]["number"])
                self.saved, self.closed, self.stale = self.before[undone]
        return answer

    def view(
        self, serial: int, session: str | None, *, answers: tuple[ActionAnswer, ...] = ()
    ) -> LabelTabView:
        rows = tuple(
            QueueRow(id=name, title=name, state=self.closed.get(name, "pending")) for name in SESSIONS
        )
        return LabelTabView(
            serial=serial,
            project=self.project,
            labeller="",
            rows=rows,
            first=0,
            total=self.total,
            progress="0 of 3",
            progress_lines=(),
            agreement=None,
            talk=None if session is None else self._talk(session),
            hint="",
            answers=answers,
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
        city = FormField(name="city", kind="text", type="string", is_required=True, description="The city.")
        choices = ('"celsius"', '"fahrenheit"')
        unit = FormField(
            name="unit", kind="choice", type="string", is_required=False, description="", choices=choices
        )
        return TalkView(
            id=session,
            title=session,
            entries=entries,
            tools={"get_weather": (city, unit), "get_time": ()},
            descriptions={"get_weather": "The weather of a city.", "get_time": ""},
            row=(),
        )

    def _entry(self, session: str, message: str, role: str, text: str, *cards: CallCard) -> LabelEntry:
        calls = tuple(
            self._target(
                session,
                message,
                card.index,
                role,
                is_stop=True,
                tool=card.name,
                values={"city": "Cairo"},
                verdicts=CALL_VERDICTS,
            )
            for card in cards
        )
        message_target = self._target(
            session,
            message,
            None,
            role,
            is_stop=role == "model" and not cards,
            text=text,
            verdicts=MESSAGE_VERDICTS if role == "model" else (),
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


def changed(label: LabelView, change: dict[str, Any]) -> LabelView:
    """Return a label with one field changed."""
    name, _, detail = change["field"].partition(":")
    value = change["value"]
    match name:
        case "tag":
            others = tuple(tag for tag in label.tags if tag != detail)
            return replace(label, tags=(*others, detail) if value else others)
        case "answer":
            return replace(label, answers={**label.answers, detail: value or ""})
        case "correction":
            form = (value or {}).get("form")
            if form:
                return replace(label, name=form["name"], arguments=json.dumps(form["texts"]))
            return replace(label, text=(value or {}).get("text"), name="", arguments="")
        case _:
            return replace(label, **{name: value or ("" if name != "rating" else 0)})


@pytest.fixture
def desk(component: Component) -> Desk:
    return Desk(component).begin()


# The cursor


def test_j_and_k_move_between_calls_and_answers(desk: Desk) -> None:
    heading = desk.panel.get_by_role("heading").first
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
    expect(desk.panel.get_by_role("heading").first).to_have_text("u1 itself")
    desk.press("1", "6")
    assert desk.labels() == []
    desk.press("j")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m1 call 0")


def test_the_cursor_returns_to_its_place_in_a_conversation(desk: Desk) -> None:
    desk.press("j", "n")
    desk.answer()
    assert desk.open_session == "two"
    desk.press("p")
    desk.answer()
    assert desk.open_session == "one"
    expect(desk.panel.get_by_role("heading").first).to_have_text("m2 itself")


# Verdicts


@pytest.mark.parametrize(
    ("keys", "target", "fields"),
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
        (["Shift+Digit1"], CALL, {"rating": 1}),
        (["Shift+Digit5"], CALL, {"rating": 5}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_key_sets_one_field_of_one_target(
    desk: Desk, keys: list[str], target: tuple[str, int | None], fields: dict[str, Any]
) -> None:
    desk.press(*keys)
    assert desk.labels() == [(*target, fields)]


@pytest.mark.parametrize(
    "keys",
    [["j", "2"], ["j", "5"], ["8"], ["Shift+Digit6"], ["Control+1"], ["Alt+1"], ["x"]],
    ids=lambda keys: " ".join(keys),
)
def test_other_keys_do_nothing(desk: Desk, keys: list[str]) -> None:
    desk.press(*keys)
    assert desk.take() == []


def test_the_same_key_again_undoes_it_before_the_server_has_answered(desk: Desk) -> None:
    desk.press("3")
    pressed = desk.panel.get_by_role("button", name="bad arguments")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    desk.press("3", "Shift+Digit4")
    expect(pressed).to_have_attribute("aria-pressed", "false")
    desk.press("Shift+Digit4")
    desk.answer()
    assert (desk.saved["one", *CALL].verdict, desk.saved["one", *CALL].rating) == ("", 0)


def test_the_verdict_on_the_message_of_a_call_is_shown_at_once(desk: Desk) -> None:
    pressed = desk.panel.get_by_role("button", name="missing call")
    desk.press("6")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    desk.press("6")
    expect(pressed).to_have_attribute("aria-pressed", "false")


def test_a_accepts_one_target_and_shift_a_the_rest(desk: Desk) -> None:
    desk.press("a", "A")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m2 itself")
    expect(desk.panel.get_by_role("button", name="good")).to_have_attribute("aria-pressed", "true")
    one, rest = desk.actions()
    assert (one["kind"], one["message"], one["call"]) == ("accept", *CALL)
    assert (rest["kind"], rest["session"]) == ("accept-rest", "one")


def test_u_undoes_one_action_after_the_other_in_any_conversation(desk: Desk) -> None:
    desk.press("1", "j", "1", "Enter")
    desk.answer()
    assert desk.open_session == "two"
    desk.press("2", "u", "u")
    assert desk.open_session == "one"
    desk.press("u", "u")
    expect(desk.panel.get_by_role("heading").first).to_have_text("m1 call 0")
    actions = desk.actions()
    done = [(action["client"], action["number"]) for action in actions if action["kind"] != "undo"]
    undone = [
        (action["undoes"]["client"], action["undoes"]["number"]) for action in actions if "undoes" in action
    ]
    assert len(undone) == 4
    assert undone[0] == done[-1]
    assert (desk.saved, desk.closed) == ({}, {})
    desk.press("u")
    expect(desk.notice).to_have_text("Nothing to undo.")


def test_undo_goes_on_after_a_reload(desk: Desk) -> None:
    desk.press("1", "j", "1")
    desk.answer()
    saved, before = desk.saved, desk.before
    desk.component.reload()
    again = Desk(desk.component)
    again.saved, again.before = saved, before
    again.begin()
    again.press("u", "u")
    again.answer()
    assert again.saved == {}


def test_letters_in_a_tag_or_comment_are_not_shortcuts(desk: Desk) -> None:
    desk.press("t", "j", "k", "r", "Enter", "Escape", "c", *"a 1 u", "Escape")
    assert [fields for _, _, fields in desk.labels()] == [{"tag:jkr": True}, {"comment": "a 1 u"}]
    expect(desk.panel.get_by_role("button", name="Remove tag jkr")).to_be_visible()


def test_the_key_of_a_question_takes_the_next_choice_or_goes_to_its_field(component: Component) -> None:
    desk = Desk(component)
    choice = QuestionView(name="polite", text="Polite?", choices=("yes", "no"), key="q", is_required=True)
    text = QuestionView(name="why", text="Why?", choices=(), key="w", is_required=False)
    desk.project = replace(desk.project, questions=(choice, text))
    desk.begin()
    desk.press("Enter")
    expect(desk.notice).to_have_text("The question “Polite?” has no answer. q answers it.")
    desk.press("q", "q", "w", *"so", "Escape")
    fields = [found for _, _, found in desk.labels()]
    assert fields == [{"answer:polite": "yes"}, {"answer:polite": "no"}, {"answer:why": "so"}]
    desk.press("Enter")
    assert [action["kind"] for action in desk.actions()] == ["submit"]


# Nothing that is pressed is lost


def test_keys_faster_than_the_server_are_sent_in_order(desk: Desk) -> None:
    desk.press("3", "Shift+Digit2", "j", "7")
    [command] = desk.take()
    assert [action["changes"][0]["value"] for action in command["actions"]] == ["bad-arguments"]
    assert [(message, call) for message, call, _ in desk.labels()] == [CALL, CALL, ANSWER]
    assert desk.saved["one", *CALL] == LabelView(verdict="bad-arguments", rating=2)


def test_a_whole_conversation_can_be_labelled_before_the_first_answer(desk: Desk) -> None:
    desk.press("a", "a", "Enter")
    assert desk.open_session == "one" or desk.open_session is None
    assert [action["kind"] for action in desk.actions()] == ["accept", "accept", "submit"]
    assert desk.open_session == "two"


def test_a_conversation_that_was_loaded_ahead_is_shown_at_once_and_keys_act_on_it(
    component: Component,
) -> None:
    desk = Desk(component)
    component.mount("label_desk", desk.view(0, None))
    [command] = desk.take()
    desk.commands.clear()
    component.update(replace(desk.carry_out(command), ahead=(desk._talk("two"), desk._talk("three"))))
    desk.press("a", "Enter")
    assert desk.open_session == "two"
    desk.press("2", "Enter", "3")
    assert desk.open_session == "three"
    assert [(action["session"], action["kind"]) for action in desk.actions()] == [
        ("one", "accept"),
        ("one", "submit"),
        ("two", "label"),
        ("two", "submit"),
        ("three", "label"),
    ]


def test_keys_wait_for_the_next_conversation_and_apply_to_it(desk: Desk) -> None:
    desk.press("n", "2")
    [command] = desk.take()
    assert (command["session"], command["actions"]) == ("two", [])
    desk.answer()
    assert desk.saved["two", *CALL].verdict == "wrong-tool"


def test_the_queue_goes_on_where_the_loaded_rows_end(desk: Desk) -> None:
    desk.total = 72
    for key, step in (("n", 1), ("Enter", 0)):
        desk.press("n", "n").answer()
        assert desk.open_session == "three"
        desk.press(key)
        assert ("three", step) in [(command["after"], command["step"]) for command in desk.answer()]
        assert desk.open_session == "one"


def test_text_typed_for_the_next_conversation_goes_into_its_field(desk: Desk) -> None:
    desk.press("n", "c", *"a j")
    desk.answer()
    assert desk.open_session == "two"
    comment = desk.panel.get_by_label("Comment")
    expect(comment).to_be_focused()
    expect(comment).to_have_value("a j")
    desk.press("!", "Escape")
    assert [fields for _, _, fields in desk.labels()] == [{"comment": "a j!"}]


def test_an_answer_to_an_older_command_is_not_shown(desk: Desk) -> None:
    desk.press("n")
    [command] = desk.take()
    desk.component.update(desk.view(command["serial"] - 1, "three"))
    assert desk.open_session == "one"
    desk.answer()
    assert desk.open_session == "two"


def test_submit_and_reject_open_the_next_conversation_and_can_be_undone(desk: Desk) -> None:
    for key, kind in (("Enter", "submit"), ("r", "reject")):
        session = desk.open_session
        desk.press(key)
        assert [(action["kind"], action["session"]) for action in desk.actions()] == [(kind, session)]
        assert desk.open_session != session
        desk.press("u")
        [undo] = desk.actions()
        assert (undo["kind"], undo["session"]) == ("undo", session)
        assert desk.open_session == session


def test_a_command_without_an_answer_is_sent_again_and_applied_once(component: Component) -> None:
    component.page.clock.install()
    desk = Desk(component).begin()
    desk.press("1")
    [lost] = desk.take()
    desk.carry_out(lost)
    desk.commands.clear()
    desk.press("j", "6")
    component.page.clock.run_for(SILENCE_MS + 1)
    expect(desk.notice).to_contain_text("The server did not respond.")
    [command] = desk.answer()
    assert [action["number"] for action in command["actions"]] == [1, 2]
    assert [action["number"] for action in desk.applied] == [1, 2]
    assert desk.saved["one", *CALL].verdict == "right"


def test_a_refused_change_is_reported_and_its_session_is_not_submitted(desk: Desk) -> None:
    desk.refusals["label"] = ActionAnswer(
        client="", number=0, session="", problem="It is too long.", code="refused"
    )
    desk.press("1", "Enter")
    desk.answer()
    expect(desk.notice).to_contain_text("“one” was not changed: It is too long.")
    assert [action["kind"] for action in desk.applied if action["kind"] == "submit"] == []
    expect(desk.component.element.get_by_role("button", name="one").first).to_contain_text("·")
    desk.notice.get_by_role("button", name="Open it").click()
    desk.answer()
    assert desk.open_session == "one"
    assert desk.saved == {}


def test_a_session_that_was_not_submitted_opens_where_the_problem_is(desk: Desk) -> None:
    message, call = ANSWER
    desk.refusals["submit"] = ActionAnswer(
        client="", number=0, session="", problem="An answer has no verdict.", code="unjudged",
        message=message, call=call,
    )  # fmt: skip
    desk.press("Enter")
    desk.answer()
    assert desk.open_session == "two"
    desk.notice.get_by_role("button", name="Open it").click()
    desk.answer()
    assert desk.open_session == "one"
    expect(desk.here).to_have_attribute("data-key", "m2")


# What the browser stores


def test_unconfirmed_actions_are_sent_after_a_reload(desk: Desk) -> None:
    desk.press("3", "j", "7")
    assert len(desk.take()) == 1
    desk.component.reload()
    again = Desk(desk.component).begin()
    assert [label.verdict for label in again.saved.values()] == ["bad-arguments", "bad-answer"]
    desk.component.reload()
    assert Desk(desk.component).begin().saved == {}


def test_an_unfinished_comment_survives_a_reload_and_is_saved_on_submit(desk: Desk) -> None:
    desk.press("c", *"not London")
    desk.component.reload()
    again = Desk(desk.component).begin()
    expect(again.panel.get_by_label("Comment")).to_have_value("not London")
    assert again.labels() == []
    again.press("Enter")
    assert [action["kind"] for action in again.actions()] == ["label", "submit"]
    assert again.saved["one", *CALL].comment == "not London"


OTHER_TAB = """draft => {
    const [name] = Object.keys(localStorage).filter((other) => other.startsWith("hermes-workbench:label:draft:"));
    if (draft === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(draft));
    window.dispatchEvent(new StorageEvent("storage", { key: name }));
}"""
"""What a tab sees when another one types into the field of a target, or leaves it. Both share the browser's storage."""


def test_a_tab_saves_the_comment_that_was_typed_in_it(desk: Desk) -> None:
    desk.press("c", *"mine")
    desk.component.page.evaluate(OTHER_TAB, {"comment": "theirs"})
    expect(desk.panel.get_by_label("Comment")).to_have_value("mine")
    desk.press("Escape")
    assert desk.labels() == [(*CALL, {"comment": "mine"})]
    # What the other tab has not saved yet is still stored.
    expect(desk.panel.get_by_label("Comment")).to_have_value("theirs")


def test_a_comment_that_another_tab_saves_or_discards_is_no_longer_shown_as_typed(desk: Desk) -> None:
    desk.press("c", *"not", "Escape")
    desk.answer()
    desk.press("c", *" London")
    desk.component.reload()
    again = Desk(desk.component)
    again.saved = desk.saved
    again.begin()
    expect(again.panel.get_by_label("Comment")).to_have_value("not London")
    again.component.page.evaluate(OTHER_TAB, None)
    expect(again.panel.get_by_label("Comment")).to_have_value("not")
    again.press("Enter")
    assert [action["kind"] for action in again.actions()] == ["submit"]


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
    city = desk.panel.get_by_label("city", exact=True)
    expect(city).to_be_focused()
    expect(city).to_have_value("Cairo")
    desk.press(*"London")
    desk.component.reload()
    again = Desk(desk.component).begin()
    expect(again.panel.get_by_label("city", exact=True)).to_have_value("London")
    again.press("Control+Enter")
    expect(again.component.element.get_by_text('get_weather {"city":"London"}')).to_be_visible()
    [(message, call, fields)] = again.labels()
    assert (message, call, fields["verdict"]) == (*CALL, "bad-arguments")
    assert fields["correction"]["form"] == {"name": "get_weather", "texts": {"city": "London"}}
    assert again.panel.get_by_label("city", exact=True).count() == 0


def test_text_options_have_no_quotes_and_are_found_by_their_first_letter(desk: Desk) -> None:
    desk.press("e")
    unit = desk.panel.get_by_label("unit", exact=True)
    assert unit.locator("option").all_text_contents() == ["not set", "celsius", "fahrenheit"]
    unit.focus()
    desk.press("f", "Control+Enter")
    [(_, _, fields)] = desk.labels()
    assert fields["correction"]["form"]["texts"]["unit"] == '"fahrenheit"'


def test_a_refused_correction_stays_in_its_form_and_is_saved_when_it_is_confirmed(desk: Desk) -> None:
    desk.refusals["label"] = ActionAnswer(
        client="", number=0, session="", problem="It does not fit.", code="schema", can_confirm=True
    )
    desk.press("e", "Control+A", *"Rome", "Control+Enter")
    desk.answer()
    expect(desk.notice).to_have_text("It does not fit. Ctrl+Enter again saves it.")
    expect(desk.panel.get_by_label("city", exact=True)).to_have_value("Rome")
    desk.press("Enter")
    expect(desk.notice).to_contain_text("is not saved. Ctrl+Enter saves it. Enter again submits anyway.")
    desk.press("Control+Enter")
    [(_, _, fields)] = desk.labels()
    assert fields["correction"]["form"]["texts"] == {"city": "Rome"}


def test_an_open_correction_is_not_submitted_by_one_enter(desk: Desk) -> None:
    desk.press("j", "e", *"x", "Escape", "Enter")
    expect(desk.notice).to_contain_text("is not saved")
    assert desk.take() == []
    desk.press("Enter")
    assert [action["kind"] for action in desk.actions()] == ["submit"]
    desk.press("p")
    desk.answer()
    expect(desk.panel.get_by_label("Text", exact=True)).to_have_value("31 in one.x")


def test_escape_discards_an_unfinished_correction(desk: Desk) -> None:
    desk.press("j", "e")
    desk.panel.get_by_label("Text", exact=True).fill("other")
    desk.press("Escape")
    expect(desk.panel.get_by_label("Text", exact=True)).to_have_value("other")
    desk.press("Escape")
    expect(desk.panel.get_by_label("Text", exact=True)).to_have_count(0)
    assert desk.take() == []


def test_the_text_of_any_message_is_corrected_beside_the_original(desk: Desk) -> None:
    desk.press("K", "e")
    expect(desk.panel.locator(".hw-original")).to_have_text("How warm is it?")
    desk.panel.get_by_label("Text", exact=True).fill("How cold is it?")
    desk.press("Control+Enter")
    [(message, call, fields)] = desk.labels()
    assert (message, call, fields["correction"]["text"]) == ("u1", None, "How cold is it?")
    assert "verdict" not in fields


def test_a_correction_that_equals_the_original_is_no_correction(desk: Desk) -> None:
    desk.press("j", "e", "Control+Enter")
    expect(desk.notice).to_have_text("This equals the original, so there is no correction.")
    assert desk.labels() == []


def test_a_stale_message_is_accepted_without_a_new_verdict_or_regenerated(component: Component) -> None:
    desk = Desk(component)
    desk.stale = ("m2",)
    desk.begin()
    desk.press("j", "7")
    desk.answer()
    desk.press("a")
    expect(component.element.locator(".is-stale")).to_have_count(0)
    [_, accepted] = desk.actions()
    assert (accepted["kind"], accepted["message"]) == ("accept", "m2")
    assert desk.saved["one", *ANSWER].verdict == "bad-answer"
    desk.press("g")
    [command] = desk.take()
    assert (command["is_again"], command["message"]) == (True, "m2")
    expect(component.element.get_by_text("regenerating · Esc stops")).to_be_visible()
    desk.press("Escape")
    assert component.events == [("label_stop", {})]
    desk.answer()
    expect(component.element.get_by_text("regenerating")).to_have_count(0)


def test_a_second_enter_submits_in_spite_of_a_stale_message(component: Component) -> None:
    desk = Desk(component)
    desk.stale = ("m2",)
    desk.begin()
    desk.press("Enter")
    expect(desk.notice).to_have_text(
        "1 message follows a correction. Accept (A) or regenerate (g). Enter again submits anyway."
    )
    assert desk.take() == []
    desk.press("Enter")
    [action] = desk.actions()
    assert (action["kind"], action["is_confirmed"]) == ("submit", True)


def test_verdicts_that_the_project_requires_cannot_be_left_out(component: Component) -> None:
    desk = Desk(component)
    desk.project = replace(desk.project, requires_verdicts=True)
    desk.begin()
    desk.press("1", "Enter", "Enter")
    expect(desk.notice).to_have_text("“m2 itself” has no verdict. A accepts the rest.")
    assert [action["kind"] for action in desk.actions()] == ["label"]
    desk.press("A", "Enter")
    assert [action["kind"] for action in desk.actions()] == ["accept-rest", "submit"]


# What is shown beside the call


def test_the_schema_of_the_called_tool_is_shown_and_stays_folded(desk: Desk) -> None:
    schema = desk.panel.locator("details.hw-schema").first
    expect(schema).to_contain_text("The weather of a city.")
    expect(schema).to_contain_text("celsius | fahrenheit")
    schema.locator("summary").click()
    desk.press("j", "k")
    expect(desk.panel.locator("details.hw-schema").first).not_to_have_attribute("open", "")
    expect(desk.panel).to_contain_text("Other tools (1)")


def test_escape_and_a_click_elsewhere_close_the_filters_and_enter_does_not_open_them(desk: Desk) -> None:
    fold = desk.component.element.locator("details.hw-filter-fold")
    for close in (lambda: desk.press("Escape"), lambda: desk.here.click()):
        desk.component.element.get_by_text("Filter", exact=True).click()
        expect(fold).to_have_attribute("open", "")
        close()
        expect(fold).not_to_have_attribute("open", "")
    desk.component.element.get_by_text("Filter", exact=True).click()
    desk.component.element.get_by_text("Filter", exact=True).click()
    desk.press("Enter")
    expect(fold).not_to_have_attribute("open", "")
    assert [action["kind"] for action in desk.actions()] == ["submit"]


# Elsewhere


def test_keys_do_nothing_below_the_help_and_on_another_tab(desk: Desk) -> None:
    desk.press("?")
    expect(desk.component.page.get_by_role("dialog")).to_contain_text("wrong tool")
    desk.press("1", "r", "Escape")
    expect(desk.component.page.get_by_role("dialog")).to_be_hidden()
    desk.component.page.evaluate("document.querySelector('#component').style.display = 'none'")
    desk.press("1", "r")
    assert desk.take() == []


def test_the_router_knows_the_open_conversation(desk: Desk) -> None:
    assert desk.component.page.evaluate("hermesWorkbench.router.valuesOf('label')") == {"item": "one"}
