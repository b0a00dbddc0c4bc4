"""`workbench mask` shows what a trainer's own code trains on: TRL's, and that of others if they are installed.

The head of `tests/training/test_trainers.py` says how to install the other trainers.
"""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.training.rows import drawn_rows
from workbench.training.examples import examples_of
from workbench.training.hermes_template import TEMPLATE
from workbench.trajectory.formats.known import FORMATS
from workbench.trajectory.row_reading import read_trajectory
from workbench.trajectory.writing.convert import write_row
from workbench.trajectory.writing.row_draft import RowOptions

pytest.importorskip("torch", reason="the extra train is not installed: make test EXTRAS=train")
trl = pytest.importorskip("trl", reason="the extra train is not installed")
transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore"),
]

TEMPLATES = Path(trl.__file__).parent / "chat_templates"
SPEC = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
CALL = {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Paris"}}}
WITHOUT_END = (
    "{%- for message in messages %}<|im_start|>{{ message.role }}\n{% if message.role == 'assistant' %}"
    "{% generation %}{{ message.content }}{% endgeneration %}{% else %}{{ message.content }}{% endif %}<|im_end|>\n"
    "{% endfor -%}"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A folder with a byte-level tokenizer and the chat template of Qwen3."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    folder = tmp_path_factory.mktemp("model")
    marks = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=marks, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(["Weather in Paris? It is 18 degrees. get_weather city"], trainer)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=marks[1], pad_token=marks[2]
    )
    fast.chat_template = (TEMPLATES / "qwen3.jinja").read_text()
    fast.save_pretrained(folder)
    return folder


@pytest.fixture
def rows(tmp_path):
    """Two rows, the second without a call. In the first one, the answer is not to be trained on."""
    return write(
        tmp_path / "rows.jsonl",
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Weather in Paris?"},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "name": "get_weather", "content": "18 degrees"},
                {"role": "assistant", "content": "It is 18 degrees.", "weight": 0},
            ],
            "tools": [SPEC],
        },
        {
            "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "4"}],
            "tools": [SPEC],
        },
    )


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def ask(run_cli, model):
    """Runs `workbench mask --json`; returns the exit code, (row, entry, code, severity) of the findings, and the JSON."""

    def run(file, *arguments, trainer="trl"):
        done = run_cli("mask", file, "--trainer", trainer, "--model", model, "--json", *arguments)
        assert done.out, done.err
        found = json.loads(done.out)
        findings = [
            (finding["row"], finding["entry"], finding["code"], finding["severity"])
            for finding in found["findings"]
        ]
        return done.code, findings, found

    return run


def trained_texts(found):
    text = found["mask"]["text"]
    return [text[start:end] for start, end in found["mask"]["trained"]]


def test_trl_trains_on_everything_by_default(ask, rows):
    code, findings, found = ask(rows)
    assert code == 1
    assert findings == [
        (1, 0, "mask-ignored", "warning"),
        (1, 1, "mask-ignored", "warning"),
        (1, 3, "mask-ignored", "warning"),
        (1, 4, "mask-ignored", "error"),
        (2, 0, "mask-ignored", "warning"),
    ]
    assert (found["rows"], found["trained"]) == (2, found["tokens"])


def test_with_its_own_option_trl_trains_on_answers_but_not_by_weight(ask, rows):
    code, findings, found = ask(rows, "--row", 1, "--set", "assistant_only_loss=true")
    assert (code, findings) == (1, [(1, 4, "mask-ignored", "error")])
    thought = "<think>\n\n</think>\n\n"
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    assert trained_texts(found) == [
        f"{thought}{call}<|im_end|>\n",
        f"{thought}It is 18 degrees.<|im_end|>\n",
    ]
    ids = [token["id"] for token in found["mask"]["tokens"]]
    assert found["trained"] == sum(token["trained"] for token in found["mask"]["tokens"])
    assert len(ids) == found["tokens"]
    code, findings, _ = ask(rows, "--row", 2, "--set", "assistant_only_loss=true")
    assert (code, findings) == (0, [])


