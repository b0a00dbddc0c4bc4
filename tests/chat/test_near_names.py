"""A misspelled name leads to the name that was meant."""

import pytest

from workbench.chat.near_names import did_you_mean, nearest_name

NAMES = ("get_temperature", "get_weather", "hermes-3", "city")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("get_temprature", "get_temperature"),
        ("Get-Weather", "get_weather"),
        ("hermes3", "hermes-3"),
        ("citty", "city"),
        ("zzz", ""),
        ("", ""),
        ("x" * 100_000, ""),
    ],
)
def test_the_nearest_name_is_found(name, near):
    assert nearest_name(name, NAMES) == near


def test_the_question_is_asked_only_if_a_name_is_near():
    assert did_you_mean("citty", NAMES) == "did you mean 'city'?"
    assert did_you_mean("zzz", NAMES, otherwise="use city") == "use city"
