"""Answers about a session that arrive once the tab shows another one."""

from collections.abc import Iterator

import gradio as gr
import pytest

from tests.ui.requests import page_request
from workbench.ui.present.notices import advice
from workbench.ui.present.sessions import ClipboardView
from workbench.ui.tab_state import TabState
from workbench.ui.tabs.play.late_answers import of_shown_session
from workbench.ui.tabs.play.screen import Screen

COPIED = ClipboardView(text="Hello.", serial=1.0)
ANSWER = Screen(state=TabState(session_id="a", message_id="m"), copied=COPIED, notice=advice("Done."))


def on_pick(state: TabState, request: gr.Request) -> Screen:
    return ANSWER


def on_weigh(state: TabState, request: gr.Request) -> Iterator[Screen]:
    yield ANSWER


@pytest.mark.parametrize(
    ("now", "answer"),
    [
        (TabState(session_id="a", message_id="other"), ANSWER),
        (None, ANSWER),
        (TabState(session_id="b"), Screen(copied=COPIED)),
        (TabState(session_id="a", share_key="k"), Screen(copied=COPIED)),
        (TabState(), Screen(copied=COPIED)),
    ],
)
def test_only_a_copied_text_arrives_if_another_session_is_shown(now: TabState | None, answer: Screen):
    values = (TabState(session_id="a"), page_request())
    assert of_shown_session(on_pick, lambda _: now)(*values) == answer
    assert list(of_shown_session(on_weigh, lambda _: now)(*values)) == [answer]
