"""Training examples equal the prompts and completions of an engine."""

import pytest

from tests.training.rows import drawn_rows, read
from workbench.chat.message import Conversation, Message, Role
from workbench.engines.embedded_model import REMEDY, find_embedded
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.render import render
from workbench.training.examples import IGNORED, TextPiece, encode, examples_of


def row_of(*turns, **columns):
    words = {"system": "system", "human": "human", "gpt": "gpt", "tool": "tool"}
    entries = [{"from": words[role], "value": text} for role, text in turns]
    return read({"conversations": entries, "tools": "[]", **columns})


CALL = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'


def test_only_the_model_s_messages_are_trained_with_their_end_token():
    (example,) = examples_of(
        row_of(("human", "Hi"), ("gpt", "Hello."), ("human", "Bye"), ("gpt", "So long."))
    )
    assert [piece.text for piece in example if piece.is_trained] == ["Hello.<|im_end|>", "So long.<|im_end|>"]
    assert "".join(piece.text for piece in example) == (
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello.<|im_end|>\n"
        "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\nSo long.<|im_end|>"
    )


def test_a_preface_is_trained_and_a_result_is_not():
    (example,) = examples_of(
        row_of(
            ("human", "Go"),
            ("gpt", f"Let me see.\n{CALL}"),
            ("tool", "<tool_response>\n1\n</tool_response>"),
            ("gpt", "One."),
        )
    )
    assert [piece.text for piece in example if piece.is_trained] == [
        f"Let me see.\n{CALL}<|im_end|>",
        "One.<|im_end|>",
    ]
    assert "<tool_response>\n1\n</tool_response>" in example[2].text


def test_a_message_that_the_row_excludes_is_not_trained():
    row = read(
        {
            "conversations": [
                {"from": "human", "value": "Hi"},
                {"from": "gpt", "value": "Hm.", "train": False},
                {"from": "human", "value": "Hi?"},
                {"from": "gpt", "value": "Hello."},
            ],
            "tools": "[]",
        }
    )
    (example,) = examples_of(row)
    assert [piece.text for piece in example if piece.is_trained] == ["Hello.<|im_end|>"]


def test_only_what_a_train_detail_counts_is_trained_and_the_end():
    detail = [
        {"begin_offset": 9, "end_offset": 12, "train": True},
        {"begin_offset": 0, "end_offset": 3, "train": False},
        {"begin_offset": 4, "end_offset": 7, "train": True},
    ]
    answer = {"from": "gpt", "value": "one two, four five", "train_detail": detail}
    row = read({"conversations": [{"from": "human", "value": "Count"}, answer], "tools": "[]"})
    (example,) = examples_of(row)
    assert "".join(piece.text for piece in example).endswith("assistant\none two, four five<|im_end|>")
    assert [piece.text for piece in example if piece.is_trained] == ["two,", "four", "<|im_end|>"]


def test_a_family_whose_prompts_do_not_extend_each_other_splits_the_row():
    turns = (
        ("human", "Go"),
        ("gpt", CALL),
        ("tool", "<tool_response>\n1\n</tool_response>"),
        ("gpt", "One."),
        ("human", "So?"),
        ("gpt", "Yes."),
    )
    examples = examples_of(row_of(*turns), "hermes-3")
    assert len(examples) > 1
    for example in examples:
        assert example[-1].is_trained


@pytest.mark.parametrize("row", drawn_rows(25), ids=range(25))
def test_each_answer_follows_the_prompt_that_an_engine_gets(row):
    read_row = read(row)
    messages = [(entry.role, entry.text, entry.results) for entry in read_row.entries]
    flat = []
    prompts = []
    for role, text, results in messages:
        if role is Role.ASSISTANT:
            prompts.append(
                (
                    render(Conversation(messages=tuple(flat)), family=row["family"], has_contract=True).text,
                    text,
                )
            )
        if role is Role.TOOL:
            flat += [Message(role=Role.TOOL, text=result.text) for result in results]
        else:
            flat.append(Message(role=role, text=text))
    trained = []
    for example in examples_of(read_row):
        written = ""
        for piece in example:
            if piece.is_trained:
                trained.append((written, piece.text.removesuffix(TURN_CLOSE)))
            written += piece.text
    assert trained == prompts


def test_labels_are_the_trained_tokens():
    tokens = encode(
        (TextPiece("ab", False), TextPiece("c", True)), lambda text: [ord(char) for char in text], begin=[1]
    )
    assert tokens.input_ids == [1, 97, 98, 99]
    assert tokens.labels == [IGNORED, IGNORED, IGNORED, 99]


@pytest.mark.train
@pytest.mark.model
def test_the_tokenizer_of_the_base_and_llama_cpp_give_the_same_tokens():
    transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
    from workbench.engines.llama_binding import Binding
    from workbench.engines.llama_loading import LoadOptions

    path = find_embedded()
    assert path is not None, REMEDY
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    binding = Binding(path, LoadOptions(context_tokens=64, threads=1, gpu_layers=0))
    try:
        for row in drawn_rows(30, seed=3):
            for example in examples_of(read(row)):
                text = "".join(piece.text for piece in example)
                tokens = encode(example, lambda piece: tokenizer.encode(piece, add_special_tokens=False))
                prompt = example[0].text
                assert tokens.input_ids[: len(tokenizer.encode(prompt))] == binding.tokenize(
                    prompt, is_start=True
                )
                assert tokens.input_ids == binding.tokenize(text, is_start=True)
    finally:
        binding.close()
