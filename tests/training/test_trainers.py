"""Trainers themselves take exported files: TRL's SFT, DPO and KTO trainers make a step on each of their formats."""

import json
from dataclasses import replace

import pytest

from tests.training.rows import drawn_rows
from workbench.chat.message import Role
from workbench.library.datasets.row_writer import open_writer
from workbench.trajectory.formats.known import FORMATS, format_named
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.trajectory import Prose, RowMessage
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.losses import ArgumentTypes
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
    import transformers

    file = exported(tmp_path, form)
    loaded = datasets.load_dataset("json", data_files=str(file), cache_dir=str(tmp_path / "cache"))["train"]
    assert len(loaded) == FEW
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_base)
    tokenizer.chat_template = TEMPLATE
    options = {
        "output_dir": str(tmp_path / "out"),
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
    assert losses
    assert losses[0] > 0


@pytest.mark.parametrize("form", ["llamafactory", "llamafactory-dpo", "llamafactory-kto"])
def test_rows_have_the_shape_that_llama_factory_documents(tmp_path, form):
    """LLaMA-Factory cannot be installed next to this version of transformers, so its README is the reference.

    *Source:* https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md
    """
    plain = form.removeprefix("llamafactory").removeprefix("-") or "sft"
    for trajectory in trajectories(plain):
        if plain == "dpo":
            start = trajectory.answer_index
            trajectory = replace(trajectory, messages=trajectory.messages[: start + 1])
        done = write_row(trajectory, format_named(form), RowOptions())
        assert done.problems == ()
        entries = done.row["conversations"]
        speakers = [entry["from"] for entry in entries]
        assert all(speaker in ("human", "observation") for speaker in speakers[::2])
        assert all(speaker in ("gpt", "function_call") for speaker in speakers[1::2])
        answers = [done.row["chosen"], done.row["rejected"]] if plain == "dpo" else []
        assert len(speakers) % 2 == (1 if answers else 0)
        for entry in (*entries, *answers):
            assert entry.keys() == {"from", "value"}
            if entry["from"] == "function_call":
                assert isinstance(json.loads(entry["value"]), dict | list)
        assert isinstance(json.loads(done.row["tools"]), list)
        assert isinstance(done.row.get("kto_tag", True), bool)


def test_rows_have_the_columns_that_axolotl_documents(tmp_path):
    """Axolotl reads `messages` and `tools` of TRL's rows with `type: chat_template`.

    *Source:* https://docs.axolotl.ai/docs/dataset-formats/conversation.html
    """
    for line in exported(tmp_path, "trl").read_text().splitlines():
        row = json.loads(line)
        assert isinstance(row.get("tools", []), list)
        for message in row["messages"]:
            assert message["role"] in ("system", "user", "assistant", "tool")
            for call in message.get("tool_calls") or ():
                assert call.keys() >= {"type", "function"}
                assert call["function"].keys() == {"name", "arguments"}
