"""Trainers themselves take exported files: TRL's SFT, DPO and KTO trainers make a step on each of their formats.

The loaders of LLaMA-Factory and Axolotl read the files if they are installed. Their releases require older versions of
`transformers` and `datasets` than the extra `train` has, so these tests are usually skipped, with the reason, and what
their documentation says about rows is checked instead. To run them next to the extra `train`:

    pip install --no-deps --target peers llamafactory axolotl omegaconf antlr4-python3-runtime==4.9.3 av colorama addict
    pip install --no-deps --target peers unsloth unsloth_zoo
    PYTHONPATH=peers DISABLE_VERSION_CHECK=1 python -m pytest tests/training/test_trainers.py

LLaMA-Factory also imports `torchaudio`, for which an empty module suffices, and refuses newer versions without the
variable.
"""

import json
from dataclasses import replace

import pytest

from tests.training.rows import drawn_rows
from workbench.chat.message import Role
from workbench.library.datasets.row_writer import open_writer
from workbench.trajectory.formats.known import FORMATS, format_named
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Prose, RowMessage
from workbench.trajectory.writing.argument_columns import ArgumentTypes
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

torch = pytest.importorskip("torch", reason="the extra train is not installed: make test EXTRAS=train")
trl = pytest.importorskip("trl", reason="the extra train is not installed")
datasets = pytest.importorskip("datasets", reason="the extra train is not installed")
pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore"),
]
TEMPLATE = (
    "{%- if tools %}<|im_start|>system\n<tools>{{ tools | tojson }}</tools><|im_end|>\n{% endif -%}"
    "{%- for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content or '' }}"
    '{%- for call in message.tool_calls or [] %}<tool_call>\n{"name": {{ call.function.name | tojson }}, '
    '"arguments": {% if call.function.arguments is string %}{{ call.function.arguments }}{% else %}'
    "{{ call.function.arguments | tojson }}{% endif %}}\n</tool_call>{% endfor -%}<|im_end|>\n{% endfor -%}"
    "{%- if add_generation_prompt %}<|im_start|>assistant\n{% endif -%}"
)
"""A chat template that lists tools and writes calls as Hermes does."""
FEW = 8


def trajectories(form):
    for number, row in enumerate(
        drawn_rows(FEW, seed=5, names=("minimal",), most_tools=1, lengths=((1, 1.0),))
    ):
        trajectory = read_trajectory(FORMATS["sharegpt"].read(row)).trajectory
        if form == "dpo":
            no = RowMessage(role=Role.ASSISTANT, parts=(Prose(text=f"No {number}."),))
            trajectory = replace(trajectory, rejected=(no,))
        yield replace(trajectory, label=number % 2 == 0) if form == "kto" else trajectory


def exported(folder, form):
    """Write a file as `workbench export` does: arguments as text if their types differ."""
    rows, types = list(trajectories(form)), ArgumentTypes()
    for trajectory in rows:
        types.add(trajectory)
    path = folder / f"{form}.jsonl"
    with open_writer(str(path)) as write:
        for trajectory in rows:
            done = write_row(trajectory, format_named(form), RowOptions(arguments=types.form))
            assert done.problems == ()
            write(done.row)
    return path


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("trl", "SFT"),
        ("openai", "SFT"),
        ("raw", "SFT"),
        ("dpo", "DPO"),
        ("kto", "KTO"),
    ],
)
def test_a_trainer_of_trl_makes_a_step_on_an_exported_file(tiny_base, tmp_path, form, name):
    file = exported(tmp_path, form)
    loaded = datasets.load_dataset("json", data_files=str(file), cache_dir=str(tmp_path / "cache"))["train"]
    assert len(loaded) == FEW
    assert one_step(tiny_base, tmp_path, loaded, name) > 0


