"""TRL trains ten steps of GRPO on a suite that was exported as an environment."""

import importlib
import sys

import pytest

from tests.suite.environments import exported

torch = pytest.importorskip("torch", reason="the extra train is not installed: make test EXTRAS=train")
trl = pytest.importorskip("trl", reason="the extra train is not installed")
pytestmark = [pytest.mark.train, pytest.mark.slow, pytest.mark.model, pytest.mark.filterwarnings("ignore")]

STEPS = 10


def test_ten_steps_of_grpo_on_an_exported_suite(tmp_path, monkeypatch):
    from transformers import LlamaConfig, LlamaForCausalLM

    from workbench.engines.embedded_model import find_embedded
    from workbench.training.base_model import load_base

    for name, text in exported("trl", {"result": 1, "no_needless_call": 0.5}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    environment = importlib.import_module("s_env")
    tokenizer = load_base(str(find_embedded()), "f32").tokenizer
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    trainer = trl.GRPOTrainer(
        model=LlamaForCausalLM(config),
        processing_class=tokenizer,
        reward_funcs=environment.suite_score,
        train_dataset=environment.dataset(),
        args=trl.GRPOConfig(
            output_dir=str(tmp_path / "out"),
            max_steps=STEPS,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=8,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    rewards = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    assert trainer.state.global_step == STEPS and len(rewards) == STEPS
    assert all(0 <= reward <= 1 for reward in rewards)
    sys.modules.pop("s_env", None)
