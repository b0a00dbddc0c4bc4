"""The Label tab with real keys: label, correct and regenerate without the mouse, and lose nothing."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.hostile import HOSTILE, expect_harmless
from tests.e2e.play import SLOW_MS
from tests.e2e.sizes import every_size
from tests.served import Server, write_script
from tests.services import CHECKOUT
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import begin_session, run_turn
from workbench.chat.message import ToolCall
from workbench.label.records.project import Project, Question, QueueFilter
from workbench.records.label import AddedCall, Label, Verdict
from workbench.records.label_words import QueueState
from workbench.records.owner import LOCAL_OWNER
from workbench.settings import read_settings
from workbench.store.store import OwnedStore, Store
from workbench.wiring import open_services

pytestmark = pytest.mark.browser


def called(name: str, **arguments: object) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


@contextmanager
def opened(server: Server) -> Iterator[OwnedStore]:
    store = Store(f"sqlite:///{server.folder / 'data' / 'workbench.sqlite3'}")
    try:
        yield store.of(LOCAL_OWNER)
    finally:
        store.close()


class Desk:
    """The actions and contents of the tab."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page, self.server = page, server

    def open(self, session_id: str) -> "Desk":
        self.page.goto(f"{self.server.url}/?label={session_id}")
        return self.wait_for(session_id)

    def wait_for(self, session_id: str) -> "Desk":
        expect(self.page.locator("ol[data-session]")).to_have_attribute("data-session", session_id)
        expect(self.page.locator("#label-desk [aria-current=true].hw-session")).to_have_attribute(
            "data-id", session_id
        )
        return self

    def press(self, *keys: str) -> "Desk":
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def wait_until_stored(self) -> "Desk":
        """Wait until the server has confirmed every action."""
        self.page.wait_for_function(
            "!Object.keys(localStorage).some((name) => name.startsWith('hermes-workbench:label:log:'))"
        )
        return self

    @property
    def panel(self):
        return self.page.get_by_role("complementary", name="Verdict")

    @property
    def row(self):
        return self.page.get_by_role("status", name="Training row")

    def labels(self, session_id: str, project: str = "") -> list[Label]:
        with opened(self.server) as store:
            return list(store.labels.list_labels(session_id=session_id, project=project))

    def state(self, session_id: str) -> QueueState:
        with opened(self.server) as store:
            items = store.label_queues.queue(QueueFilter(), limit=1000).items
        return next(item.state for item in items if item.session_id == session_id)


def create_sessions(server: Server, folder: Path, questions: Sequence[str], *completions: str) -> str:
    """Create a session for each question in the page's database; return the id of the last one."""
    script = write_script(folder / "script.yaml", *completions)
    variables = {
        "WORKBENCH_MODEL": f"scripted:{script}",
        "WORKBENCH_DATA": str(server.folder / "data"),
        "WORKBENCH_HOME": str(CHECKOUT),
    }
    with open_services(read_settings(variables)) as services:
        for text in questions:
            setup = services.setup_for()
            session_id = begin_session(services, setup).id
            for _ in run_turn(services, TurnRequest(setup=setup, session_id=session_id, text=text)):
                pass
        again = write_script(folder / "again.yaml", "Now 27 in London.")
        services.sessions.save_setup(session_id, replace(setup, model=f"scripted:{again}"))
    return session_id


@pytest.fixture
def session(server: Server, tmp_path: Path) -> str:
    """A conversation with one call, its result and an answer, after another one in the queue."""
    call = called("get_flumbuster", flumb="cairo")
    return create_sessions(server, tmp_path, ("hello", "What is it in London?"), "Hi.", call, "31 there.")


@pytest.fixture
def desk(page: Page, server: Server, session: str) -> Desk:
    page.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    return Desk(page, server).open(session)


def test_a_conversation_without_errors_takes_two_keys(desk: Desk, session: str) -> None:
    expect(desk.panel).to_contain_text("Call 1 of 1 · get_flumbuster")
    desk.press("A", "Enter")
    expect(desk.page.locator("ol[data-session]")).not_to_have_attribute("data-session", session)
    desk.wait_until_stored()
    verdicts = {label.target.call_index: label.content.verdict for label in desk.labels(session)}
    assert verdicts == {0: Verdict.RIGHT, None: Verdict.GOOD}
    assert desk.state(session) is QueueState.DONE
    desk.press("u").wait_for(session).wait_until_stored()
    assert desk.state(session) is QueueState.DRAFT
    desk.press("u").wait_until_stored()
    assert (desk.labels(session), desk.state(session)) == ([], QueueState.PENDING)


