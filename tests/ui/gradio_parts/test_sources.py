"""Each part that uses private parts of Gradio is up to date with the installed version."""

import json
from pathlib import Path

import gradio as gr
import pytest

from tests.ui.gradio_parts.sources import (
    RECORDED,
    cited_in,
    fingerprint,
    fingerprints,
    head_of,
    parts,
    version_in,
)

MOVED = (
    "{part} uses `{name}` of Gradio, which is not as it was. Compare it with the version that the part was written for, "
    "change the part or its first lines, and then run `python -m tests.ui.gradio_parts.sources`."
)


@pytest.mark.parametrize("part", [*parts()], ids=lambda part: part.name)
def test_a_part_says_what_it_uses_and_for_which_version(part: Path) -> None:
    head = head_of(part)
    assert version_in(head) == ".".join(gr.__version__.split(".")[:2]), part.name
    assert cited_in(head), part.name
    assert [name for name in cited_in(head) if not fingerprint(name)] == [], part.name


@pytest.mark.slow
def test_what_the_parts_use_in_gradio_is_as_it_was_when_they_were_written() -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    now = fingerprints()
    assert recorded.keys() == now.keys(), "run `python -m tests.ui.gradio_parts.sources`"
    changed = [
        MOVED.format(part=part, name=name)
        for part, names in now.items()
        for name in {**recorded[part], **names}
        if names.get(name) != recorded[part].get(name)
    ]
    assert not changed, "\n".join(changed)
