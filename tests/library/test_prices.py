"""Prices of models, from `prices.yaml`."""

import pytest

from workbench.errors import BadInput
from workbench.library.home_files import load_prices
from workbench.suite.case_rollout import Price


def test_without_a_file_there_are_no_prices(tmp_path):
    assert load_prices(tmp_path) == {}


def test_prices_are_looked_up_by_model_name(tmp_path):
    (tmp_path / "prices.yaml").write_text("openai:big: {prompt: 2.5, completion: 10}\n")
    assert load_prices(tmp_path) == {"openai:big": Price(2.5, 10.0)}


@pytest.mark.parametrize("text", ["openai:big: 3", "a: {prompt: -1, completion: 1}", "[", "a: {prompt: 1}"])
def test_an_invalid_price_file_is_reported(tmp_path, text):
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(BadInput, match=r"prices\.yaml"):
        load_prices(tmp_path)
