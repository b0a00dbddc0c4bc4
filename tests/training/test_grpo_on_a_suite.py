"""TRL trains GRPO on suites that were exported as environments."""

import importlib
import sys

import pytest

from tests.app.test_one_case_in_four_forms import environment_of
from tests.services import services_for
from tests.suite.environments import exported
from workbench.app.runs.conversations import solution_completions
from workbench.app.runs.environments import export_suite
from workbench.app.runs.suites import load_suite
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_suite

torch = pytest.importorskip("torch", reason="the extra train is not installed: make test EXTRAS=train")
trl = pytest.importorskip("trl", reason="the extra train is not installed")
pytestmark = [pytest.mark.train, pytest.mark.slow, pytest.mark.model, pytest.mark.filterwarnings("ignore")]

STEPS = 10


@pytest.fixture(scope="module")
def tokenizer():
    """The embedded model's."""
    from transformers import AutoTokenizer

    from workbench.engines.embedded_model import find_embedded

    path = find_embedded()
    return AutoTokenizer.from_pretrained(str(path.parent), gguf_file=path.name)


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """A function that installs the files of an export, and imports its package."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def install(files, name):
        for file, text in files.items():
            path = tmp_path / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        names.append(name)
        return importlib.import_module(name)

    yield install
    for name in [module for module in sys.modules if module.partition(".")[0] in names]:
        sys.modules.pop(name)


def trainer_for(tokenizer, folder, *, steps, **arguments):
    """Return a trainer of a tiny model with random weights."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=8192,
    )
    return trl.GRPOTrainer(
        model=LlamaForCausalLM(config),
        processing_class=tokenizer,
        args=trl.GRPOConfig(
            output_dir=str(folder / "out"),
            max_steps=steps,
            # The fewest that GRPO compares.
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=8,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
        **arguments,
    )


def rewards_of(trainer):
    """Train, and return the reward of each step."""
    trainer.train()
    rewards = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    assert trainer.state.global_step == len(rewards)
    assert all(0 <= reward <= 1 for reward in rewards)
    return rewards


def test_ten_steps_of_grpo_on_an_exported_suite(tmp_path, tokenizer, imported):
    environment = imported(exported("trl", {"result": 1, "no_needless_call": 0.5}), "s_env")
    trainer = trainer_for(
        tokenizer,
        tmp_path,
        steps=STEPS,
        reward_funcs=environment.suite_score,
        train_dataset=environment.dataset(),
    )
    assert len(rewards_of(trainer)) == STEPS


WORLD_SUITE = """
suite: w
defaults: {tools: [shop], max_rounds: 4}
cases:
  - id: cancel
    prompt: Cancel O-101.
    solution:
      - calls: [{name: get_order, arguments: {order_id: O-101}}]
      - calls: [{name: cancel_order, arguments: {order_id: O-101}}]
      - It is cancelled.
    expect:
      - world: {/shop/orders/O-101/status: cancelled, /shop/stock/mug: 7}
      - answered: true
"""


class Writer:
    """Writes the solution of a case, one step for each call, as tokens."""

    max_completion_length = 4096

    def __init__(self, tokenizer, steps):
        self.processing_class = tokenizer
        self.steps = list(steps)

    def _generate_single_turn(self, prompt_ids, *_, **__):
        step = self.steps.pop(0) + "<|im_end|>"
        ids = self.processing_class(step, add_special_tokens=False)["input_ids"]
        return [list(ids) for _ in prompt_ids], None


@pytest.fixture
def shop(tmp_path, imported):
    """The first conversation of the suite `shop` as a package, its environment, its row, and its solution."""
    with services_for(tmp_path) as (services, _):
        [case, *_] = load_suite(services, "shop").cases
        suite = Suite(name="shop", cases=(case,))
        environment = environment_of(services, suite, tmp_path / "again", {"result": 1})
        package = imported(export_suite(services, suite, "trl", weights={"result": 1}).files, "shop_env")
    return package, environment, environment.rows[0], solution_completions(case.solution)


def test_an_episode_with_a_person_trains_what_the_model_wrote_and_nothing_else(shop, tokenizer):
    package, environment, row, solution = shop
    rollout = package.rollout([row["id"]] * 2, Writer(tokenizer, solution))
    assert rollout["replies"] == [solution] * 2
    for prompt, completion, mask in zip(
        rollout["prompt_ids"], rollout["completion_ids"], rollout["env_mask"], strict=True
    ):
        last = environment.play(row, solution[:-1]).prompt
        assert tokenizer.decode(prompt + completion) == f"{last}{solution[-1]}<|im_end|>"
        trained = [token for token, is_trained in zip(completion, mask, strict=True) if is_trained]
        assert tokenizer.decode(trained) == "".join(f"{reply}<|im_end|>" for reply in solution)
    scores = package.suite_score(["", ""], prompts=[row["id"]] * 2, replies=rollout["replies"])
    assert scores == [1, 1]


def test_an_episode_that_is_cut_off_has_no_reward(shop, tokenizer):
    package, _, row, solution = shop
    writer = Writer(tokenizer, solution)
    writer.max_completion_length = 100
    rollout = package.rollout([row["id"]], writer)
    assert package.suite_score([""], prompts=[row["id"]], replies=rollout["replies"]) == [0]


def test_grpo_runs_episodes_with_a_person(tmp_path, shop, tokenizer):
    package, *_ = shop
    trainer = trainer_for(
        tokenizer,
        tmp_path,
        steps=1,
        reward_funcs=package.suite_score,
        train_dataset=package.episodes(),
        rollout_func=package.rollout,
    )
    assert rewards_of(trainer) == [0]


def test_grpo_runs_the_tools_of_a_world_as_an_environment(tmp_path, imported, tokenizer, monkeypatch):
    with services_for(tmp_path) as (services, _):
        suite = parse_suite(WORLD_SUITE, name="w")
        package = imported(export_suite(services, suite, "trl", weights={"result": 1}).files, "w_env")
    solution = solution_completions(suite.cases[0].solution)
    trainer = trainer_for(
        package.hermes_tokenizer(tokenizer),
        tmp_path,
        steps=1,
        reward_funcs=package.suite_score,
        train_dataset=package.dataset(worlds=True),
        environment_factory=package.environment_factory(),
    )
    trainer.max_completion_length = Writer.max_completion_length
    seen = []

    def generate(prompt_ids, *_, **__):
        seen.append(tokenizer.decode(prompt_ids[0]))
        return Writer(tokenizer, solution[len(seen) - 1 :])._generate_single_turn(prompt_ids)

    monkeypatch.setattr(trainer, "_generate_single_turn", generate)
    steps = []

    def compute_loss(*arguments, **more):
        steps.append(arguments[1])
        return loss(*arguments, **more)

    loss = trainer.compute_loss
    monkeypatch.setattr(trainer, "compute_loss", compute_loss)
    assert rewards_of(trainer) == [1]
    # The template renders what the family renders, so the prompts are those of a run.
    environment = package.cases.SUITE
    assert seen == [environment.play(environment.rows[0], solution[:number]).prompt for number in range(3)]
    # The loss of the trainer counts what the model wrote, and no result of a tool.
    [step] = steps
    mask = step["completion_mask"] * step["tool_mask"]
    for tokens, trained in zip(step["completion_ids"], mask.bool(), strict=True):
        assert tokenizer.decode(tokens[trained]) == "".join(f"{reply}<|im_end|>" for reply in solution)