def test_trl_trains_on_the_completion_of_a_prompt(ask, tmp_path):
    row = {
        "prompt": [{"role": "user", "content": "Weather in Paris?"}],
        "completion": [{"role": "assistant", "content": "It is 18 degrees."}],
    }
    code, findings, found = ask(write(tmp_path / "rows.jsonl", row), "--row", 1)
    assert (code, findings) == (0, [])
    assert trained_texts(found) == ["<think>\n\n</think>\n\nIt is 18 degrees.<|im_end|>\n"]


def test_a_template_that_leaves_out_calls_is_found(ask, rows):
    code, findings, _ = ask(
        rows, "--row", 1, "--template", TEMPLATES / "llama3.jinja", "--set", "assistant_only_loss=true"
    )
    assert code == 1
    assert (1, 2, "mask-left-out", "warning") in findings


def test_a_template_that_does_not_train_the_end_of_a_turn_is_found(ask, rows, tmp_path):
    template = tmp_path / "template.jinja"
    template.write_text(WITHOUT_END)
    code, findings, found = ask(rows, "--row", 2, "--template", template, "--set", "assistant_only_loss=true")
    assert (code, findings) == (0, [(2, 1, "mask-end-untrained", "warning")])
    assert trained_texts(found) == ["4"]


def test_messages_that_are_cut_off_and_rows_that_are_left_out_are_found(ask, tmp_path):
    long = {"role": "user", "content": "Weather in Paris? " * 20}
    answer = {"role": "assistant", "content": "It is 18 degrees."}
    file = write(tmp_path / "rows.jsonl", {"messages": [long, answer]}, {"messages": [answer, long]})
    code, findings, _ = ask(file, "--set", "assistant_only_loss=true", "--set", "max_length=60")
    assert (code, findings) == (1, [(1, None, "mask-dropped", "error")])
    code, findings, _ = ask(file, "--set", "max_length=60", "--row", 1)
    assert (1, 1, "mask-left-out", "warning") in findings


@pytest.mark.parametrize("template", ["qwen3", "qwen2_5", "llama3"])
def test_messages_of_many_rows_are_found_in_published_templates(ask, tmp_path, template):
    generated = drawn_rows(20, seed=3, names=("minimal",), most_tools=2, lengths=((1, 0.5), (2, 0.5)))
    written = [
        write_row(read_trajectory(FORMATS["sharegpt"].read(row)).trajectory, FORMATS["trl"], RowOptions()).row
        for row in generated
    ]
    code, findings, found = ask(
        write(tmp_path / "rows.jsonl", *written),
        "--template", TEMPLATES / f"{template}.jinja",
        "--set", "assistant_only_loss=true", "--set", "max_length=null",
    )  # fmt: skip
    codes = {code for _, _, code, _ in findings}
    assert (code, found["rows"]) == (0, 20)
    assert codes <= ({"mask-left-out"} if template == "llama3" else set())


def test_the_hermes_template_trains_what_the_model_wrote_and_nothing_else(ask, tmp_path):
    template = tmp_path / "hermes.jinja"
    template.write_text(TEMPLATE)
    generated = drawn_rows(12, seed=3, names=("minimal",), most_tools=2, lengths=((2, 0.5), (3, 0.5)))
    read_rows = [FORMATS["sharegpt"].read(row) for row in generated]
    written = [
        write_row(read_trajectory(row).trajectory, FORMATS["trl"], RowOptions()).row for row in read_rows
    ]
    file = write(tmp_path / "rows.jsonl", *written)
    options = ("--template", template, "--set", "assistant_only_loss=true", "--set", "max_length=null")
    code, findings, _ = ask(file, *options)
    assert (code, findings) == (0, [])
    replies, calls = 0, 0
    for number, row in enumerate(read_rows, 1):
        [example] = examples_of(row, "hermes-lines")
        _, _, found = ask(file, *options, "--row", number)
        assert trained_texts(found) == [piece.text for piece in example if piece.is_trained]
        # What is trained and what is not, after the system message, whose tools TRL has in a column of their own.
        assert (
            after_system(found["mask"]["text"])
            == after_system("".join(piece.text for piece in example)) + "\n"
        )
        replies += len(trained_texts(found))
        calls += found["mask"]["text"].count("</tool_call>")
    assert replies > 2 * len(read_rows) and calls > len(read_rows)


def after_system(text):
    return text[text.index("<|im_start|>user") :]


