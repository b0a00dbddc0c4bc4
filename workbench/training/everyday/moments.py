"""Slots for days, times of the day and durations."""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Final

from workbench.chat.json_value import JsonObject, JsonValue
from workbench.training.everyday.spoken import DEFAULT, Slot, SlotProblem, Spoken, number_words
from workbench.training.synth import vocabulary
from workbench.training.synth.words import Dice, WordList

_TIMES: Final = re.compile(r"(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})")
_MINUTES: Final = 24 * 60
_DURATIONS: Final = re.compile(r"(\d+)-(\d+)")
_INTEGER: Final[JsonObject] = {"type": "integer"}


def _object(*names: str) -> JsonObject:
    return {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in names},
        "required": list(names),
    }


def _time(text: str, _words: WordList) -> Slot:
    match = _TIMES.fullmatch(text or "7:00-21:45")
    first, last = (int(match[place]) * 60 + int(match[place + 1]) for place in (1, 3)) if match else (0, -1)
    if not first <= last < _MINUTES:
        raise SlotProblem(f"{text!r} is not a range of times; write it as in `17:00-22:00`")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        step = dice.weighted(((30, 5.0), (15, 3.0), (60, 4.0), (5, 1.5)))
        least = -(-first // step)
        most = max(least, last // step)
        hour, minute = divmod(min(dice.between(least, most) * step, _MINUTES - 1), 60)
        return Spoken(
            request_text=_clock(dice, hour, minute),
            answer_text=f"{hour}:{minute:02d}",
            forms=_time_forms(hour, minute),
        )

    return Slot(
        schemas={
            DEFAULT: {"type": "string", "description": "HH:MM, 24 hours"},
            "seconds": {"type": "string", "description": "HH:MM:SS"},
            "am_pm": {"type": "string", "description": "12-hour clock, such as 9:30 AM"},
            "object": _object("hour", "minute"),
            "hour": {"type": "integer", "minimum": 0, "maximum": 23},
            "minute": {"type": "integer", "minimum": 0, "maximum": 59},
        },
        draw=draw,
    )


def _time_forms(hour: int, minute: int) -> Mapping[str, JsonValue]:
    half = "AM" if hour < 12 else "PM"
    return {
        DEFAULT: f"{hour:02d}:{minute:02d}",
        "seconds": f"{hour:02d}:{minute:02d}:00",
        "am_pm": f"{(hour - 1) % 12 + 1}:{minute:02d} {half}",
        "object": {"hour": hour, "minute": minute},
        "hour": hour,
        "minute": minute,
    }


def _clock(dice: Dice, hour: int, minute: int) -> str:
    """Say a time. Without the part of the day, or am or pm, words mean the time of the 24-hour clock."""
    if minute == 0 and hour in (0, 12) and dice.chance(0.6):
        return "noon" if hour else "midnight"
    twelve = (hour - 1) % 12 + 1
    half = "am" if hour < 12 else "pm"
    digits = f"{hour}:{minute:02d}"
    ways = [digits, digits, digits if hour > 9 else f"0{digits}"]
    short = str(twelve) if minute == 0 else f"{twelve}:{minute:02d}"
    ways += [f"{short} {half}", f"{short}{half}", short.replace(":", ".") + half]
    words = _clock_words(twelve, minute)
    if words and hour not in (0, 12):
        part = "in the morning" if hour < 12 else "in the afternoon" if hour < 17 else "in the evening"
        ways += [f"{words} {part}"] * 2
        if hour < 12:
            ways += [words] * 2
    return dice.pick(ways)


def _clock_words(twelve: int, minute: int) -> str:
    following = number_words(twelve % 12 + 1)
    hour = number_words(twelve)
    match minute:
        case 0:
            return f"{hour} o'clock"
        case 15:
            return f"quarter past {hour}"
        case 30:
            return f"half past {hour}"
        case 45:
            return f"quarter to {following}"
        case 5 | 10 | 20:
            return f"{number_words(minute)} past {hour}"
        case 40 | 50 | 55:
            return f"{number_words(60 - minute)} to {following}"
        case _:
            return ""


_ANYWHERE: Final = date(2026, 6, 15)
"""The day that dates are near if today's date is not known. They are then said with their year."""


def _date(text: str, _words: WordList) -> Slot:
    if text not in ("", "past", "near", "counted"):
        raise SlotProblem(
            f"{text!r} is not a range of days; write `date`, `date near` (a week), `date counted` or `date past`"
        )

    def draw(dice: Dice, today: date | None) -> Spoken:
        if today is None:
            day = _ANYWHERE + timedelta(days=dice.between(-300, 300))
            return _absolute(dice, day, has_year=True)
        if text == "past":
            return _past(dice, today)
        if text == "counted":
            return _counted(dice, today)
        relative = dice.weighted(((True, 6.0 if text else 4.0), (False, 0.0 if text else 3.0)))
        return _near(dice, today) if relative else _later(dice, today)

    return Slot(
        schemas={
            DEFAULT: {"type": "string", "description": "YYYY-MM-DD"},
            "format": {"type": "string", "format": "date"},
            "object": _object("year", "month", "day"),
            "dmy": {"type": "string", "description": "DD/MM/YYYY"},
            "mdy": {"type": "string", "description": "MM/DD/YYYY"},
            "year": _INTEGER,
            "month": {"type": "integer", "minimum": 1, "maximum": 12},
            "day": {"type": "integer", "minimum": 1, "maximum": 31},
        },
        draw=draw,
        styles=frozenset({"on"}),
    )


def _spoken_day(day: date, request_text: str, *, answer_text: str = "", takes_on: bool) -> Spoken:
    answer_text = answer_text or request_text
    return Spoken(
        request_text=request_text,
        answer_text=answer_text,
        styles={
            "on": f"on {request_text}" if takes_on else request_text,
            "answer on": f"on {answer_text}" if takes_on else answer_text,
        },
        forms={
            DEFAULT: day.isoformat(),
            "format": day.isoformat(),
            "object": {"year": day.year, "month": day.month, "day": day.day},
            "dmy": f"{day.day:02d}/{day.month:02d}/{day.year}",
            "mdy": f"{day.month:02d}/{day.day:02d}/{day.year}",
            "year": day.year,
            "month": day.month,
            "day": day.day,
        },
    )


def _near(dice: Dice, today: date) -> Spoken:
    kind = dice.weighted((("tomorrow", 3.0), ("today", 1.0), ("after", 1.0), ("weekday", 3.0), ("in", 0.7)))
    match kind:
        case "tomorrow":
            return _spoken_day(today + timedelta(days=1), "tomorrow", takes_on=False)
        case "today":
            return _spoken_day(today, "today", takes_on=False)
        case "after":
            return _spoken_day(today + timedelta(days=2), "the day after tomorrow", takes_on=False)
        case "in":
            days = dice.pick((2, 3, 4, 5, 7))
            request_text = "in a week" if days == 7 else f"in {number_words(days)} days"
            return _spoken_day(today + timedelta(days=days), request_text, takes_on=False)
        case _:
            day = today + timedelta(days=dice.between(1, 6))
            name = vocabulary.DAYS[day.weekday()]
            if dice.chance(0.15):
                return _spoken_day(day, f"this {name}", answer_text=name, takes_on=False)
            return _spoken_day(day, name, takes_on=True)


def _counted(dice: Dice, today: date) -> Spoken:
    """Draw a day that has to be computed from today's date, often across the end of a month."""
    is_weeks = dice.chance(0.3)
    count = dice.between(1, 6) if is_weeks else dice.between(2, 20)
    written = str(count) if dice.chance(0.4) or count > 12 else number_words(count)
    unit = ("week" if is_weeks else "day") + ("" if count == 1 else "s")
    request_text = dice.pick(("in {} {}", "in {} {}", "{} {} from now", "{} {} from today")).format(
        written, unit
    )
    return _spoken_day(today + timedelta(days=count * (7 if is_weeks else 1)), request_text, takes_on=False)


def _past(dice: Dice, today: date) -> Spoken:
    kind = dice.weighted((("yesterday", 3.0), ("before", 1.0), ("weekday", 2.0), ("ago", 1.0), ("date", 3.0)))
    match kind:
        case "yesterday":
            return _spoken_day(today - timedelta(days=1), "yesterday", takes_on=False)
        case "before":
            return _spoken_day(today - timedelta(days=2), "the day before yesterday", takes_on=False)
        case "ago":
            days = dice.pick((3, 4, 5, 7))
            request_text = "a week ago" if days == 7 else f"{number_words(days)} days ago"
            return _spoken_day(today - timedelta(days=days), request_text, takes_on=False)
        case "weekday":
            day = today - timedelta(days=dice.between(1, 6))
            return _spoken_day(day, f"last {vocabulary.DAYS[day.weekday()]}", takes_on=False)
        case _:
            return _absolute(dice, today - timedelta(days=dice.between(8, 120)), has_year=dice.chance(0.3))


def _later(dice: Dice, today: date) -> Spoken:
    return _absolute(dice, today + timedelta(days=dice.between(7, 120)), has_year=dice.chance(0.25))


def _absolute(dice: Dice, day: date, *, has_year: bool) -> Spoken:
    month = vocabulary.MONTHS[day.month - 1]
    nth = f"{day.day}{_ending(day.day)}"
    ways = [
        f"{day.day} {month}",
        f"{month} {day.day}",
        f"{month} {nth}",
        f"the {nth} of {month}",
        f"{nth} {month}",
    ]
    request_text = dice.pick(ways)
    if has_year:
        comma = "," if request_text.startswith(month) else ""
        request_text = day.isoformat() if dice.chance(0.3) else f"{request_text}{comma} {day.year}"
    return _spoken_day(day, request_text, answer_text=f"{day.day} {month}", takes_on=True)


def _ending(day: int) -> str:
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _weekday(_text: str, _words: WordList) -> Slot:
    def draw(dice: Dice, today: date | None) -> Spoken:
        place = dice.between(0, 6)
        name = vocabulary.DAYS[place]
        request_text, takes_on = name, True
        if today is not None and place == (today.weekday() + 1) % 7 and dice.chance(0.6):
            request_text, takes_on = "tomorrow", False
        on = f"on {request_text}" if takes_on else request_text
        return Spoken(
            request_text=request_text,
            answer_text=name,
            styles={"on": on, "answer on": f"on {name}"},
            forms={
                DEFAULT: name.lower(),
                "name": name,
                "short": name[:3].lower(),
                "number": place + 1,
            },
        )

    names: list[JsonValue] = [name.lower() for name in vocabulary.DAYS]
    return Slot(
        schemas={
            DEFAULT: {"type": "string", "enum": names},
            "name": {"type": "string", "description": "day of the week"},
            "short": {"type": "string", "enum": [str(name)[:3] for name in names]},
            "number": {"type": "integer", "description": "1 is Monday, 7 is Sunday"},
        },
        draw=draw,
        styles=frozenset({"on"}),
    )


_ROUND: Final = (
    1,
    2,
    3,
    4,
    5,
    6,
    8,
    10,
    12,
    15,
    20,
    25,
    30,
    35,
    40,
    45,
    50,
    60,
    75,
    90,
    105,
    120,
    150,
    180,
    240,
    300,
)
_NAMED: Final[Mapping[int, tuple[str, ...]]] = {
    15: ("a quarter of an hour",),
    30: ("half an hour", "half an hour"),
    45: ("three quarters of an hour",),
    60: ("an hour", "one hour"),
    90: ("an hour and a half", "one and a half hours"),
    150: ("two and a half hours",),
}


def _duration(text: str, _words: WordList) -> Slot:
    match = _DURATIONS.fullmatch(text or "5-120")
    if match is None:
        raise SlotProblem(f"{text!r} is not a range of minutes; write it as in `5-120`")
    minutes_allowed = [minutes for minutes in _ROUND if int(match[1]) <= minutes <= int(match[2])]
    if not minutes_allowed:
        raise SlotProblem(f"{text!r} has no round number of minutes")

    def draw(dice: Dice, _today: date | None) -> Spoken:
        minutes = dice.pick(minutes_allowed)
        hours, rest = divmod(minutes, 60)
        forms: dict[str, JsonValue] = {
            DEFAULT: minutes,
            "seconds": minutes * 60,
            "hours": hours if rest == 0 else round(minutes / 60, 2),
            "object": {"hours": hours, "minutes": rest},
            "iso": "PT" + (f"{hours}H" if hours else "") + (f"{rest}M" if rest else ""),
            "text": _whole_duration(minutes),
        }
        return Spoken(
            request_text=dice.pick(_durations(minutes)), answer_text=_whole_duration(minutes), forms=forms
        )

    return Slot(
        schemas={
            DEFAULT: {"type": "integer", "description": "in minutes"},
            "seconds": {"type": "integer", "description": "in seconds"},
            "hours": {"type": "number", "description": "in hours"},
            "object": _object("hours", "minutes"),
            "iso": {"type": "string", "description": "ISO 8601 duration, such as PT45M"},
            "text": {"type": "string", "description": "such as 45 minutes"},
        },
        draw=draw,
    )


def _whole_duration(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    hour_text = f"{hours} hour{'' if hours == 1 else 's'}" if hours else ""
    minute_text = f"{rest} minute{'' if rest == 1 else 's'}" if rest else ""
    return " ".join(part for part in (hour_text, minute_text) if part)


def _durations(minutes: int) -> list[str]:
    ways = [_whole_duration(minutes), *_NAMED.get(minutes, ())]
    hours, rest = divmod(minutes, 60)
    if minutes < 60 and minutes != 1:
        ways += [f"{minutes} min", f"{minutes} mins", f"{number_words(minutes)} minutes"]
    elif hours > 1 and not rest:
        ways += [f"{number_words(hours)} hours", f"{hours}h"]
    elif hours and rest:
        ways += [f"{hours}h {rest}", f"{minutes} minutes"]
    return ways


MOMENT_KINDS: Final[Mapping[str, Callable[[str, WordList], Slot]]] = {
    "time": _time,
    "date": _date,
    "weekday": _weekday,
    "duration": _duration,
}
"""The kinds of slots for days, times and durations, by name."""
