"""Rows and a tiny model for the tests that train."""

import json

import pytest

from tests.training.rows import drawn_rows


@pytest.fixture(scope="module")
def rows_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    rows = drawn_rows(24, seed=5, names=("minimal",), most_tools=1, lengths=((1, 1.0),))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def tiny_base(tmp_path_factory, rows_file):
    """A Llama of two layers with random weights, and a tokenizer of 500 tokens."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    folder = tmp_path_factory.mktemp("base")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    marks = ["<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=marks, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(rows_file.read_text().splitlines(), trainer)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=marks[0], eos_token=marks[1], pad_token=marks[1]
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=500,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
