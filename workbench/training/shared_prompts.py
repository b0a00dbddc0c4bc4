"""Train examples that share a system text as one sequence that contains that text once.

Tool schemas make the system text four tokens of five. Examples that share it stand behind it side by side: each
sees the shared tokens and itself, at the positions it would have alone. Loss and gradients are those of the
examples one by one (a test proves it), for the work of one prompt.
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
"""The name that the attention below is registered under."""


class TokenSpan(NamedTuple):
    """A run of tokens that see each other, and what they see before themselves."""

    start: int
    """Its first token's place in the text."""
    end: int
    """The place behind its last one."""
    seen_from: int
    """The first token of the shared ones that it sees."""
    seen_to: int
    """The place behind their last one; the same as `seen_from` where there are none."""


class SharedText(NamedTuple):
    """Examples that begin with the same tokens, in one text."""

    input_ids: list[int]
    labels: list[int]
    position_ids: list[int]
    spans: list[TokenSpan]
    examples: int


def share_prompts(examples: Sequence[Tokens], max_length: int, seed: int) -> list[SharedText]:
    """The examples, those of one system text together as far as `max_length` tokens hold them, others alone.

    Args:
        examples: None longer than `max_length`.
        max_length: Tokens of a text at most.
        seed: Of the order in which examples of one system text are put together.
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
        taken: list[Tokens] = []
        length = len(prompt)
        for example in group:
            own = len(example.input_ids) - len(prompt)
            if taken and length + own > max_length:
                texts.append(_text(taken))
                taken, length = [], len(prompt)
            taken.append(example)
            length += own
        texts.append(_text(taken))
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
    """Whether `attend` is all the attention that a model has: of a known architecture, and without a window."""
    config = model.config
    window = getattr(config, "sliding_window", None) or max_length
    return config.model_type in ARCHITECTURES and window >= max_length


def collated(texts: Sequence[dict[str, list[int]]]) -> dict[str, Tensor]:
    """A batch: the texts behind each other in one row, so that nothing is padded.

    Args:
        texts: Rows as `columns_of` makes them.

    Returns:
        `input_ids`, `labels` and `position_ids` of shape (1, tokens), and `spans` of shape (spans, 4).
    """
    spans: list[list[int]] = []
    before = 0
    for text in texts:
        flat = text["spans"]
        spans += [[before + place for place in flat[first : first + 4]] for first in range(0, len(flat), 4)]
        before += len(text["input_ids"])
    found = {
        name: torch.tensor([[one for text in texts for one in text[name]]])
        for name in ("input_ids", "labels", "position_ids")
    }
    return {**found, "spans": torch.tensor(spans)}


def columns_of(text: SharedText) -> dict[str, list[int]]:
    """A text as a row of a data set; spans one behind the other."""
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
    """Attention of each span to what it sees: the shared tokens whole, itself as far as it has come.

    Args:
        module: The layer; its heads share keys in groups.
        query: Of shape (1, heads, tokens, head size).
        key: Of shape (1, key heads, tokens, head size).
        value: As `key`.
        attention_mask: None; the spans say it all.
        spans: As `collated` makes them.
        scaling: Of the products.
        dropout: Share of weights that are left out.

    Returns:
        Of shape (1, tokens, heads, head size), and no weights.
    """
    weighed = _weighed_by_products if query.device.type == "cpu" else _weighed_by_kernel
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    share = dropout if module.training else 0.0
    found: list[Tensor] = []
    for start, end, seen_from, seen_to in spans.tolist():
        places = [slice(seen_from, seen_to), slice(start, end)]
        keys, values = (torch.cat([one[0, :, place] for place in places], dim=1) for one in (key, value))
        found.append(weighed(query[0, :, start:end], keys, values, scale, share))
    return torch.cat(found, dim=1).transpose(0, 1).contiguous().unsqueeze(0), None


def _weighed_by_kernel(query: Tensor, keys: Tensor, values: Tensor, scale: float, dropout: float) -> Tensor:
    """By PyTorch's fused kernel: it keeps no weights, which long texts on a GPU have no room for."""
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


def _weighed_by_products(query: Tensor, keys: Tensor, values: Tensor, scale: float, dropout: float) -> Tensor:
    """By products alone: on a CPU the fused kernel's way back takes three times as long."""
    own, before = query.shape[1], keys.shape[1] - query.shape[1]
    bias = query.new_zeros(own, before + own)
    bias[:, before:] = query.new_full((own, own), -torch.inf).triu(1)
    # Heads that share keys are rows of one product.
    together = query.shape[0] // keys.shape[0]
    asked = query.unflatten(0, (keys.shape[0], together)).flatten(1, 2) * scale
    scores = torch.baddbmm(bias.repeat(together, 1), asked, keys.mT)
    weights = dropped(scores.softmax(dim=-1), dropout)
    return (weights @ values).unflatten(1, (together, own)).flatten(0, 1)


AttentionInterface.register(ATTENTION, attend)
