"""The loss counts what the model wrote, and the token that ends its turn."""

from typing import Any

import pytest

from tests.trajectory.validate.rows import AGENT, OPENAI, SHAREGPT, VALID, changed
from workbench.chat.finding import Span
from workbench.errors import BadInput
from workbench.hermes.spelling.families import FAMILIES
from workbench.trajectory.formats.known import FORMATS, detect_format
from workbench.trajectory.mask import MaskedText, Token, mask_tokens
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.sets.stats import preview
from workbench.trajectory.trajectory import Trajectory
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

CALLS = (
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}\n</tool_call>\n'
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
)


def trajectory(row: dict[str, Any]) -> Trajectory:
    form = detect_format(row)
    assert form
    return read_trajectory(form.read(row)).trajectory


def trained(masked: MaskedText) -> list[str]:
    return [span.of(masked.text) for span in masked.trained]


def test_the_loss_counts_preface_calls_and_end_token_but_not_results() -> None:
    assert trained(preview(trajectory(SHAREGPT))) == [
        f"Both at once.\n{CALLS}<|im_end|>",
        "Sun in Paris, rain in Rome.<|im_end|>",
    ]


def test_thoughts_are_trained() -> None:
    assert trained(preview(trajectory(AGENT)))[1] == "<think>\nEasy.\n</think>\nSun and rain.<|im_end|>"
    assert trained(preview(trajectory(AGENT), "qwen3"))[1].startswith("<think>\nEasy.\n</think>")


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize("family", ["", *FAMILIES])
def test_every_family_trains_exactly_the_model_s_turns(name: str, family: str) -> None:
    masked = preview(trajectory(VALID[name]), family)
    header = "<|im_start|>assistant\n"
    assert len(masked.trained) == masked.text.count(header) == 2
    for span in masked.trained:
        assert masked.text[: span.start].endswith(header)
        assert span.of(masked.text).endswith("<|im_end|>")
        assert "<tool_response>" not in span.of(masked.text)
        assert span.of(masked.text).count("<|im_end|>") == 1


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_lists_the_tools_only_once(family: str) -> None:
    for row in (SHAREGPT, OPENAI):
        assert preview(trajectory(row), family).text.count("Weather of a city.") == 1


def test_the_row_s_own_loss_mask_is_used() -> None:
    row = changed(OPENAI, "messages", 2, "weight", to=0)
    for family in ("", "hermes-3"):
        assert trained(preview(trajectory(row), family)) == ["Sun in Paris, rain in Rome.<|im_end|>"]


@pytest.mark.parametrize("name", VALID)
def test_the_format_raw_has_the_same_mask(name: str) -> None:
    given = trajectory(VALID[name])
    row = write_row(given, FORMATS["raw"], RowOptions()).row
    masked = preview(given)
    assert row is not None
    assert (row["text"], row["loss_spans"]) == (masked.text, [list(span) for span in masked.trained])


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(BadInput, match="there is no such family"):
        preview(trajectory(OPENAI), "none")


class Letters:
    """A tokenizer with tokens of two letters, after one that begins every prompt."""

    def tokens(self, text: str) -> list[Token]:
        pairs = [Span(start, min(start + 2, len(text))) for start in range(0, len(text), 2)]
        return [Token(0, Span(0, 0)), *(Token(1, span) for span in pairs)]


def test_a_token_is_trained_only_if_it_is_completely_in_a_span() -> None:
    masked = MaskedText(text="abcdefgh", trained=(Span(1, 4), Span(6, 8)))
    assert [token.is_trained for token in mask_tokens(masked, Letters())] == [False, False, True, False, True]
