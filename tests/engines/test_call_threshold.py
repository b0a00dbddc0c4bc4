"""The call threshold: whether an answer begins with a call, decided by the probability of a call."""

from collections.abc import Iterator

import pytest

from workbench.engines.embedded_model import REMEDY, find_embedded
from workbench.engines.llama_cpp import LlamaCppEngine, call_threshold_of, load_llama_cpp
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.hermes.marks import CALL_OPEN
from workbench.rollout.logprobs import opening_of
from workbench.rollout.ports import Constraint, GenerationRequest
from workbench.rollout.sampling import Sampling

PROMPTS = [
    f"<|im_start|>system\nYou may call tools. Write <tool_call> before a call.<|im_end|>\n"
    f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"
    for text in ("Hello!", "Call a tool now.", "Say <tool_call> and nothing else.", "What is 2 + 2?", "<")
]
MARGIN = 1.5
TOLERANCE = 0.4
"""Quantized weights give slightly different logits for tokens that are evaluated together and one by one."""
CALL = Constraint(schema={"type": "object"}, closing="\n</tool_call>", trigger=CALL_OPEN)


@pytest.fixture(scope="module")
def engine() -> Iterator[LlamaCppEngine]:
    """The embedded model without an adapter."""
    path = find_embedded()
    assert path is not None, REMEDY
    options = LoadOptions(context_tokens=512, threads=1, gpu_layers=0, call_threshold=0.25)
    opened = load_llama_cpp(path, name="embedded", loading=options)
    yield opened
    opened.close()


def ask(engine: LlamaCppEngine, prompt: str, threshold: float, **options) -> tuple[str, list[float | None]]:
    """Return a completion and the logprobs of its tokens."""
    request = GenerationRequest(
        prompt=prompt,
        sampling=Sampling(max_tokens=12, call_threshold=threshold),
        wants_logprobs=True,
        **{"call_mark": CALL_OPEN, **options},
    )
    deltas = list(engine.generate(request, is_cancelled=lambda: False))
    tokens = [token for delta in deltas for token in delta.tokens]
    return "".join(delta.text for delta in deltas), [token.logprob for token in tokens]


def call_probability(engine: LlamaCppEngine, prompt: str) -> float:
    decision = engine.decide(prompt, opening_of("hermes-lines"), (), is_cancelled=lambda: False)
    assert decision is not None
    return 1 - decision.no_call.probability


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("prompt", PROMPTS)
def test_an_answer_begins_with_a_call_from_the_threshold(engine: LlamaCppEngine, prompt: str) -> None:
    share = call_probability(engine, prompt)
    assert 0 < share < 1
    above, logprobs = ask(engine, prompt, share / MARGIN)
    assert above.startswith(CALL_OPEN)
    written, own = engine.completion_logprobs(prompt, above, is_cancelled=lambda: False), logprobs
    assert written is not None
    assert own[:4] == pytest.approx([token.logprob for token in written][:4], abs=TOLERANCE)
    below, _ = ask(engine, prompt, min(share * MARGIN, 1))
    assert not below.startswith(CALL_OPEN)


@pytest.mark.model
@pytest.mark.slow
def test_a_beginning_that_turns_out_not_to_be_a_call_leaves_no_trace(engine: LlamaCppEngine) -> None:
    for prompt in PROMPTS:
        without, logprobs = ask(engine, prompt, -1)
        share = call_probability(engine, prompt)
        if without.startswith("<"):
            continue
        for threshold in (share * MARGIN, 0.5):
            text, others = ask(engine, prompt, threshold)
            assert text[:1] == without[:1]
            assert others[0] == pytest.approx(logprobs[0], abs=TOLERANCE)


@pytest.mark.model
@pytest.mark.slow
def test_a_grammar_applies_to_a_call_that_the_threshold_begins(engine: LlamaCppEngine) -> None:
    text, _ = ask(engine, PROMPTS[0], 1e-12, constraint=CALL)
    assert text.startswith(CALL_OPEN + "{")


@pytest.mark.model
@pytest.mark.slow
def test_a_threshold_applies_only_where_a_call_may_begin(engine: LlamaCppEngine) -> None:
    free, _ = ask(engine, PROMPTS[0], -1)
    assert ask(engine, PROMPTS[0], 1e-12, call_mark="")[0] == free
    # 0 uses the threshold of the model, which is 0.25 here.
    assert engine.capabilities.call_threshold == 0.25
    assert ask(engine, PROMPTS[0], 0)[0] == ask(engine, PROMPTS[0], 0.25)[0]


def test_the_threshold_comes_from_the_setting_or_from_the_receipt_of_an_adapter(tmp_path) -> None:
    adapter = LoraAdapter(path=tmp_path / "adapter.gguf")
    options = LoadOptions(context_tokens=0, threads=1, gpu_layers=0, lora=(adapter,))
    assert call_threshold_of(options) == 0
    receipt = tmp_path / "receipt.json"
    for text, expected in (
        ('{"call_threshold": 0.3}', 0.3),
        ('{"call_threshold": "0.3"}', 0),
        ('{"call_threshold": 7}', 0),
        ("[]", 0),
    ):
        receipt.write_text(text)
        assert call_threshold_of(options) == expected
    set_by_hand = LoadOptions(context_tokens=0, threads=1, gpu_layers=0, lora=(adapter,), call_threshold=0.0)
    receipt.write_text('{"call_threshold": 0.3}')
    assert call_threshold_of(set_by_hand) == 0
