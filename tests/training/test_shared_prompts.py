"""Examples that share a system text are trained like examples entry by entry."""

import pytest

from tests.training.rows import drawn_rows, read

torch = pytest.importorskip("torch", reason="the extra train is not installed: make test EXTRAS=train")
transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
pytestmark = pytest.mark.train

from workbench.training.examples import IGNORED, Tokens, encode, examples_of  # noqa: E402
from workbench.training.shared_prompts import (  # noqa: E402
    ATTENTION,
    aligned,
    can_share_prompts,
    collated,
    columns_of,
    share_prompts,
    visible_tokens,
)


def example(prompt, own, labelled=2):
    labels = [IGNORED] * (len(prompt) + len(own) - labelled) + own[-labelled:]
    return Tokens([*prompt, *own], labels, len(prompt))


EXAMPLES = (
    example([5, 6, 7, 8], [20, 21, 22]),
    example([9, 9], [30, 31, 32, 33], labelled=3),
    example([5, 6, 7, 8], [23, 24, 25, 26, 27]),
    example([], [40, 41, 42]),
    example([], [43, 44], labelled=1),
    example([5, 6, 7, 8], [28, 29], labelled=1),
)


def model(kind="Llama", **settings):
    torch.manual_seed(3)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        **settings,
    )
    return getattr(transformers, f"{kind}ForCausalLM")(config)


def summed_loss(model, texts, collate):
    batch = collate([columns_of(text) for text in texts])
    if "span_numbers" in batch:
        batch["visible"] = visible_tokens(batch.pop("span_numbers"))
    labels = batch.pop("labels")[:, 1:]
    logits = model(**batch, use_cache=False).logits[:, :-1]
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )


def gradients(model, loss):
    model.zero_grad()
    loss.backward()
    return {name: value.grad.clone() for name, value in model.named_parameters() if value.grad is not None}


@pytest.mark.parametrize("collate", [collated, aligned])
@pytest.mark.parametrize("kind", ["Llama", "Mistral", "Qwen2", "Qwen3"])
def test_loss_and_gradients_equal_those_of_the_examples_one_by_one(kind, collate):
    base = model(kind)
    alone = torch.zeros(())
    for entry in EXAMPLES:
        labels = torch.tensor([entry.labels])
        logits = base(input_ids=torch.tensor([entry.input_ids])).logits[:, :-1]
        alone = alone + torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), labels[:, 1:].flatten(), ignore_index=IGNORED, reduction="sum"
        )
    expected = gradients(base, alone)
    base.set_attn_implementation(ATTENTION)
    shared = summed_loss(base, share_prompts(EXAMPLES, 100, 0), collate)
    assert shared.item() == pytest.approx(alone.item(), rel=1e-5)
    found = gradients(base, shared)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert torch.allclose(found[name], value, atol=2e-5), name


def test_texts_for_a_gpu_are_padded_to_the_longest_and_padding_is_seen_by_no_token():
    texts = share_prompts(EXAMPLES, 100, 0)
    batch = aligned([columns_of(text) for text in texts])
    numbers = batch["span_numbers"]
    assert numbers.shape == (len(texts), 64)
    assert batch["input_ids"].shape == (1, 64 * len(texts))
    visible = visible_tokens(numbers)[:, 0]
    assert visible.any(dim=-1).all(), "a token that sees nothing has no attention"
    is_padding = numbers == -1
    seen_padding = visible & is_padding[:, None, :]
    assert not seen_padding[~is_padding].any()


def test_texts_respect_the_maximum_length_and_contain_each_example_once():
    texts = share_prompts(EXAMPLES, 9, seed=1)
    assert all(len(text.input_ids) <= 9 for text in texts)
    assert sum(text.examples for text in texts) == len(EXAMPLES)
    assert sorted(text.examples for text in texts) == [1, 1, 1, 1, 2]
    ends = sorted(
        tuple(text.input_ids[span.start : span.end][-2:]) for text in texts for span in text.spans[-1:]
    )
    assert ends[0][0] >= 20


def test_examples_without_a_system_text_share_nothing():
    texts = share_prompts([entry for entry in EXAMPLES if not entry.shared], 100, 0)
    assert [text.examples for text in texts] == [1, 1]
    assert all(span.seen_from == span.seen_to for text in texts for span in text.spans)


def test_a_model_with_another_attention_cannot_share_prompts():
    assert can_share_prompts(model(), 100)
    assert not can_share_prompts(model("Mistral", sliding_window=64), 100)
    assert not can_share_prompts(model("Gemma2", head_dim=8), 100)


def test_rows_with_the_same_system_text_share_it_and_each_answer_is_trained_once():
    rows = [read(row) for row in drawn_rows(12, seed=2, names=("minimal",), together=4, lengths=((1, 1.0),))]
    ids: dict[str, int] = {}

    def encoder(text):
        return [ids.setdefault(word, len(ids)) for word in text.replace("<|", " <|").split()]

    examples = [encode(entry, encoder) for row in rows for entry in examples_of(row)]
    texts = share_prompts(examples, 10_000, 0)
    assert len(texts) < len(examples)
    counted = sum(label != IGNORED for entry in examples for label in entry.labels)
    assert sum(label != IGNORED for text in texts for label in text.labels) == counted
    assert sum(len(text.input_ids) for text in texts) < sum(len(entry.input_ids) for entry in examples)
