"""What a client changes in each request is masked or left out, and nothing else is."""

import time

import pytest

from workbench.records.stamps import first_difference, mask_moments, mask_numbers, without_stamp


@pytest.mark.parametrize(
    "moment",
    [
        "12:00", "12:00:01", "9:05 AM", "12:00:01.123Z", "12:00 UTC", "2026-11-27", "2026-11-27T12:00:01+01:00",
        "2026-11-27 12:00:01", "27.11.2026", "11/27/26", "1764259200", "1764259200123456789", "November 27, 2026",
        "27 Nov 2026", "the 27th of November", "Nov. 27", "Friday", "Fri",
    ],
)  # fmt: skip
def test_a_moment_is_masked(moment: str) -> None:
    masked = mask_moments(f"It is {moment} now.")
    assert not any(char.isdigit() for char in masked) and "Nov" not in masked and "Fri" not in masked
    assert mask_moments(f"It is {moment} now.") == mask_moments(f"It is {moment} now.").replace(moment, "#")


@pytest.mark.parametrize(
    "text",
    ["You are worker 2.", "Use version 3.11.7 or 10.0.0.1:80.", "You may march on.", "In 2026, at 80 %."],
)
def test_other_numbers_and_words_are_no_moments(text: str) -> None:
    assert mask_moments(text) == text
    assert any(char.isdigit() for char in text) == (mask_numbers(text) != text)


def test_the_difference_is_named() -> None:
    assert first_difference("Turn 3, 12:00", "Turn 3, 12:01") == ("12:00", "12:01")
    assert first_difference("Turn 3", "Turn 3") is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Weather? <now>1764259200123456789</now>", "Weather?"),
        ("<current_time>2026-11-27 12:00</current_time>\nWeather?", "Weather?"),
        ("[Fri 2026-11-27 12:00 UTC] Weather?", "Weather?"),
        ("Current date and time: Friday, November 27, 2026, 12:00\n\nWeather?", "Weather?"),
        ("Weather?\n\nThe current time is 12:00:01 UTC.", "Weather?"),
        ("  Weather?  \n", "Weather?"),
    ],
)
def test_a_stamp_is_left_out(text: str, rest: str) -> None:
    assert without_stamp(text).text == rest


@pytest.mark.parametrize(
    "text",
    [
        "Weather in 2 days?", "Remind me at 12:00", "Book a table [for 2, 12:00]", "<note>12:00</note> Weather?",
        "12:00", "<time>12:00</time>", "Meeting\ntoday at 12:00", "Reservation\nTime: 12:00", "Now: call Bob at 12:00",
        "[see 2026-11-27.log] Why?", "now", "[]", "<now></now> Weather?",
    ],
)  # fmt: skip
def test_what_a_user_said_stays(text: str) -> None:
    assert without_stamp(text) == (text, "")


@pytest.mark.parametrize(
    "text",
    ["<" + "now" * 100_000, "<now>" * 50_000 + ">", "[" * 200_000 + "]", "now " * 50_000 + ":", "a\n" * 100_000 + "now:"],
    ids=["name", "elements", "brackets", "labels", "lines"],
)  # fmt: skip
def test_a_long_text_takes_no_longer_than_its_length(text: str) -> None:
    started = time.process_time()
    without_stamp(text)
    mask_numbers(text)
    assert time.process_time() - started < 2
