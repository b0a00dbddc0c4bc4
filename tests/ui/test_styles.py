"""The page's style sheets are one page: what one of them says of a class, no other says too."""

import re
from collections import defaultdict
from pathlib import Path

import workbench.ui

SHEETS = sorted(Path(workbench.ui.__file__).parent.glob("*.css"))
BARE_CLASS = re.compile(r"\s*(?:\.hw )?(\.hw-[\w-]+)\s*")
"""A selector that is one class of ours, wherever it stands on the page."""


def test_a_class_is_styled_for_the_whole_page_by_one_sheet_alone():
    sheets = defaultdict(set)
    for sheet in SHEETS:
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        for selectors in re.findall(r"([^{}]+)\{", text):
            for selector in selectors.split(","):
                if found := BARE_CLASS.fullmatch(selector):
                    sheets[found[1]].add(sheet.name)
    assert len(sheets) > 50
    assert {name: sorted(of) for name, of in sheets.items() if len(of) > 1} == {}
