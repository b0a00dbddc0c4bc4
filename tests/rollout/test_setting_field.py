"""Parsing numbers within a range, and everything else."""

import pytest

from workbench.errors import BadInput
from workbench.rollout.sampling import number_range
from workbench.rollout.setting_field import NumberRange

TEMPERATURE, SEED, MAX_TOKENS = (number_range(name) for name in ("temperature", "seed", "max_tokens"))


@pytest.mark.parametrize(
    ("numbers", "value"),
    [(TEMPERATURE, 0), (TEMPERATURE, 0.75), (TEMPERATURE, 5), (number_range("frequency_penalty"), -2)],
)
def test_a_number_within_the_range_is_returned_unchanged(numbers: NumberRange, value: float):
    assert numbers.parse(value) == value


def test_a_whole_number_is_an_integer_even_if_sent_as_a_float():
    assert repr(MAX_TOKENS.whole(256.0)) == "256"


@pytest.mark.parametrize(
    ("numbers", "value", "message"),
    [
        (MAX_TOKENS, 0, "field 'max tokens': 0 is less than 1 (write a whole number from 1 to 32,768)"),
        (MAX_TOKENS, 2.5, "field 'max tokens': 2.5 is not a whole number (write a whole number from 1 to 32,768)"),
        (SEED, 2**31, "field 'seed': 2147483648 is more than 2,147,483,647 (write a whole number from 0 to 2,147,483,647)"),
        (TEMPERATURE, -0.1, "field 'temperature': -0.1 is less than 0 (write a number from 0 to 5)"),
        (TEMPERATURE, None, "field 'temperature': it is empty (write a number from 0 to 5)"),
        (TEMPERATURE, float("nan"), "field 'temperature': it is empty (write a number from 0 to 5)"),
        (TEMPERATURE, "1", "field 'temperature': it is empty (write a number from 0 to 5)"),
    ],
)  # fmt: skip
def test_an_invalid_number_is_reported_with_the_field_and_the_range(numbers, value, message):
    with pytest.raises(BadInput) as caught:
        numbers.parse(value)
    assert str(caught.value) == message


def test_a_prefix_distinguishes_fields_of_the_same_name():
    with pytest.raises(BadInput, match=r"^column B, field 'seed': it is empty"):
        SEED.whole(None, "column B, ")
