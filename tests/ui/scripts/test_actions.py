"""The log of actions and its sender, without a page around them: each action is sent until it is confirmed."""

from typing import Any

import pytest

from tests.ui.scripts.component import Component
from workbench.ui.script_files import scripts_address

pytestmark = pytest.mark.browser

BEGIN = """async address => {
  const { default: scripts } = await import(new URL(address, location));
  const log = scripts.action_log.createLog("test:");
  const sent = [];
  const lost = [];
  const sender = scripts.sender.createSender({
    log,
    fieldsOf: () => window.isReady && { place: "here" },
    send: ({ serial, actions, place }) => sent.push([serial, actions.map((action) => action.what), place]),
    onLost: () => lost.push(1),
  });
  Object.assign(window, { log, sender, sent, lost, isReady: true });
  window.add = (what) => { log.add({ what, owner: "ann" }); sender.sync(); };
  window.confirm = (serial) => { const command = sender.take(serial); log.drop(command.actions); sender.sync(); };
  window.pending = () => log.pending().map((action) => action.what);
}"""


class Actions:
    """A log with its sender on an empty page. `run` is JavaScript."""

    def __init__(self, component: Component) -> None:
        self.page = component.page
        component.page.clock.install()
        self.begin()

    def begin(self) -> None:
        self.page.evaluate(BEGIN, scripts_address())

    def run(self, script: str) -> Any:
        return self.page.evaluate(script)

    @property
    def sent(self) -> list[Any]:
        """The number, the actions and the place of each command since the last call."""
        return self.run("sent.splice(0)")


@pytest.fixture
def actions(component: Component) -> Actions:
    return Actions(component)


def test_what_is_added_while_a_command_waits_is_sent_after_its_answer(actions: Actions) -> None:
    actions.run("add('a'); add('b'); add('c')")
    assert actions.sent == [[1, ["a"], "here"]]
    actions.run("confirm(1)")
    assert actions.sent == [[2, ["b", "c"], "here"]]
    actions.run("confirm(2)")
    assert actions.sent == []
    assert actions.run("pending()") == []


def test_a_command_without_an_answer_is_sent_again_under_another_number(actions: Actions) -> None:
    actions.run("add('a')")
    actions.page.clock.run_for(10_500)
    assert actions.sent == [[1, ["a"], "here"], [2, ["a"], "here"]]
    assert actions.run("lost.length") == 1
    assert actions.run("sender.take(1)") is None
    actions.run("confirm(2)")
    actions.page.clock.run_for(30_000)
    assert actions.sent == []


def test_an_answer_that_may_be_hidden_is_asked_for_soon(actions: Actions) -> None:
    actions.run("sender.ask(); sender.expectLoss()")
    actions.page.clock.run_for(2_000)
    assert actions.sent == [[1, [], "here"], [2, [], "here"]]
    assert actions.run("lost.length") == 0


def test_nothing_is_sent_before_the_page_is_ready_or_while_something_else_works(actions: Actions) -> None:
    actions.run("isReady = false; add('a')")
    assert actions.sent == []
    actions.run("isReady = true; sender.begin({ place: 'model' }); sender.ask()")
    actions.page.clock.run_for(60_000)
    assert actions.sent == []
    assert actions.run("sender.take(1).place") == "model"
    actions.run("sender.sync()")
    assert actions.sent == [[2, ["a"], "here"]]


def test_what_an_earlier_page_left_is_taken_over_by_its_account_only(actions: Actions) -> None:
    actions.run("add('a')")
    assert actions.run("log.isAtRisk()") is False
    actions.page.reload()
    actions.begin()
    actions.run("log.adopt('ben')")
    assert actions.run("pending()") == []
    actions.run("log.adopt('ann'); log.adopt('ann')")
    assert actions.run("pending()") == ["a"]


def test_an_action_that_is_stored_nowhere_is_at_risk(actions: Actions) -> None:
    actions.run("Storage.prototype.setItem = () => { throw new Error('full'); }; add('a')")
    assert actions.run("log.isAtRisk()") is True
    actions.run("confirm(1)")
    assert actions.run("log.isAtRisk()") is False
