"""The page's style sheets apply to the whole page, so each class is styled in one of them only."""

import re
from collections import defaultdict
from pathlib import Path

import workbench.ui

SHEETS = sorted(Path(workbench.ui.__file__).parent.glob("styles/*.css"))
BARE_CLASS = re.compile(r"\s*(?:\.hw )?(\.hw-[\w-]+)\s*")
"""A selector of a single class of ours, without a context."""


def test_each_class_is_styled_by_a_single_style_sheet():
    sheets = defaultdict(set)
    for sheet in SHEETS:
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        for selectors in re.findall(r"([^{}]+)\{", text):
            for selector in selectors.split(","):
                if found := BARE_CLASS.fullmatch(selector):
                    sheets[found[1]].add(sheet.name)
    assert len(sheets) > 50
    assert {name: sorted(of) for name, of in sheets.items() if len(of) > 1} == {}
