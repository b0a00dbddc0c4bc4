"""Secrets and personal data are found in every spelling and in any surroundings, and alike in one text and in many."""

import random
from string import ascii_letters, digits

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.trajectory.validate import secrets
from workbench.trajectory.validate.secrets import may_have_secrets, secrets_in

SEPARATORS = st.sampled_from(["", " ", "-"])


def luhn(number: str) -> str:
    """Return the number with its Luhn digit."""
    total = sum(sum(divmod(int(digit) * (2 - place % 2), 10)) for place, digit in enumerate(reversed(number)))
    return number + str(-total % 10)


@st.composite
def cards(draw) -> str:
    number = luhn(
        draw(st.sampled_from("3456"))
        + "".join(draw(st.lists(st.sampled_from(digits), min_size=14, max_size=14)))
    )
    first, second, third = draw(SEPARATORS), draw(SEPARATORS), draw(SEPARATORS)
    return number[:4] + first + number[4:8] + second + number[8:12] + third + number[12:]


@st.composite
def accounts(draw) -> str:
    body = "".join(draw(st.lists(st.sampled_from(digits), min_size=18, max_size=18)))
    check = 98 - int(body + "131400") % 97
    account = f"DE{check:02}{body}"
    return " ".join(account[i : i + 4] for i in range(0, 22, 4)) if draw(st.booleans()) else account


@st.composite
def phones(draw) -> str:
    area, end = draw(st.integers(234, 499)), f"{draw(st.integers(2, 9))}{draw(st.integers(3100, 3999))}"
    exchange = draw(st.integers(634, 899))
    form = draw(
        st.sampled_from(
            [
                "({}) {}-{}",
                "({}){} {}",
                "{}-{}-{}",
                "{}.{}.{}",
                "{}-{}.{}",
                "+1 {} {} {}",
                "+1-{}-{}-{}",
                "+1 ({}) {} {}",
            ]
        )
    )
    return form.format(area, exchange, end[1:])


around = st.text(alphabet=ascii_letters[:4] + "é🦉 \n,;:'\"()", max_size=20)
KINDS = {
    "a payment card number": cards(),
    "a bank account number": accounts(),
    "a phone number": phones(),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_number_is_found_in_every_spelling(kind, data):
    number = data.draw(KINDS[kind])
    assume(len(set(number) & set(digits)) > 3)
    text = f"{data.draw(around)} {number} {data.draw(around)}"
    assert kind in [match.what for match in secrets_in(text)]
    assert may_have_secrets(f"before\n{text}\nafter")


def test_measured_numbers_do_not_make_a_search_necessary():
    """Results are full of floats and times. Looking closer at each text of such rows took most of a check."""
    generator = random.Random(1)
    for _ in range(200):
        text = f'{{"value": {generator.random()}, "at": "2026-11-25T10:00:00Z", "n": {generator.randrange(10**8)}}}'
        assert not may_have_secrets(text)
        assert list(secrets_in(text)) == []


HINTS = [hint for shape in secrets._SHAPES for hint in shape.hints]


@given(st.text(max_size=9), st.sampled_from([*HINTS, *secrets._ASSIGNED]), st.text(max_size=9), st.data())
def test_the_search_for_all_hints_at_once_misses_none(before, hint, after, data):
    if hint in secrets._ASSIGNED:
        spelled = (data.draw(st.sampled_from((c, c.upper(), f"{c}_", f"{c}-"))) for c in hint)
        hint = "".join(spelled)
    for surroundings in ("", "\ud83d", "é"):
        assert may_have_secrets(before + hint + after + surroundings)
