"""The reference page of codes says what the table says."""

from pathlib import Path

from workbench.hermes.codes import CODES, is_guess, meaning_of

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "codes.md"


def test_the_page_is_the_table() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    written = [line for line in lines if line.startswith("| `")]
    table = [
        f"| `{code.word}` | {code.kind}{', a guess' if code.is_guess else ''} | {code.meaning} |"
        for code in CODES
    ]
    assert written == table


def test_words_are_unique() -> None:
    assert len({code.word for code in CODES}) == len(CODES)


def test_a_code_of_another_schema_keyword_has_a_meaning_too() -> None:
    assert "min-length" in meaning_of("schema-min-length")
    assert not is_guess("schema-min-length")
    assert is_guess("unescaped-quote")
