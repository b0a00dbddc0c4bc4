"""The tooltips of the page and the glossary of the documentation."""

import re
from pathlib import Path

import pytest

from workbench.ui.present.glossary_terms import TERMS

UI = Path(__file__).parents[3] / "workbench" / "ui"
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "glossary.md"
GLOSSARY = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("term", TERMS)
def test_a_tooltip_uses_the_sentence_of_the_glossary(term):
    assert TERMS[term] == GLOSSARY[term].replace("`", "")


@pytest.mark.parametrize("term", TERMS)
def test_every_term_is_used_on_the_page(term):
    files = [*UI.glob("scripts/*/*.js"), *UI.glob("tabs/**/*.py"), *UI.parent.glob("label/page/*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert (
        f'term("{term}"' in text
        or f'term="{term}"' in text
        or f', "{term}")' in text
        or f"terms.{term})" in text
    )
