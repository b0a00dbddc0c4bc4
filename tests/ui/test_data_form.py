"""The form of the page Export."""

import pytest

from workbench.ui.tabs.data.form import ANY, OPTIONS, RAW, STRICT, STRIP, DataForm

FIELDS = {
    **dict.fromkeys(DataForm._fields, ""),
    **dict.fromkeys(("verdict", "min_rating", "state", "source"), ANY),
    "format": "trl",
    "ending": "jsonl",
    "included": (),
    "seed": 0,
}


@pytest.mark.parametrize("chosen", [(), (STRICT,), (RAW,), (STRIP,), OPTIONS])
def test_each_option_of_the_export_is_read(chosen):
    options = DataForm(**{**FIELDS, "options": chosen}).export_options()
    read = {
        STRICT: options.is_strict,
        RAW: options.is_raw,
        STRIP: options.row_options.strips_tool_prompt,
    }
    assert {name for name, is_on in read.items() if is_on} == read.keys() & set(chosen)


def test_session_traces_and_splits_are_several_files_in_the_folder():
    for fields, out in (
        ({}, "/tmp/x/rows.jsonl"),
        ({"split": "train=0.9,test=0.1"}, "/tmp/x"),
        ({"format": "session-trace"}, "/tmp/x"),
    ):
        assert DataForm(**{**FIELDS, "options": (), **fields}).target("/tmp/x").out == out
