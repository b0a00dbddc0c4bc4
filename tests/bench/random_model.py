"""GGUF files of random weights, to measure speed and memory at the size of a model that is not on this machine.

Such a model writes nonsense, with words as often as letters, and never ends a text by itself: the weights of tokens
that are not plain text are zero, so that they are never the most likely ones.
"""

import json
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import gguf
import numpy
from gguf import GGMLQuantizationType as Kind
from numpy.typing import NDArray

CHECKOUT: Final = Path(__file__).parents[2]
WORDS: Final = 4000
"""Tokens with merges. The rest of a vocabulary is never found in a text, but can be written."""
MARKS: Final = ("<|begin_of_text|>", "<|im_start|>", "<|im_end|>")
TEMPLATE: Final = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
_SCALES: Final = {Kind.Q4_K: (0.00007, 0.0005), Kind.Q6_K: (0.000015,)}
"""Scales of a block, and of its minimum, that give weights of about 0.02."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """Sizes of a Llama. All but the layers and the context are multiples of 256."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    inner: int
    vocabulary: int
    context: int
    head: int = 0
    """Numbers of a head; 0 for the width by the heads."""


HERMES_8B: Final = ModelShape(
    layers=32, width=4096, heads=32, kv_heads=8, inner=14336, vocabulary=128256, context=131072
)
"""Hermes 3 8B; 4.9 GB."""
HERMES_3B: Final = ModelShape(
    layers=28, width=3072, heads=24, kv_heads=8, inner=8192, vocabulary=128256, context=131072
)
"""Hermes 3 3B; 2.2 GB."""
SMALL: Final = ModelShape(layers=2, width=256, heads=4, kv_heads=2, inner=512, vocabulary=4608, context=8192)
SMALLER: Final = ModelShape(
    layers=1, width=256, heads=4, kv_heads=2, inner=256, vocabulary=4608, context=8192
)
HUNGRY: Final = ModelShape(
    layers=4, width=256, heads=16, kv_heads=16, inner=256, vocabulary=4608, context=4 << 20, head=1024
)
"""A small file whose context takes 1 TB of memory."""


def write_model(path: Path, shape: ModelShape, *, seed: int = 1) -> Path:
    """Write a model as Q4_K_M would be: most tensors in 4 bits, some in 6. The same seed gives the same weights."""
    chance = numpy.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "llama")
    head = shape.head or shape.width // shape.heads
    writer.add_name(path.stem)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.inner)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_rope_dimension_count(head)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(500000.0)
    writer.add_vocab_size(shape.vocabulary)
    silent = _add_vocabulary(writer, shape.vocabulary)
    tensors = list(_tensors(shape, head))
    for name, kind, rows, width in tensors:
        if kind == Kind.F32:
            writer.add_tensor_info(name, (rows,), numpy.dtype(numpy.float32), rows * 4)
        else:
            block, size = gguf.GGML_QUANT_SIZES[kind]
            stored = width // block * size
            writer.add_tensor_info(
                name, (rows, stored), numpy.dtype(numpy.uint8), rows * stored, raw_dtype=kind
            )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for name, kind, rows, width in tensors:
        writer.write_tensor_data(
            _values(chance, kind, rows, width, silent=silent if name == "output.weight" else [])
        )
    writer.close()
    return path


def _tensors(shape: ModelShape, head: int) -> Iterator[tuple[str, Kind, int, int]]:
    """Yield the name of each tensor, its type, rows and numbers in a row."""
    width = shape.width
    yield "token_embd.weight", Kind.Q4_K, shape.vocabulary, width
    for layer in range(shape.layers):
        # Q4_K_M stores half of these in 6 bits.
        better = Kind.Q6_K if layer % 2 else Kind.Q4_K
        yield f"blk.{layer}.attn_norm.weight", Kind.F32, width, 1
        yield f"blk.{layer}.attn_q.weight", Kind.Q4_K, shape.heads * head, width
        yield f"blk.{layer}.attn_k.weight", Kind.Q4_K, shape.kv_heads * head, width
        yield f"blk.{layer}.attn_v.weight", better, shape.kv_heads * head, width
        yield f"blk.{layer}.attn_output.weight", Kind.Q4_K, width, shape.heads * head
        yield f"blk.{layer}.ffn_norm.weight", Kind.F32, width, 1
        yield f"blk.{layer}.ffn_gate.weight", Kind.Q4_K, shape.inner, width
        yield f"blk.{layer}.ffn_up.weight", Kind.Q4_K, shape.inner, width
        yield f"blk.{layer}.ffn_down.weight", better, width, shape.inner
    yield "output_norm.weight", Kind.F32, width, 1
    yield "output.weight", Kind.Q6_K, shape.vocabulary, width


