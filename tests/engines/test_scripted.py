"""Scripted completions."""

import pytest

from tests.fakes import scripted
from workbench.engines.scripted import load_scripted
from workbench.errors import BadInput, EngineError, PromptTooLong
from workbench.rollout.ports import FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling


def ask(engine, prompt="p", *, max_tokens=1000, cancelled=lambda: False):
    request = GenerationRequest(prompt=prompt, sampling=Sampling(max_tokens=max_tokens))
    deltas = list(engine.generate(request, is_cancelled=cancelled))
    return "".join(delta.text for delta in deltas), deltas[-1].finish_reason


def test_completions_are_returned_in_turn_then_from_the_first_again():
    engine = scripted("one", " two\r\n")
    assert [ask(engine)[0] for _ in range(3)] == ["one", " two\r\n", "one"]


def test_after_a_prefill_only_the_rest_is_written():
    engine = scripted('<tool_call>\n{"name": "f"}')
    assert ask(engine, "<|im_start|>assistant\n<tool_call>\n")[0] == '{"name": "f"}'


def test_max_tokens_and_stopping_end_the_completion():
    assert ask(scripted("x" * 100), max_tokens=3) == ("x" * 12, FinishReason.LENGTH)
    answers = iter([False] * 4)
    assert ask(scripted("x" * 100), cancelled=lambda: next(answers, True))[1] is FinishReason.CANCELLED


def test_a_prompt_that_is_too_long_is_reported_with_the_excess():
    with pytest.raises(PromptTooLong, match="prompt is 1 token too long") as caught:
        ask(scripted("x"), "p" * 4 * 32_768)
    assert caught.value.excess_tokens == 1


def test_a_script_may_fail_after_its_text(tmp_path):
    path = tmp_path / "script.yaml"
    path.write_text("completions:\n- {text: half, error: the server went away}\n")
    engine = load_scripted(path, name="scripted:x", wait=lambda seconds: None)
    with pytest.raises(EngineError, match="the server went away"):
        ask(engine)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("completions: [", "line 1"),
        ("completions: []", "completions: must not be empty"),
        ("x: 1", "completions"),
    ],
)
def test_an_invalid_script_is_reported_with_the_place(tmp_path, text, message):
    path = tmp_path / "script.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=message):
        load_scripted(path, name="scripted:x", wait=lambda seconds: None)
