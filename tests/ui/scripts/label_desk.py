"""The Label tab on an empty page, with a small server that answers on request."""

import json
from dataclasses import replace
from typing import Any

from playwright.sync_api import Locator

from tests.ui.scripts.component import Component
from workbench.label.page.present.conversation import (
    CALL_VERDICTS,
    MESSAGE_VERDICTS,
    ConversationView,
    LabelEntry,
    LabelTargetView,
    LabelView,
)
from workbench.label.page.present.tab import (
    ActionAnswer,
    LabelTabView,
    MockAnswer,
    ProjectView,
    QueueRow,
)
from workbench.ui.present.blocks import Argument, CallCard, ProseBlock, ResultRow
from workbench.ui.present.call_form import FormField
from workbench.ui.present.transcript import TranscriptEntry

SESSIONS = ("one", "two", "three")
CALL, ANSWER = ("m1", 0), ("m2", None)
"""The targets where the cursor stops in each conversation: the call and the answer."""


class Desk:
    """The Label tab, with a small server that answers on request and applies each action once."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.saved: dict[tuple[str, str, int | None], LabelView] = {}
        self.stale: tuple[str, ...] = ()
        self.broken = ""
        """The parameter of each call that has an error."""
        self.invalid = False
        """Whether each call is invalid."""
        self.result: ResultRow | None = None
        """The result of each call."""
        self.titles: dict[str, str] = {}
        """Titles of rows that are not the name of their session."""
        self.facts: dict[str, tuple[str, ...]] = {}
        """What the queue shows of a row."""
        self.mocks: dict[str, str] = {}
        """The results of mocks, by tool."""
        self.trials: list[dict[str, Any]] = []
        """The forms for which a mock was asked."""
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
        answered: list[dict[str, Any]] = []
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
        view = self.view(command["serial"], session, answers=answers)
        trial = command.get("trial")
        if not trial:
            return view
        self.trials.append(trial)
        return replace(view, trial=MockAnswer(form=trial, result=self.mocks[trial["name"]]))

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
                    [ANSWER if self.invalid else CALL, ANSWER]
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
            case _:
                raise AssertionError(action["kind"])
        return answer

    def view(
        self, serial: int, session: str | None, *, answers: tuple[ActionAnswer, ...] = ()
    ) -> LabelTabView:
        rows = tuple(
            QueueRow(
                id=name,
                title=self.titles.get(name, name),
                state=self.closed.get(name, "pending"),
                facts=self.facts.get(name, ()),
            )
            for name in SESSIONS
        )
        return LabelTabView(
            serial=serial,
            project=self.project,
            annotator="",
            rows=rows,
            first=0,
            total=self.total,
            progress="0 of 3",
            progress_lines=(),
            agreement=None,
            review=None,
            conversation=None if session is None else self.conversation(session),
            hint="",
            answers=answers,
        )

    def conversation(self, session: str) -> ConversationView:
        card = CallCard(
            index=0,
            name="get_weather",
            status="done",
            tone="clean",
            arguments=(Argument(name="city", value='"Cairo"'),),
            notes=(),
            result=self.result,
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
        return ConversationView(
            id=session,
            title=session,
            entries=entries,
            tools={"get_weather": (city, unit), "get_time": ()},
            descriptions={"get_weather": "The weather of a city.", "get_time": ""},
            mocked=tuple(self.mocks),
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
                broken=self.broken,
                is_invalid=self.invalid,
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
        results = [card.result.id for card in cards if card.result]
        added = tuple(
            self._target(session, message, place, role, is_stop=False, is_added=True)
            for name, own, place in sorted(self.saved, key=str)
            if (name, own) == (session, message) and place is not None and place >= len(cards)
        )
        return LabelEntry(
            entry=entry,
            stale=tuple(own for own in (message, *results) if own in self.stale),
            targets=(
                *calls,
                *added,
                *(self._target(session, own, None, "tool", is_stop=False) for own in results),
                message_target,
            ),
        )

    def _target(
        self, session: str, message: str, call: int | None, role: str, **more: Any
    ) -> LabelTargetView:
        label = self.saved.get((session, message, call), LabelView())
        title = f"{message} {'itself' if call is None else f'call {call}'}"
        if more.get("is_added"):
            title = f"Added call · {label.name}"
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
            correction: dict[str, Any] = value or {}
            form = correction.get("form")
            if form:
                return replace(
                    label, name=form["name"], arguments=json.dumps(form["texts"]), result=form.get("result")
                )
            return replace(label, text=correction.get("text"), name="", arguments="", result=None)
        case _:
            return replace(label, **{name: value or ("" if name != "rating" else 0)})