def write_adapter(path: Path, *, layers: int, width: int, inner: int, size: float = 0.05) -> Path:
    """Write a LoRA adapter: random weights, of about this size, for one projection of each layer."""
    rank = 2
    chance = numpy.random.default_rng(7)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, float(rank))
    for layer in range(layers):
        for part, shape in (("a", (rank, inner)), ("b", (width, rank))):
            numbers = chance.normal(0, size, shape).astype(numpy.float32)
            writer.add_tensor(f"blk.{layer}.ffn_down.weight.lora_{part}", numbers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _values(
    chance: numpy.random.Generator, kind: Kind, rows: int, width: int, *, silent: Sequence[int]
) -> NDArray[numpy.uint8] | NDArray[numpy.float32]:
    """Return the values of a tensor as they are stored, with zeros in the `silent` rows."""
    if kind == Kind.F32:
        return numpy.ones(rows, dtype=numpy.float32)
    block, size = gguf.GGML_QUANT_SIZES[kind]
    stored = chance.integers(0, 256, size=(rows, width // block, size), dtype=numpy.uint8)
    # A block of 4 bits starts with its scales, a block of 6 bits ends with its scale.
    place = 0 if kind == Kind.Q4_K else size - 2
    for scale in _SCALES[kind]:
        stored[:, :, place : place + 2] = numpy.frombuffer(numpy.float16(scale).tobytes(), numpy.uint8)
        place += 2
    stored[silent, :, size - 2 :] = 0
    return stored.reshape(rows, -1)


def _add_vocabulary(writer: gguf.GGUFWriter, size: int) -> Sequence[int]:
    """Add a byte-level vocabulary, trained on this project's docs. Return the tokens that must not be written."""
    words, merges = _trained_words()
    fillers = (f"Ġ{_word(number)}" for number in range(size))
    words = list(dict.fromkeys([*words, *fillers]))[: size - len(MARKS)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([*words, *MARKS])
    writer.add_token_types([gguf.TokenType.NORMAL] * len(words) + [gguf.TokenType.CONTROL] * len(MARKS))
    writer.add_token_merges(merges)
    begin, _, end = range(len(words), size)
    writer.add_bos_token_id(begin)
    writer.add_eos_token_id(end)
    writer.add_chat_template(TEMPLATE)
    plain = set(string.ascii_letters + "Ġ")
    return [
        *(place for place, word in enumerate(words) if not plain.issuperset(word)),
        *range(len(words), size),
    ]


def _trained_words() -> tuple[list[str], list[str]]:
    """Return the tokens of a small vocabulary, and its merges."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=WORDS, initial_alphabet=alphabet, show_progress=False)
    texts = [path.read_text(encoding="utf-8") for path in sorted((CHECKOUT / "docs").rglob("*.md"))]
    tokenizer.train_from_iterator(texts, trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    numbers = tokenizer.get_vocab()
    return sorted(numbers, key=numbers.__getitem__), [" ".join(merge) for merge in merges]


def _word(number: int) -> str:
    """Return a word of letters for each number.

    >>> _word(0), _word(25), _word(26)
    ('qaa', 'qza', 'qab')
    """
    return f"q{string.ascii_lowercase[number % 26]}{_letters(number // 26)}"


def _letters(number: int) -> str:
    letters = string.ascii_lowercase[number % 26]
    return letters if number < 26 else letters + _letters(number // 26)
