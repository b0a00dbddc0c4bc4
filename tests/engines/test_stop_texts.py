"""Stop texts, complete and in pieces."""

import pytest

from workbench.engines.llama_completion import StopTexts


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(
    ("text", "shown", "is_stopped"),
    [
        ("plain", "plain", False),
        ("before<|im_end|>after", "before", True),
        ("a <|im_ b", "a <|im_ b", False),
        ("a <|im_e<|im_end|>", "a <|im_e", True),
        ("x</s>y<|im_end|>", "x", True),
        ("<|im_end|>", "", True),
    ],
)
def test_the_text_before_the_first_stop_text_is_shown_for_pieces_of_any_size(text, shown, is_stopped, size):
    stops = StopTexts(["<|im_end|>", "</s>", ""])
    out = ""
    for start in range(0, len(text), size):
        piece, ended = stops.feed(text[start : start + size])
        out += piece
        if ended:
            break
    else:
        ended = False
        out += stops.flush()
    assert (out, ended) == (shown, is_stopped)
