"""Pack examples that share a system text into one sequence that contains this text only once.

The idea: tool schemas make the system text four of five tokens, and many examples have the same one. So it is computed
once, and the examples follow it in the same sequence. Each token must then see exactly what it would see if its example
were alone: the system text, and its own example up to itself. For a system text `S` of 3 tokens and examples `A`, `B`:

    token        S0 S1 S2 A0 A1 B0 B1
    position      0  1  2  3  4  3  4      B starts at 3 again, as if A were not there
    A1 sees       x  x  x  x  x
    B1 sees       x  x  x        x  x      never A

A normal causal mask would let B see A. So attention is computed otherwise (`attend`), in one of two ways:

- On a CPU, span by span: a `TokenSpan` says which tokens belong together, and which shared tokens they see before
  themselves. The texts of a batch follow one another without padding (`collated`).
- On a GPU, where each small product costs a launch, all texts at once with a mask. So each text is padded to the length
  of the longest (`aligned`). Each token has the number of its span, and sees earlier tokens with number 0 or its own:

      number       0  0  0  1  1  2  2

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
_ALIGNMENT: Final = 64
"""Texts for a GPU are padded to a multiple of this many tokens: its kernels need a multiple of 8 for a mask."""
_PADDING: Final = -1


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


def columns_of(text: SharedText) -> dict[str, list[int] | int]:
    """Return a text as a row of a data set. The spans become one flat list of four numbers each."""
    return {
        "length": len(text.input_ids),
        "input_ids": text.input_ids,
        "labels": text.labels,
        "position_ids": text.position_ids,
        "spans": [place for span in text.spans for place in span],
    }


def aligned(texts: Sequence[dict[str, list[int]]]) -> dict[str, Tensor]:
    """Make a batch for a GPU: the texts one after the other in one row, each padded to the same length.

    Args:
        texts: Rows of `columns_of`.

    Returns:
        `input_ids`, `labels` and `position_ids` of shape (1, texts * length), and `span_numbers` of shape
        (texts, length): 0 for shared tokens, counted from 1 for the examples, and -1 for padding.
    """
    longest = max(len(text["input_ids"]) for text in texts)
    length = longest + -longest % _ALIGNMENT
    padding = {"input_ids": 0, "labels": IGNORED, "position_ids": 0}
    batch = {
        name: torch.tensor([[value for text in texts for value in _padded(text[name], length, filler)]])
        for name, filler in padding.items()
    }
    numbers = [_padded(_span_numbers(text["spans"]), length, _PADDING) for text in texts]
    return {**batch, "span_numbers": torch.tensor(numbers)}


def _padded(values: list[int], length: int, filler: int) -> list[int]:
    return [*values, *[filler] * (length - len(values))]


def _span_numbers(spans: list[int]) -> list[int]:
    """Return the number of each token's span.

    >>> _span_numbers([0, 3, 0, 0, 3, 5, 0, 3, 5, 7, 0, 3])
    [0, 0, 0, 1, 1, 2, 2]
    """
    starts_and_ends = zip(spans[::4], spans[1::4], strict=True)
    return [number for number, (start, end) in enumerate(starts_and_ends) for _ in range(start, end)]


def visible_tokens(span_numbers: Tensor) -> Tensor:
    """Return which tokens each token sees.

    Args:
        span_numbers: Shape (texts, length), as in `aligned`.

    Returns:
        Shape (texts, 1, length, length), with a token's row saying which columns it sees.
    """
    seen, seeing = span_numbers[:, None, None, :], span_numbers[:, None, :, None]
    return ((seen == 0) | (seen == seeing)).tril()


def attend(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    spans: Tensor | None = None,
    visible: Tensor | None = None,
    scaling: float | None = None,
    dropout: float = 0.0,
    **_: object,
) -> tuple[Tensor, None]:
    """Compute attention: each token sees the shared tokens of its text and its own span up to itself.

    Args:
        module: The layer. Groups of its query heads share a key head.
        query: Shape (1, heads, tokens, head size).
        key: Shape (1, key heads, tokens, head size).
        value: Shape of `key`.
        attention_mask: Unused; `spans` or `visible` defines what is visible.
        spans: Shape (spans, 4), as in `collated`. None for a batch of `aligned`.
        visible: What `visible_tokens` returns, for a batch of `aligned`.
        scaling: Factor for the products. None for 1 / sqrt(head size).
        dropout: Fraction of weights that are set to 0 in training.

    Returns:
        Output of shape (1, tokens, heads, head size), and None instead of the weights.
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    share = dropout if module.training else 0.0
    if visible is not None:
        output = _attention_by_kernel(query, key, value, visible, scale, share)
    else:
        assert spans is not None
        output = _attention_by_spans(query, key, value, spans, scale, share)
    return output.transpose(0, 1).contiguous().unsqueeze(0), None


def _attention_by_kernel(
    query: Tensor, key: Tensor, value: Tensor, visible: Tensor, scale: float, dropout: float
) -> Tensor:
    """Use PyTorch's fused kernel for all texts at once. It stores no weights, for which long texts leave no memory.

    Returns:
        Shape (heads, tokens, head size).
    """
    texts, length = visible.shape[0], visible.shape[-1]
    group = query.shape[1] // key.shape[1]
    # The kernels that take a mask do not share key heads.
    keys, values = (tensor.repeat_interleave(group, dim=1) for tensor in (key, value))
    rows = (tensor[0].unflatten(1, (texts, length)).transpose(0, 1) for tensor in (query, keys, values))
    attended = scaled_dot_product_attention(*rows, attn_mask=visible, dropout_p=dropout, scale=scale)
    return attended.transpose(0, 1).flatten(1, 2)


def _attention_by_spans(
    query: Tensor, key: Tensor, value: Tensor, spans: Tensor, scale: float, dropout: float
) -> Tensor:
    outputs: list[Tensor] = []
    for start, end, seen_from, seen_to in spans.tolist():
        places = [slice(seen_from, seen_to), slice(start, end)]
        keys, values = (
            torch.cat([tensor[0, :, place] for place in places], dim=1) for tensor in (key, value)
        )
        outputs.append(_attention_by_products(query[0, :, start:end], keys, values, scale, dropout))
    return torch.cat(outputs, dim=1)


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
