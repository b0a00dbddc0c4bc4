"""The differences of two prompts of the same conversation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.contract.compare_template import DifferenceKind, diff_prompts

OURS = "<|im_start|>user\n<tool_response>\n18\n</tool_response><|im_end|>\n"


def differences(ours: str, theirs: str) -> list[tuple[str, str, str, bool]]:
    return [
        (difference.change.value, difference.ours.of(ours), difference.theirs.of(theirs), difference.has_mark)
        for difference in diff_prompts(ours, theirs)
    ]


@pytest.mark.parametrize("text", ["", "x", OURS])
def test_equal_prompts_do_not_differ(text: str) -> None:
    assert diff_prompts(text, text) == ()


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        (OURS.replace("user", "tool"), [("otherwise", "user", "tool", False)]),
        (OURS.removesuffix("<|im_end|>\n"), [("only ours", "<|im_end|>\n", "", True)]),
        (OURS + "<|im_start|>", [("only theirs", "", "<|im_start|>", True)]),
        (OURS.replace("</tool_response>", "</tool_response>\n"), [("only theirs", "", "\n", False)]),
        (OURS.replace("\n<tool", "<tool"), [("only ours", "\n", "", False)]),
    ],
)
def test_a_difference_is_reported_with_both_texts(
    theirs: str, expected: list[tuple[str, str, str, bool]]
) -> None:
    assert differences(OURS, theirs) == expected


PROMPTS = st.lists(
    st.sampled_from(["<|im_start|>", "<|im_end|>", "<tools>", "user\n", "a", "\n", "x y"])
).map("".join)


@settings(deadline=None)
@given(PROMPTS, PROMPTS)
def test_applying_all_differences_turns_our_prompt_into_theirs(ours: str, theirs: str) -> None:
    pieces: list[str] = []
    position = 0
    for difference in diff_prompts(ours, theirs):
        pieces += [ours[position : difference.ours.start], difference.theirs.of(theirs)]
        position = difference.ours.end
        assert (difference.change is DifferenceKind.ONLY_OURS) == (not difference.theirs.of(theirs))
    assert "".join(pieces) + ours[position:] == theirs
