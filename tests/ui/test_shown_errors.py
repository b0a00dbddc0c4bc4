"""Handlers show an error in a notice, and leave the other values of the page as they are."""

from typing import Any

import pytest

from workbench.errors import BadInput
from workbench.ui.gradio_parts.update import SAME
from workbench.ui.incoming.refusal import MalformedEvent
from workbench.ui.present.notices import problem
from workbench.ui.shown_errors import NOTICE, shows_error
from workbench.ui.tabs.play.screen import Screen

ERROR = BadInput("message", "no session is open", "open one")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((Screen,), Screen(notice=problem(ERROR))),
        ((SAME, NOTICE, None), (SAME, problem(ERROR), None)),
        ((NOTICE,), problem(ERROR)),
    ],
)
def test_an_error_becomes_a_notice(values: tuple[Any, ...], shown: object) -> None:
    @shows_error(*values)
    def handler() -> object:
        raise ERROR

    assert handler() == shown


def test_an_answer_without_an_error_is_unchanged() -> None:
    assert shows_error(SAME, NOTICE)(lambda value: value)("text") == "text"


def test_an_event_that_cannot_come_from_the_page_stays_an_error() -> None:
    @shows_error(Screen)
    def handler() -> Screen:
        raise MalformedEvent("field 'id' is not text")

    with pytest.raises(MalformedEvent):
        handler()
