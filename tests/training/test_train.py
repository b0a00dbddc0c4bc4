"""Small real training runs: their results, resuming after a kill or a stop, and the adapter in llama.cpp."""

import json
import shutil
import signal
import subprocess
import sys
from hashlib import sha256

import numpy
import pytest

from workbench.engines.embedded_model import REMEDY, find_embedded

torch = pytest.importorskip("torch", reason="the extra train is not installed: make test EXTRAS=train")
transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.timeout(1200),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
STEPS = 6


def command(rows, base, out, *more):
    options = ["--base", str(base), "--out", str(out), "--max-steps", str(STEPS), "--lora-rank", "4"]
    few = ["--batch", "2", "--save-steps", "2", "--threads", "1", "--max-length", "4096"]
    return ["-m", "workbench", "train", str(rows), *options, *few, *more]


def signalled(number, after, command):
    """Return a command of `workbench` that sends its process group a signal after a line that starts with a text."""
    return ["-m", "tests.training.signalled", str(int(number)), after, *command[2:]]


def run_python(words):
    """Run Python in a process group of its own."""
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, start_new_session=True
    )


def run(*words):
    return run_python(command(*words))


def run_and_signal(number, after, *words):
    """Run until a line starts with `after`, then send the signal. Return standard error and the exit code."""
    done = run_python(signalled(number, after, command(*words)))
    return done.stderr, done.returncode


def weights_of(out):
    from safetensors.numpy import load_file

    return load_file(out / "adapter" / "adapter_model.safetensors")


