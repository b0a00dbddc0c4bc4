"""What models cost, out of `prices.yaml`."""

import pytest

from workbench.errors import BadInput
from workbench.library.home_files import load_prices
from workbench.suite.case_rollout import Price


def test_no_file_knows_no_price(tmp_path):
    assert load_prices(tmp_path) == {}


def test_a_price_is_by_the_model_s_name(tmp_path):
    (tmp_path / "prices.yaml").write_text("openai:big: {prompt: 2.5, completion: 10}\n")
    assert load_prices(tmp_path) == {"openai:big": Price(2.5, 10.0)}


@pytest.mark.parametrize("text", ["openai:big: 3", "a: {prompt: -1, completion: 1}", "[", "a: {prompt: 1}"])
def test_a_file_that_cannot_be_used_is_told(tmp_path, text):
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(BadInput, match=r"prices\.yaml"):
        load_prices(tmp_path)
