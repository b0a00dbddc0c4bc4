"""The filter above the list of sessions."""

from datetime import UTC, datetime

import pytest

from workbench.errors import BadInput
from workbench.records.session_tree import NO_FILTER, SearchFilter
from workbench.ui.present.sessions import read_filter


@pytest.mark.parametrize("text", ["", "{}", '{"tag": " ", "has_fix": ""}'])
def test_nothing_chosen_asks_nothing(text):
    assert read_filter(text) == NO_FILTER


def test_each_choice_asks_for_what_it_says():
    text = '{"has_fix": "yes", "has_drop": "no", "verdict": "right", "tag": "a b", "since": "2026-11-21"}'
    assert read_filter(text) == SearchFilter(
        has_fix=True, has_drop=False, verdict="right", tag="a b", since=datetime(2026, 11, 21, tzinfo=UTC)
    )


def test_what_is_no_date_is_told():
    with pytest.raises(BadInput, match="no date"):
        read_filter('{"until": "soon"}')