@pytest.mark.slow
def test_verdict_rating_tag_and_comment_are_set_with_keys_and_survive_a_reload(
    desk: Desk, session: str, artifacts: Path
) -> None:
    desk.press("3", "Shift+Digit2", "t")
    desk.page.keyboard.type("jkr")
    desk.press("Enter", "Escape", "c")
    desk.page.keyboard.type("1 a r u: not London")
    desk.page.reload()
    desk.wait_for(session)
    expect(desk.panel.get_by_label("Comment")).to_have_value("1 a r u: not London")
    expect(desk.panel.get_by_role("button", name="bad arguments")).to_have_attribute("aria-pressed", "true")
    desk.press("c", "Escape", "j", "7")
    expect(desk.page.locator("li.hw-entry.r-model").last).to_contain_text("bad answer")
    desk.page.screenshot(path=artifacts / "label.png")
    desk.wait_until_stored()
    call, answer = desk.labels(session)
    assert (call.content.verdict, call.content.rating) == (Verdict.BAD_ARGUMENTS, 2)
    assert (call.content.tags, call.content.comment) == (("jkr",), "1 a r u: not London")
    assert answer.content.verdict is Verdict.BAD_ANSWER
    desk.press("u", "u")
    expect(desk.panel).to_contain_text("Call 1 of 1")
    expect(desk.panel.get_by_label("Comment")).to_have_value("")
    desk.wait_until_stored()
    assert [label.content.comment for label in desk.labels(session)] == [""]


