"""Names that look the same are the same, and nothing in a name is invisible."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.names import hidden_character, known_name, name_key, shown_title, usable_name, usable_tags

HIDDEN = [
    ("a\u202eb", "character 2 changes the direction of the text (U+202E RIGHT-TO-LEFT OVERRIDE)"),
    ("ab\u2066", "character 3 changes the direction of the text (U+2066 LEFT-TO-RIGHT ISOLATE)"),
    ("\u200fa", "character 1 changes the direction of the text (U+200F RIGHT-TO-LEFT MARK)"),
    ("a\u061cb", "character 2 changes the direction of the text (U+061C ARABIC LETTER MARK)"),
    ("a\u200bb", "character 2 is an invisible character (U+200B ZERO WIDTH SPACE)"),
    ("a\u200db", "character 2 is an invisible character (U+200D ZERO WIDTH JOINER)"),
    ("a\u00adb", "character 2 is an invisible character (U+00AD SOFT HYPHEN)"),
    ("\ufeffa", "character 1 is an invisible character (U+FEFF ZERO WIDTH NO-BREAK SPACE)"),
    ("a\u3164", "character 2 is an invisible character (U+3164 HANGUL FILLER)"),
    ("a\u2800", "character 2 is an invisible character (U+2800 BRAILLE PATTERN BLANK)"),
    ("a\ufe0f", "character 2 is an invisible character (U+FE0F VARIATION SELECTOR-16)"),
    ("a\U000e0061", "character 2 is an invisible character (U+E0061 TAG LATIN SMALL LETTER A)"),
    ("a\u00a0b", "character 2 is a special space (U+00A0 NO-BREAK SPACE)"),
    ("a\u2028b", "character 2 is a line break (U+2028 LINE SEPARATOR)"),
    ("a\x1b[31mb", "character 2 is a control character (U+001B)"),
    ("a\ue000", "character 2 is a private character (U+E000)"),
    ("a\ufffe", "character 2 is not a character (U+FFFE)"),
    ("\uffffa", "character 1 is not a character (U+FFFF)"),
    ("a\ufdd0", "character 2 is not a character (U+FDD0)"),
    ("a\U0010ffff", "character 2 is not a character (U+10FFFF)"),
    ("a\ufff0", "character 2 is not a character (U+FFF0)"),
    ("a\U000e0fff", "character 2 is not a character (U+E0FFF)"),
    ("a\u2065", "character 2 is an invisible character (U+2065)"),
    ("a\ufffc", "character 2 is an invisible character (U+FFFC OBJECT REPLACEMENT CHARACTER)"),
    ("1\ufe0f", "character 2 is an invisible character (U+FE0F VARIATION SELECTOR-16)"),
    ("a\ufe0f\u20e3", "character 2 is an invisible character (U+FE0F VARIATION SELECTOR-16)"),
    (
        "🏴\U000e0067\U000e007f",
        "character 2 is an invisible character (U+E0067 TAG LATIN SMALL LETTER G)",
    ),
]
VISIBLE = [
    "",
    "minimal",
    "my tools v2",
    "Größe",
    "e\u0301",
    "天気",
    "مرحبا",
    "🦉",
    "👩🏽‍💻",
    "❤️",
    "می‌خواهم",
    "क्‍ष",
    "🏳️‍🌈",
    "1️⃣ first",
    "#️⃣",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "🇫🇷",
    "‼️",
    "ℹ️",
    "〰️",
    "🏃🏽‍♂️",
]


@pytest.mark.parametrize(("name", "problem"), HIDDEN)
def test_a_hidden_character_is_refused_with_its_place(name: str, problem: str) -> None:
    assert hidden_character(name) == problem
    with pytest.raises(BadInput) as caught:
        usable_name(name, "contract")
    assert problem in str(caught.value)
    assert hidden_character(str(caught.value)) is None


@pytest.mark.parametrize("name", VISIBLE)
def test_visible_names_of_all_languages_are_usable(name: str) -> None:
    assert usable_name(name, "x") == unicodedata.normalize("NFC", name)
    assert shown_title(name) == name


@given(text=st.text())
def test_a_title_made_from_any_text_has_nothing_hidden(text: str) -> None:
    # A joiner that loses its neighbours becomes hidden itself.
    shown = shown_title(shown_title(text))
    assert hidden_character(shown) is None or len(shown) < len(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Minimal", "minimal"),
        ("é", "e\u0301"),
        ("É", "e\u0301"),
        ("STRASSE", "straße"),
        ("ΣΑΣ", "σας"),
        ("🦉", "🦉\ufe0f"),
        ("🦉🦉", "🦉\u200d🦉"),
        ("1️⃣", "1⃣"),
    ],
)
def test_names_that_a_file_system_may_take_for_one_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_a_known_name_is_found_in_each_spelling_of_its_accents() -> None:
    assert known_name("e\u0301", ["a", "é"], "contract") == "é"
    assert known_name("é", ["a", "e\u0301"], "contract") == "e\u0301"
    assert known_name("e\u0301", ["a"], "contract") == "é"


def test_a_name_that_differs_only_in_case_is_refused_and_known_names_stay() -> None:
    with pytest.raises(BadInput, match="contract 'minimal': it differs from 'Minimal' only in case"):
        known_name("minimal", ["Minimal"], "contract")
    with pytest.raises(BadInput, match="only in a character that joins others"):
        known_name("🦉\ufe0f", ["🦉"], "contract")
    assert known_name("minimal", ["Minimal", "minimal"], "contract") == "minimal"
    assert known_name("a\u202eb", ["a\u202eb"], "contract") == "a\u202eb"


def test_tags_are_cleaned() -> None:
    assert usable_tags([" a ", "", "e\u0301", "é", "a"]) == ("a", "é")
    with pytest.raises(BadInput, match="character 2 is an invisible"):
        usable_tags(["a\u200bb"])