@pytest.fixture(scope="module")
def finished_run(rows_file, tiny_base, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "run"
    done = run(rows_file, tiny_base, out)
    assert done.returncode == 0, done.stderr
    return out, done.stderr


def test_a_run_reports_loss_and_time_left(finished_run):
    _, message = finished_run
    assert f"step {STEPS}/{STEPS}  loss " in message
    assert "min left" in message


def test_the_receipt_has_the_trainer_s_block_and_everything_to_repeat_the_run(finished_run, rows_file):
    out, _ = finished_run
    receipt = json.loads((out / "receipt.json").read_text())
    block = receipt["function_calling"]
    assert block["template"] == "hermes-fc"
    assert block["validator_issues"] == 0
    assert block["max_seq_length"] == 4096
    assert block["n_tools_declared"] > 0 < block["n_tool_calls_in_train"]
    assert len(block["tool_schema_hash"]) == 64
    assert receipt["settings"]["seed"] == 0
    assert receipt["rows"]["files"][0]["name"] == rows_file.name
    assert [step for step, _ in receipt["loss_by_step"]] == list(range(1, STEPS + 1))
    assert {file["name"] for file in receipt["files"]} == {"adapter_model.safetensors", "adapter.gguf"}
    assert "torch" in receipt["versions"]
    assert (out / "README.md").read_text().startswith("---\nlicense: apache-2.0\n")


def test_the_gguf_file_has_both_parts_of_every_projection(finished_run):
    import gguf

    out, _ = finished_run
    reader = gguf.GGUFReader(out / "adapter.gguf")
    names = {tensor.name for tensor in reader.tensors}
    parts = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    assert names == {
        f"blk.{layer}.{part}.weight.lora_{role}" for layer in range(2) for part in parts for role in "ab"
    }


def test_a_killed_run_that_is_resumed_gives_the_same_weights(finished_run, rows_file, tiny_base, tmp_path):
    out = tmp_path / "run"
    _, code = run_and_signal(signal.SIGKILL, f"step 3/{STEPS}", rows_file, tiny_base, out)
    assert code == -signal.SIGKILL
    refused = run(rows_file, tiny_base, out)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    assert run(rows_file, tiny_base, out, "--resume").returncode == 0
    weights, others = weights_of(out), weights_of(finished_run[0])
    assert weights.keys() == others.keys()
    for name in weights:
        numpy.testing.assert_array_equal(weights[name], others[name])


def test_a_finished_run_is_stored_in_another_format_without_another_step(
    finished_run, rows_file, tiny_base, tmp_path
):
    out = shutil.copytree(finished_run[0], tmp_path / "run")
    done = run(rows_file, tiny_base, out, "--resume", "--stored-as", "q8_0")
    assert done.returncode == 0, done.stderr
    before, after = (json.loads((folder / "receipt.json").read_text()) for folder in (finished_run[0], out))
    assert (after["steps"], after["loss_by_step"]) == (before["steps"], before["loss_by_step"])
    weights, others = weights_of(out), weights_of(finished_run[0])
    for name in weights:
        numpy.testing.assert_array_equal(weights[name], others[name])
    assert (out / "adapter.gguf").stat().st_size < (finished_run[0] / "adapter.gguf").stat().st_size


def test_a_run_with_other_settings_is_not_resumed(finished_run, rows_file, tiny_base):
    done = run(rows_file, tiny_base, finished_run[0], "--resume", "--learning-rate", "0.1")
    assert done.returncode == 2
    assert "other settings" in done.stderr


def test_a_stopped_run_leaves_a_usable_adapter(rows_file, tiny_base, tmp_path):
    out = tmp_path / "run"
    message, code = run_and_signal(signal.SIGINT, f"step 3/{STEPS}", rows_file, tiny_base, out)
    assert code == 0, message
    assert "stopped; --resume continues" in message
    assert any(numpy.any(value) for name, value in weights_of(out).items() if "lora_B" in name)
    assert (out / "adapter.gguf").is_file()


def test_a_run_can_start_from_an_adapter_which_its_receipt_names(
    finished_run, rows_file, tiny_base, tmp_path
):
    start_adapter, out = finished_run[0] / "adapter.gguf", tmp_path / "run"
    # A run with learning rate 0 returns the weights that it started from, with q and k in the right order.
    done = run(rows_file, tiny_base, out, "--start", str(start_adapter), "--learning-rate", "0")
    assert done.returncode == 0, done.stderr
    weights, others = weights_of(out), weights_of(finished_run[0])
    assert weights.keys() == others.keys()
    for name in weights:
        numpy.testing.assert_array_equal(weights[name], others[name].astype("float16").astype("float32"))
    start = json.loads((out / "receipt.json").read_text())["start"]
    assert start["sha256"] == sha256(start_adapter.read_bytes()).hexdigest()
    assert start["receipt"]["steps"] == STEPS
    assert (
        f"Started from the adapter `adapter.gguf` ({start['sha256'][:12]}…)"
        in (out / "README.md").read_text()
    )


@pytest.mark.parametrize(
    ("start", "more", "message"),
    [
        ("nowhere.gguf", (), "no such file"),
        ("rows", (), "not a GGUF file"),
        ("whole", ("--lora-rank", "2"), "another base or rank"),
        ("whole", ("--lora-rank", "0"), "trains no adapter"),
    ],
)
def test_a_start_adapter_that_does_not_fit_is_reported(
    start, more, message, finished_run, rows_file, tiny_base, tmp_path
):
    path = {"rows": rows_file, "whole": finished_run[0] / "adapter.gguf"}.get(start, tmp_path / start)
    done = run(rows_file, tiny_base, tmp_path / "run", "--start", str(path), *more)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_broken_receipt_of_a_start_adapter_is_reported(tmp_path):
    from workbench.errors import BadInput
    from workbench.training.receipt import adapter_facts

    (tmp_path / "adapter.gguf").write_bytes(b"GGUF")
    assert adapter_facts(tmp_path / "adapter.gguf")["receipt"] is None
    (tmp_path / "receipt.json").write_text("{")
    with pytest.raises(BadInput, match="not valid JSON"):
        adapter_facts(tmp_path / "adapter.gguf")


@pytest.mark.parametrize(
    ("capability", "precision", "is_expected"),
    [("AVX2", "bf16", True), ("AVX2", "f32", False), ("AVX512", "bf16", False)],
)
def test_a_precision_that_the_processor_does_not_support_is_slow(
    capability, precision, is_expected, monkeypatch
):
    from workbench.training.base_model import is_slow

    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert is_slow(precision) is is_expected


def test_rows_with_errors_are_listed_and_nothing_is_trained(tiny_base, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"conversations": [{"from": "human", "value": "Hi"}], "tools": "[]"}\n')
    done = run(rows, tiny_base, tmp_path / "run")
    assert done.returncode == 1
    assert "rows.jsonl:1: last-not-assistant" in done.stderr
    assert "nothing trained" in done.stderr
    assert not (tmp_path / "run").exists()


def test_with_rank_0_all_weights_are_trained(rows_file, tiny_base, tmp_path):
    out = tmp_path / "run"
    assert run(rows_file, tiny_base, out, "--lora-rank", "0").returncode == 0
    assert (out / "model" / "model.safetensors").is_file()
    assert not (out / "adapter.gguf").exists()
    # The saved model uses its normal attention.
    assert "attn" not in (out / "model" / "config.json").read_text()


def test_a_base_with_another_attention_is_trained_with_padded_rows(rows_file, tiny_base, tmp_path):
    base, out = tmp_path / "base", tmp_path / "run"
    transformers.AutoTokenizer.from_pretrained(tiny_base).save_pretrained(base)
    torch.manual_seed(1)
    sizes = {"vocab_size": 500, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8}
    config = transformers.Gemma2Config(**sizes, **heads, bos_token_id=0, eos_token_id=1, pad_token_id=1)
    transformers.Gemma2ForCausalLM(config).save_pretrained(base)
    done = run(rows_file, base, out)
    assert done.returncode == 0, done.stderr
    receipt = json.loads((out / "receipt.json").read_text())
    assert receipt["texts"] == receipt["function_calling"]["train_examples"]
    assert (out / "adapter" / "adapter_model.safetensors").is_file()


def logits_of(ids, *adapters):
    from workbench.engines.llama_binding import Binding
    from workbench.engines.llama_loading import LoadOptions, LoraAdapter

    lora = tuple(LoraAdapter(path=path) for path in adapters)
    binding = Binding(find_embedded(), LoadOptions(context_tokens=512, threads=1, gpu_layers=0, lora=lora))
    try:
        (logits,) = binding.decode(ids)
    finally:
        binding.close()
    return logits - logits.mean()


@pytest.mark.long
@pytest.mark.model
def test_llama_cpp_and_transformers_agree_on_an_adapter_only_with_the_permutation(tmp_path, monkeypatch):
    from peft import LoraConfig, get_peft_model

    from workbench.training import gguf_adapter
    from workbench.training.gguf_adapter import AdapterFacts, AttentionHeads, write_adapter

    path = find_embedded()
    assert path is not None, REMEDY
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32
    )
    ids = [1, 4093, 198, 1780, 314, 260, 5670, 282, 4649, 47, 2, 198, 1, 520, 9531, 198]

    def expected():
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids])).logits[0, -1].numpy()
        return logits - logits.mean()

    def distance(first, second):
        return float(numpy.sqrt(numpy.mean((first - second) ** 2)))

    noise = distance(expected(), logits_of(ids))
    torch.manual_seed(3)
    lora = get_peft_model(
        model, LoraConfig(r=8, lora_alpha=16, target_modules=["q_proj", "k_proj"], task_type="CAUSAL_LM")
    )
    weights = {}
    for name, value in lora.named_parameters():
        if ".lora_B." in name:
            value.data.normal_(0, 0.2)
        if ".lora_" in name:
            weights[name.replace(".default.", ".")] = value.detach().numpy()
    config = model.config
    heads = AttentionHeads(config.num_attention_heads, config.num_key_value_heads)
    facts = AdapterFacts("llama", config.num_hidden_layers, heads, 16.0, "test")
    write_adapter(tmp_path / "right.gguf", weights, facts)
    monkeypatch.setattr(gguf_adapter, "PERMUTED", frozenset())
    write_adapter(tmp_path / "wrong.gguf", weights, facts)
    reference = expected()
    right = distance(reference, logits_of(ids, tmp_path / "right.gguf"))
    wrong = distance(reference, logits_of(ids, tmp_path / "wrong.gguf"))
    print(f"noise {noise:.3f}, right {right:.3f}, wrong {wrong:.3f}")
    assert right < 2.5 * noise
    assert wrong > 4 * right