@pytest.mark.slow
def test_a_call_is_corrected_in_a_form_and_the_messages_after_it_are_regenerated(
    desk: Desk, session: str
) -> None:
    desk.press("e")
    field = desk.panel.get_by_label("flumb", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_value("cairo")
    desk.press("Control+A")
    desk.page.keyboard.type("london")
    desk.page.reload()
    desk.wait_for(session)
    expect(desk.panel.get_by_label("flumb", exact=True)).to_have_value("london")
    desk.press("Control+Enter")
    expect(desk.page.locator(".hw-correction")).to_contain_text('get_flumbuster {"flumb": "london"}')
    expect(desk.row).to_contain_text("stale")
    expect(desk.page.locator("li.hw-entry.is-stale")).to_have_count(1)
    expect(desk.page.locator(".hw-result.is-stale")).to_have_count(1)
    desk.press("j", "g")
    expect(desk.page.locator("#label-desk")).to_contain_text("Now 27 in London.")
    expect(desk.page.locator("#label-desk .is-stale")).to_have_count(0)
    expect(desk.row).to_contain_text("0 errors")
    with opened(desk.server) as store:
        texts = [stored.message.text for stored in store.sessions.path(session)[2:]]
        [label] = store.labels.list_labels(session_id=session)
        before = [
            stored.message.text for stored in store.sessions.path(session, leaf_id=label.target.message_id)
        ]
    assert texts[0] == called("get_flumbuster", flumb="london")
    assert json.loads(texts[1])["flumb"] == "london"
    assert before[-1] == called("get_flumbuster", flumb="cairo")
    assert label.content.correction == ToolCall(name="get_flumbuster", arguments={"flumb": "london"})


@pytest.mark.slow
def test_a_missing_call_is_added_with_its_mock_and_the_answer_is_regenerated(
    desk: Desk, session: str, artifacts: Path
) -> None:
    desk.press("j", "6", "e")
    tool = desk.panel.get_by_role("combobox", name="Tool")
    expect(tool).to_be_focused()
    desk.page.keyboard.type("flumb")
    desk.press("Enter")
    expect(desk.panel.get_by_label("flumb", exact=True)).to_be_focused()
    desk.page.keyboard.type("london")
    desk.page.reload()
    desk.wait_for(session)
    expect(desk.panel.get_by_label("flumb", exact=True)).to_have_value("london")
    desk.panel.get_by_role("button", name="Use the mock").focus()
    desk.press("Enter")
    expect(desk.panel.get_by_label("Result")).to_have_value(re.compile("london"))
    desk.page.screenshot(path=artifacts / "label-missing-call.png")
    desk.press("Control+Enter")
    added = desk.page.locator(".hw-added:not(.is-free)")
    expect(added).to_contain_text("get_flumbuster")
    expect(desk.row).to_contain_text("stale")
    expect(desk.page.locator("li.hw-entry.is-stale")).to_have_count(1)
    desk.wait_until_stored()
    [label] = [label for label in desk.labels(session) if label.content.correction is not None]
    assert isinstance(label.content.correction, AddedCall)
    assert label.content.correction.is_before
    assert label.content.correction.call == ToolCall(name="get_flumbuster", arguments={"flumb": "london"})
    desk.press("j", "g")
    expect(desk.page.locator("#label-desk")).to_contain_text("Now 27 in London.")
    expect(desk.row).to_contain_text("0 errors")
    expect(added).to_have_count(0)
    with opened(desk.server) as store:
        *_, call, result, answer = [stored.message for stored in store.sessions.path(session)]
    assert [made.name for made in call.calls] == ["get_flumbuster"]
    assert result.text == label.content.correction.result
    assert answer.text == "Now 27 in London."


def test_an_answer_is_corrected_as_text_and_the_correction_is_undone(desk: Desk, session: str) -> None:
    desk.press("j", "e", "Control+A")
    desk.page.keyboard.type("  It is 27.\n")
    desk.press("Control+Enter")
    expect(desk.page.locator(".hw-correction")).to_contain_text("It is 27.")
    desk.wait_until_stored()
    [label] = desk.labels(session)
    assert label.content.correction == "  It is 27.\n"
    assert label.content.verdict is Verdict.BAD_ANSWER
    desk.press("u")
    expect(desk.page.locator(".hw-correction")).to_have_count(0)
    desk.wait_until_stored()
    assert desk.labels(session) == []


def test_a_rejected_conversation_leaves_the_queue_and_help_lists_all_keys(desk: Desk, session: str) -> None:
    desk.press("?")
    expect(desk.page.get_by_role("dialog")).to_contain_text("wrong tool")
    desk.press("r", "Escape")
    expect(desk.page.get_by_role("dialog")).to_be_hidden()
    assert desk.state(session) is QueueState.PENDING, "keys do nothing while the help is open"
    desk.press("r")
    expect(desk.page.locator("ol[data-session]")).not_to_have_attribute("data-session", session)
    desk.wait_until_stored()
    assert desk.state(session) is QueueState.DISCARDED


@pytest.mark.slow
def test_model_output_is_shown_as_text_in_every_pane(page: Page, server: Server, tmp_path: Path) -> None:
    call = called("get_flumbuster", flumb=HOSTILE)
    line = f"{HOSTILE} {'x' * 1_000_000}"
    session_id = create_sessions(server, tmp_path, (HOSTILE,), f"{HOSTILE}\n{call}", line)
    with opened(server) as store:
        question = Question(name="odd", text=HOSTILE, choices=("yes", HOSTILE))
        name = f"round {session_id[:4]}"
        store.label_projects.save_project(Project(name=name, guidelines=HOSTILE, questions=(question,)))
    page.set_default_timeout(SLOW_MS)
    desk = Desk(page, server).open(session_id)
    talk = page.get_by_role("list", name="Conversation to label")
    for role in ("user", "model"):
        expect(talk.locator(f"li.hw-entry.r-{role}").first).to_contain_text(HOSTILE)
    desk.press("e")
    expect(desk.panel.get_by_label("flumb", exact=True)).to_have_value(HOSTILE)
    desk.press("Escape", "c")
    page.keyboard.insert_text(HOSTILE)
    desk.press("Escape", "j", "e")
    expect(desk.panel.get_by_role("textbox").first).to_be_visible()
    desk.press("Escape", "Escape")
    page.locator("#label-desk").get_by_text("Filter", exact=True).click()
    page.get_by_label("Project").select_option(name)
    page.get_by_text("Guidelines").click()
    expect(page.locator(".hw-guidelines")).to_contain_text("<img src=x onerror=")
    expect_harmless(page, "#page-tab-label")


@pytest.mark.slow
def test_a_project_shows_its_guidelines_and_questions(desk: Desk, session: str) -> None:
    question = Question(name="polite", text="Is it polite?", choices=("yes", "no"), is_required=True)
    with opened(desk.server) as store:
        name = f"round {session[:4]}"
        store.label_projects.save_project(
            Project(name=name, guidelines="Be **fair**.", questions=(question,))
        )
        store.label_assignments.assign([session], ["ann"], project=name)
    desk.open(session)
    desk.page.locator("#label-desk").get_by_text("Filter", exact=True).click()
    desk.page.get_by_label("Project").select_option(name)
    desk.page.get_by_label("Your name").fill("ann")
    desk.press("Tab")
    desk.page.locator("#label-desk").get_by_text("Filter", exact=True).click()
    expect(desk.page.locator(".hw-progress")).to_have_text("0 of 1")
    desk.page.get_by_text("Guidelines").click()
    expect(desk.page.locator(".hw-guidelines")).to_contain_text("Be fair.")
    expect(desk.page.locator(".hw-guidelines strong")).to_have_text("fair")
    desk.page.locator("li.hw-entry.r-user .hw-prose").click()
    desk.press("j", "A", "Enter")
    expect(desk.page.get_by_role("alert")).to_contain_text("has no answer")
    desk.press("q")
    yes = desk.panel.get_by_role("group", name="Is it polite?").get_by_role("button", name="yes")
    expect(yes).to_have_attribute("aria-pressed", "true")
    desk.press("Enter")
    expect(desk.page.locator(".hw-progress")).to_have_text("1 of 1")
    [call] = [label for label in desk.labels(session, name) if label.content.answers]
    assert (dict(call.content.answers), call.annotator) == ({"polite": "yes"}, "ann")


@pytest.mark.slow
def test_nothing_is_cut_off_at_any_window_size(desk: Desk, session: str, artifacts: Path) -> None:
    desk.press("3", "e")
    expect(desk.page.locator(".hw-said")).to_contain_text("bad arguments")
    for _ in every_size(desk.page, artifacts, "label"):
        expect(desk.panel.get_by_label("flumb", exact=True)).to_be_visible()
