"""The filter above the list of sessions."""

from datetime import UTC, datetime

import pytest

from workbench.errors import BadInput
from workbench.records.session_tree import NO_FILTER, SearchFilter
from workbench.ui.present.sessions import read_filter


@pytest.mark.parametrize("text", ["", "{}", '{"tag": " ", "has_fix": ""}'])
def test_an_empty_filter_sets_no_condition(text):
    assert read_filter(text) == NO_FILTER


def test_each_field_sets_its_condition():
    text = '{"has_fix": "yes", "has_drop": "no", "verdict": "right", "tag": "a b", "since": "2026-11-21"}'
    assert read_filter(text) == SearchFilter(
        has_fix=True, has_drop=False, verdict="right", tag="a b", since=datetime(2026, 11, 21, tzinfo=UTC)
    )


def test_an_invalid_date_is_reported():
    with pytest.raises(BadInput, match="not a date"):
        read_filter('{"until": "soon"}')
