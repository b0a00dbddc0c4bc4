"""Values of everyday tools: what people and answers say for them, and their forms for schemas."""

from datetime import date, timedelta

from workbench.toolspec.check import check_arguments
from workbench.toolspec.spec import ToolSpec
from workbench.training.everyday.moments import MOMENT_KINDS
from workbench.training.everyday.plain_kinds import PLAIN_KINDS
from workbench.training.everyday.sentences import parse_sentence, write_answer
from workbench.training.synth.words import Dice, WordList, WordSplit


def test_an_answer_that_begins_with_an_address_or_a_path_keeps_its_small_letter():
    for text in (
        "mia@example.net has it",
        "notes/todo.md is there",
        "example.org is up",
        "my-shop.example is up",
        "c:\\logs is full",
    ):
        assert write_answer(parse_sentence(text).drawn(Dice(0), frozenset()), {}) == text
    assert write_answer(parse_sentence("it is on. Done").drawn(Dice(0), frozenset()), {}) == "It is on. Done"


def test_tomorrow_is_the_day_after_the_date_of_the_system_text():
    slot = MOMENT_KINDS["date"]("near", WordList(WordSplit.TRAIN))
    today = date(2026, 2, 28)
    drawn = [slot.draw(Dice(place), today) for place in range(200)]
    tomorrow = [spoken for spoken in drawn if spoken.request_text == "tomorrow"]
    assert tomorrow
    assert {spoken.forms["is"] for spoken in tomorrow} == {(today + timedelta(days=1)).isoformat()}
    on_friday = [spoken for spoken in drawn if spoken.request_text == "Friday"]
    assert {(spoken.forms["is"], spoken.styles["on"]) for spoken in on_friday} == {
        ("2026-03-06", "on Friday")
    }


def test_times_durations_and_amounts_have_the_forms_of_schemas():
    words = WordList(WordSplit.TRAIN)

    def spoken(kind, text, request_text):
        slot = {**PLAIN_KINDS, **MOMENT_KINDS}[kind](text, words)
        return next(
            value
            for place in range(3000)
            if (value := slot.draw(Dice(place), None)).request_text == request_text
        ).forms

    half_past = spoken("time", "7:00-21:45", "half past nine")
    assert (half_past["is"], half_past["object"]) == ("09:30", {"hour": 9, "minute": 30})
    assert spoken("time", "7:00-21:45", "7.30pm")["is"] == "19:30"
    assert spoken("people", "1-8", "three of us")["is"] == 3
    assert spoken("duration", "5-120", "an hour and a half")["seconds"] == 5400
    assert spoken("money", "5-200", "20 quid")["object"] == {"amount": 20, "currency": "GBP"}
    assert spoken("percent", "", "twenty percent")["fraction"] == 0.2


def test_each_kind_of_slot_draws_values_of_its_schemas():
    words = WordList(WordSplit.TRAIN)
    for kind, make in {**PLAIN_KINDS, **MOMENT_KINDS}.items():
        slot = make("AB-###" if kind == "code" else "", words)
        for place in range(40):
            drawn = slot.draw(Dice(kind, place), date(2026, 12, 30) if place % 2 else None)
            assert drawn.forms.keys() == slot.schemas.keys(), kind
            for form, schema in slot.schemas.items():
                spec = ToolSpec.of_function(
                    {"name": "f", "parameters": {"type": "object", "properties": {"x": schema}}}
                )
                assert not check_arguments(spec, {"x": drawn.forms[form]}), (kind, form)