def one_step(tiny_base, folder, loaded, name):
    """Let a trainer of TRL make one step on a loaded data set, and return its loss."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_base)
    tokenizer.chat_template = TEMPLATE
    options = {
        "output_dir": str(folder / "out"),
        "max_steps": 1,
        "per_device_train_batch_size": 2,
        "report_to": "none",
        "use_cpu": True,
        "bf16": False,
        "save_strategy": "no",
        "max_length": 512,
        "gradient_checkpointing": False,
    }
    trainer = getattr(trl, f"{name}Trainer")(
        model=transformers.AutoModelForCausalLM.from_pretrained(tiny_base),
        args=getattr(trl, f"{name}Config")(**options),
        train_dataset=loaded,
        processing_class=tokenizer,
    )
    trainer.train()
    losses = [entry["train_loss"] for entry in trainer.state.log_history if "train_loss" in entry]
    assert trainer.state.global_step == 1
    return losses[0]


FACTORY = ["llamafactory", "llamafactory-dpo", "llamafactory-kto"]


def factory_file(folder, form):
    """Export rows for LLaMA-Factory, with the `dataset_info.json` that describes them."""
    plain = form.removeprefix("llamafactory").removeprefix("-") or "sft"
    path = folder / "rows.jsonl"
    with open_writer(str(path)) as write:
        for trajectory in trajectories(plain):
            if plain == "dpo":
                start = trajectory.answer_index
                trajectory = replace(trajectory, messages=trajectory.messages[: start + 1])
            done = write_row(trajectory, format_named(form), RowOptions())
            assert done.problems == ()
            write(done.row)
    info = {"rows": {"file_name": path.name, **format_named(form).dataset_info}}
    (folder / "dataset_info.json").write_text(json.dumps(info))
    return path


@pytest.mark.parametrize("form", FACTORY)
def test_the_loader_of_llama_factory_reads_every_row(tmp_path, form):
    reason = "LLaMA-Factory is not installed; see the head of this file"
    parser = pytest.importorskip("llamafactory.data.parser", reason=reason)
    converter = pytest.importorskip("llamafactory.data.converter", reason=reason)
    import transformers
    from llamafactory.hparams import DataArguments

    file = factory_file(tmp_path, form)
    (described,) = parser.get_dataset_list(["rows"], str(tmp_path))
    loaded = datasets.load_dataset("json", data_files=str(file), cache_dir=str(tmp_path / "cache"))["train"]
    aligned = converter.align_dataset(
        loaded,
        described,
        DataArguments(dataset_dir=str(tmp_path)),
        transformers.Seq2SeqTrainingArguments(output_dir=str(tmp_path / "out"), use_cpu=True),
    )
    assert len(aligned) == FEW
    for row, written in zip(aligned, lines_of(file), strict=True):
        # It skips a row that it cannot use by leaving these empty.
        spoken = [{"from": message["role"], "value": message["content"]} for message in row["_prompt"]]
        names = {
            "user": "human",
            "assistant": "gpt",
            "observation": "observation",
            "function": "function_call",
        }
        assert [names[entry["from"]] for entry in spoken] == [
            entry["from"] for entry in written["conversations"][: len(spoken)]
        ]
        assert len(row["_response"]) == (1 if form == "llamafactory" else 2)
        assert row["_system"] == (written["system"] or "")
        assert row["_tools"] == written["tools"]
        if form == "llamafactory-kto":
            assert [bool(answer["content"]) for answer in row["_response"]] == (
                [True, False] if written["kto_tag"] else [False, True]
            )


def test_axolotl_trains_only_what_the_model_wrote(tiny_base, tmp_path):
    reason = "Axolotl is not installed; see the head of this file"
    strategies = pytest.importorskip("axolotl.prompt_strategies.chat_template", reason=reason)
    import transformers
    from axolotl.utils.dict import DictDefault

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_base)
    tokenizer.chat_template = TEMPLATE
    config = DictDefault(
        {"sequence_len": 4096, "train_on_inputs": False, "chat_template": "tokenizer_default"}
    )
    # The lines of the dataset in Axolotl's configuration.
    strategy = strategies.load(tokenizer, config, {"type": "chat_template", "field_messages": "messages"})
    for row in lines_of(exported(tmp_path, "trl")):
        done = strategy.tokenize_prompt(row)
        trained = [
            token for token, label in zip(done["input_ids"], done["labels"], strict=True) if label != -100
        ]
        text = tokenizer.decode(trained)
        prompt = tokenizer.decode(done["input_ids"])
        for message in row["messages"]:
            for call in message.get("tool_calls") or ():
                assert call["function"]["name"] in text
            content = message.get("content") or ""
            assert (content.strip() in text) == (message["role"] == "assistant" or not content)
            assert content in prompt


def lines_of(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("form", FACTORY)
def test_rows_have_the_shape_that_llama_factory_documents(tmp_path, form):
    """*Source:* https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md"""
    for row in lines_of(factory_file(tmp_path, form)):
        entries = row["conversations"]
        speakers = [entry["from"] for entry in entries]
        assert all(speaker in ("human", "observation") for speaker in speakers[::2])
        assert all(speaker in ("gpt", "function_call") for speaker in speakers[1::2])
        answers = [row["chosen"], row["rejected"]] if form == "llamafactory-dpo" else []
        assert len(speakers) % 2 == (1 if answers else 0)
        for entry in (*entries, *answers):
            assert entry.keys() == {"from", "value"}
            if entry["from"] == "function_call":
                assert isinstance(json.loads(entry["value"]), dict | list)
        assert isinstance(json.loads(row["tools"]), list)
        assert isinstance(row.get("kto_tag", True), bool)


def test_rows_have_the_columns_that_axolotl_documents(tmp_path):
    """Axolotl reads `messages` and `tools` of TRL's rows with `type: chat_template`.

    *Source:* https://docs.axolotl.ai/docs/dataset-formats/conversation.html
    """
    for row in lines_of(exported(tmp_path, "trl")):
        assert isinstance(row.get("tools", []), list)
        for message in row["messages"]:
            assert message["role"] in ("system", "user", "assistant", "tool")
            for call in message.get("tool_calls") or ():
                assert call.keys() >= {"type", "function"}
                assert call["function"].keys() == {"name", "arguments"}
