"""Pack examples that share a system text into one sequence that contains this text only once.

The idea: tool schemas make the system text four of five tokens, and many examples have the same one. So it is computed
once, and the examples follow it in the same sequence. Each token must then see exactly what it would see if its example
were alone: the system text, and its own example up to itself. For a system text `S` of 3 tokens and examples `A`, `B`:

    token        S0 S1 S2 A0 A1 B0 B1
    position      0  1  2  3  4  3  4      B starts at 3 again, as if A were not there
    A1 sees       x  x  x  x  x
    B1 sees       x  x  x        x  x      never A

A normal causal mask would let B see A. So attention is computed span by span (`attend`): a `TokenSpan` says which
tokens belong together, and which shared tokens they see before themselves.

Invariant: loss and gradients equal those of the examples one by one, up to rounding. `tests/training/
test_shared_prompts.py` checks it for Llama, Mistral, Qwen2 and Qwen3. It does not hold for models with another kind of
attention, such as a sliding window shorter than the sequence or Gemma's soft-capping, so `can_share_prompts` excludes
them. Their examples are trained one by one.
"""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import dropout as dropped
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, PreTrainedModel

from workbench.training.base_model import ARCHITECTURES
from workbench.training.examples import IGNORED, Tokens

ATTENTION: Final = "workbench_shared_prompts"
"""Name under which `attend` is registered in transformers."""


class TokenSpan(NamedTuple):
    """A range of tokens that belong together, and the shared tokens that they see. Indices are within a text."""

    start: int
    """Index of the first token."""
    end: int
    """Index after the last token."""
    seen_from: int
    """Index of the first shared token that they see."""
    seen_to: int
    """Index after the last shared token. Equal to `seen_from` if nothing is shared."""


class SharedText(NamedTuple):
    """Examples that begin with the same tokens, packed into one text."""

    input_ids: list[int]
    labels: list[int]
    position_ids: list[int]
    spans: list[TokenSpan]
    examples: int


def share_prompts(examples: Sequence[Tokens], max_length: int, seed: int) -> list[SharedText]:
    """Pack examples with the same system text into texts of at most `max_length` tokens. Others stay alone.

    Args:
        examples: Examples of at most `max_length` tokens.
        max_length: Maximum number of tokens of a text.
        seed: Seed of the order in which examples with the same system text are packed.
    """
    groups: dict[tuple[int, ...], list[Tokens]] = {}
    for example in examples:
        groups.setdefault(tuple(example.input_ids[: example.shared]), []).append(example)
    dice = Random(seed)
    texts: list[SharedText] = []
    for prompt, group in groups.items():
        if not prompt:
            texts += [_text([example]) for example in group]
            continue
        dice.shuffle(group)
        packed: list[Tokens] = []
        length = len(prompt)
        for example in group:
            own = len(example.input_ids) - len(prompt)
            if packed and length + own > max_length:
                texts.append(_text(packed))
                packed, length = [], len(prompt)
            packed.append(example)
            length += own
        texts.append(_text(packed))
    return texts


def _text(examples: Sequence[Tokens]) -> SharedText:
    shared = examples[0].shared
    ids, positions = examples[0].input_ids[:shared], list(range(shared))
    labels = [IGNORED] * shared
    spans = [TokenSpan(0, shared, 0, 0)] if shared else []
    for example in examples:
        start, length = len(ids), len(example.input_ids)
        ids += example.input_ids[shared:]
        labels += example.labels[shared:]
        positions += range(shared, length)
        spans.append(TokenSpan(start, len(ids), 0, shared))
    return SharedText(ids, labels, positions, spans, len(examples))


def can_share_prompts(model: PreTrainedModel, max_length: int) -> bool:
    """Return whether `attend` can replace a model's attention: a known architecture without a shorter window."""
    config = model.config
    window = getattr(config, "sliding_window", None) or max_length
    return config.model_type in ARCHITECTURES and window >= max_length


