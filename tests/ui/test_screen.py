"""What an answer changes on the screen."""

from workbench.ui.present.raw import RawView
from workbench.ui.tabs.play.screen import SAME, Screen, apart


def test_an_empty_answer_stands_between_two_that_change_lists_within_lists():
    raw = Screen(raw=RawView())
    other = Screen(composer="text")
    assert list(apart([raw, raw, other, raw])) == [raw, Screen(), raw, other, raw]
    assert Screen().raw is SAME