def test_text_for_people_names_the_rows(run_cli, model, rows):
    done = run_cli("mask", rows, "--trainer", "trl", "--model", model, "--set", "assistant_only_loss=true")
    assert done.code == 1
    assert done.out.splitlines()[0] == (
        f"{rows}:1: error: mask-ignored: message 5 is trained on, though it should not be, as the row says"
    )
    assert "tokens are trained on, in 2 rows" in done.out
    done = run_cli(
        "mask", rows, "--trainer", "trl", "--model", model, "--row", 2, "--set", "assistant_only_loss=true"
    )
    assert "⟦<think>\n\n</think>\n\n4<|im_end|>\n⟧" in done.out


@pytest.mark.parametrize("trainer", ["axolotl", "llamafactory", "unsloth"])
def test_a_trainer_that_is_not_installed_is_not_guessed(run_cli, model, rows, trainer, monkeypatch):
    monkeypatch.setitem(sys.modules, trainer, None)
    done = run_cli("mask", rows, "--trainer", trainer, "--model", model)
    assert (done.code, done.out) == (2, "")
    assert f"--trainer {trainer}: " in done.err
    assert "is not installed; its masks are not known" in done.err


def test_a_trainer_that_refuses_this_machine_is_not_blamed_on_the_rows(
    run_cli, model, rows, tmp_path, monkeypatch
):
    """Unsloth before version 2026 could not be imported without a GPU."""
    problem = "Unsloth currently only works on NVIDIA GPUs and Intel GPUs."
    (tmp_path / "unsloth.py").write_text(f"raise NotImplementedError({problem!r})")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "unsloth", raising=False)
    done = run_cli("mask", rows, "--trainer", "unsloth", "--model", model)
    assert (done.code, done.out) == (2, "")
    assert f"cannot be imported: {problem}; its masks are not known" in done.err
    assert "refuses the rows" not in done.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--set", "nothing=1"], "it refuses the rows: SFTConfig.__init__() got an unexpected keyword"),
        (["--set", "nothing"], "not NAME=VALUE"),
        (["--row", "9"], "there is no such row"),
        (["--template", "nothing.jinja"], "No such file"),
    ],
)
def test_bad_input_is_refused(run_cli, model, rows, arguments, problem):
    done = run_cli("mask", rows, "--trainer", "trl", "--model", model, *arguments)
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
    done = run_cli("mask", rows, "--trainer", "trl", "--model", rows.parent / "missing", *arguments)
    assert done.code == 2


@pytest.mark.skipif(find_spec("axolotl") is None, reason="Axolotl is not installed")
def test_axolotl_honors_weights_only_on_request(ask, rows):
    code, findings, _ = ask(rows, trainer="axolotl")
    assert (code, findings) == (1, [(1, 4, "mask-ignored", "error")])
    code, findings, _ = ask(rows, "--set", "message_field_training=weight", trainer="axolotl")
    assert (code, findings) == (0, [])


@pytest.mark.skipif(find_spec("llamafactory") is None, reason="LLaMA-Factory is not installed")
def test_llama_factory_trains_on_all_answers_or_the_last(run_cli, ask, rows, tmp_path):
    file = tmp_path / "factory.jsonl"
    assert run_cli("convert", rows, "--to", "llamafactory", "--out", file).code == 0
    code, findings, _ = ask(file, "--set", "template=qwen", trainer="llamafactory")
    assert (code, findings) == (0, [])
    code, findings, _ = ask(
        file, "--set", "template=qwen", "--set", "mask_history=true", trainer="llamafactory"
    )
    assert (code, findings) == (0, [(1, 1, "mask-ignored", "warning")])


@pytest.mark.skipif(find_spec("unsloth") is None, reason="Unsloth is not installed")
def test_unsloth_trains_on_what_follows_the_mark_of_the_model(run_cli, model, rows):
    parts = [
        option
        for name, role in (("instruction_part", "user"), ("response_part", "assistant"))
        for option in ("--set", f'{name}="<|im_start|>{role}\\n"')
    ]
    # Unsloth changes TRL when it is imported, so it has a process of its own.
    command = [sys.executable, "-m", "workbench", "mask", rows, "--trainer", "unsloth", "--model", model]
    done = subprocess.run([*command, "--json", *parts], capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert [(one["row"], one["entry"], one["code"]) for one in found["findings"]] == [(1, 4, "mask-ignored")]
    assert done.returncode == 1
