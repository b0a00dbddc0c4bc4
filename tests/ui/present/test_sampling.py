"""Sampling to fields and back, and invalid fields."""

import pytest

from workbench.errors import BadInput
from workbench.rollout.sampling import Sampling, TokenBias
from workbench.ui.present.setup import parse_sampling, show_sampling

SAMPLING = Sampling(
    temperature=0.7,
    typical_p=0.9,
    presence_penalty=-0.5,
    penalty_last_tokens=-1,
    mirostat=2,
    stop=("\n\n", 'say "stop"', "back\\slash", "é\t"),
    logit_bias=(TokenBias(token=5, bias=-100.0), TokenBias(token=" two words", bias=2.5), TokenBias(token='"', bias=1.0)),
)  # fmt: skip


@pytest.mark.parametrize("sampling", [Sampling(), SAMPLING])
def test_a_sampling_survives_the_fields(sampling):
    assert parse_sampling(show_sampling(sampling)) == sampling


def test_a_single_word_needs_no_quotes():
    shown = {"logit_bias": "Hello -5\n\n42 1"}
    assert parse_sampling(shown).logit_bias == (
        TokenBias(token="Hello", bias=-5.0),
        TokenBias(token=42, bias=1.0),
    )


@pytest.mark.parametrize("line", ["Hello", '"open -5', "Hello much", " -5"])
def test_an_invalid_bias_is_reported_with_its_line(line):
    with pytest.raises(BadInput, match="line 2"):
        parse_sampling(show_sampling(Sampling()) | {"logit_bias": f"ok 1\n{line}"})


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_a_missing_or_infinite_number_is_reported(value):
    with pytest.raises(BadInput, match="min p"):
        parse_sampling(show_sampling(Sampling()) | {"min_p": value})