def collated(texts: Sequence[dict[str, list[int]]]) -> dict[str, Tensor]:
    """Make a batch: the texts one after the other in one row, so that there is no padding.

    Args:
        texts: Rows of `columns_of`.

    Returns:
        `input_ids`, `labels` and `position_ids` of shape (1, tokens), and `spans` of shape (spans, 4).
    """
    spans: list[list[int]] = []
    before = 0
    for text in texts:
        flat = text["spans"]
        spans += [[before + place for place in flat[first : first + 4]] for first in range(0, len(flat), 4)]
        before += len(text["input_ids"])
    batch = {
        name: torch.tensor([[value for text in texts for value in text[name]]])
        for name in ("input_ids", "labels", "position_ids")
    }
    return {**batch, "spans": torch.tensor(spans)}


def columns_of(text: SharedText) -> dict[str, list[int]]:
    """Return a text as a row of a data set. The spans become one flat list of four numbers each."""
    return {
        "input_ids": text.input_ids,
        "labels": text.labels,
        "position_ids": text.position_ids,
        "spans": [place for span in text.spans for place in span],
    }


def attend(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    spans: Tensor,
    scaling: float | None = None,
    dropout: float = 0.0,
    **_: object,
) -> tuple[Tensor, None]:
    """Compute attention span by span: each token sees the shared tokens and its own span up to itself.

    Args:
        module: The layer. Groups of its query heads share a key head.
        query: Shape (1, heads, tokens, head size).
        key: Shape (1, key heads, tokens, head size).
        value: Shape of `key`.
        attention_mask: Unused; the spans define what is visible.
        spans: Shape (spans, 4), as in `collated`.
        scaling: Factor for the products. None for 1 / sqrt(head size).
        dropout: Fraction of weights that are set to 0 in training.

    Returns:
        Output of shape (1, tokens, heads, head size), and None instead of the weights.
    """
    attention = _attention_by_products if query.device.type == "cpu" else _attention_by_kernel
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    share = dropout if module.training else 0.0
    outputs: list[Tensor] = []
    for start, end, seen_from, seen_to in spans.tolist():
        places = [slice(seen_from, seen_to), slice(start, end)]
        keys, values = (
            torch.cat([tensor[0, :, place] for place in places], dim=1) for tensor in (key, value)
        )
        outputs.append(attention(query[0, :, start:end], keys, values, scale, share))
    return torch.cat(outputs, dim=1).transpose(0, 1).contiguous().unsqueeze(0), None


def _attention_by_kernel(query: Tensor, keys: Tensor, values: Tensor, scale: float, dropout: float) -> Tensor:
    """Use PyTorch's fused kernel. It stores no weights, for which a GPU has no memory with long texts."""
    own, before = query.shape[1], keys.shape[1] - query.shape[1]
    mask = torch.ones(own, before + own, dtype=torch.bool, device=query.device).tril(before)
    return scaled_dot_product_attention(
        query[None],
        keys[None],
        values[None],
        attn_mask=mask if before else None,
        is_causal=not before,
        dropout_p=dropout,
        scale=scale,
        enable_gqa=True,
    )[0]


def _attention_by_products(
    query: Tensor, keys: Tensor, values: Tensor, scale: float, dropout: float
) -> Tensor:
    """Use plain products. On a CPU, the backward pass of the fused kernel takes three times as long."""
    own, before = query.shape[1], keys.shape[1] - query.shape[1]
    bias = query.new_zeros(own, before + own)
    bias[:, before:] = query.new_full((own, own), -torch.inf).triu(1)
    # Heads that share keys become rows of one product.
    group = query.shape[0] // keys.shape[0]
    scaled_query = query.unflatten(0, (keys.shape[0], group)).flatten(1, 2) * scale
    scores = torch.baddbmm(bias.repeat(group, 1), scaled_query, keys.mT)
    weights = dropped(scores.softmax(dim=-1), dropout)
    return (weights @ values).unflatten(1, (group, own)).flatten(0, 1)


AttentionInterface.register(ATTENTION, attend)