@pytest.mark.long
@pytest.mark.model
def test_an_adapter_trained_on_rows_changes_the_logits_of_the_embedded_model(rows_file, tmp_path):
    out = tmp_path / "run"
    few = [
        "--max-steps",
        "3",
        "--batch",
        "1",
        "--lora-rank",
        "2",
        "--max-length",
        "600",
        "--learning-rate",
        "0.01",
    ]
    line = [
        sys.executable,
        "-m",
        "workbench",
        "train",
        str(rows_file),
        "--base",
        "embedded",
        "--out",
        str(out),
    ]
    done = subprocess.run([*line, *few], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ids = [1, 4093, 198, 1780, 314, 260, 5670, 2, 198, 1, 520, 9531, 198]
    adapter = out / "adapter.gguf"
    moved = numpy.abs(logits_of(ids) - logits_of(ids, adapter)).max()
    assert moved > 0.1


def test_an_adapter_can_be_stored_with_8_bits(rows_file, tiny_base, tmp_path):
    import gguf

    out = tmp_path / "run"
    assert run(rows_file, tiny_base, out, "--lora-rank", "32", "--stored-as", "q8_0").returncode == 0
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(out / "adapter.gguf").tensors}
    assert {tensor.tensor_type for tensor in tensors.values()} == {gguf.GGMLQuantizationType.Q8_0}
    trained = weights_of(out)["base_model.model.model.layers.1.mlp.up_proj.lora_A.weight"]
    stored = tensors["blk.1.ffn_up.weight.lora_a"]
    numpy.testing.assert_allclose(
        gguf.quants.dequantize(stored.data, stored.tensor_type), trained, atol=abs(trained).max() / 100
    )
