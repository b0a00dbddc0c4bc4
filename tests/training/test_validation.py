"""Validation while training: results after every few steps, and the best weights in the result."""

import json

import pytest

from tests.training.rows import contracts, drawn_rows, read
from workbench.training.everyday.family import FamilySplit
from workbench.training.heldout import EVERYDAY_KINDS, draw_everyday_cases

torch = pytest.importorskip("torch", reason="the extra train is not installed: make test EXTRAS=train")
transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
pytestmark = [
    pytest.mark.train,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

from workbench.training import validation  # noqa: E402
from workbench.training.base_model import load_base, lora_parameters  # noqa: E402
from workbench.training.examples import examples_of  # noqa: E402
from workbench.training.receipt import TrainOptions  # noqa: E402
from workbench.training.tuning import prepare, tune  # noqa: E402


@pytest.fixture(scope="module")
def cases():
    minimal = next(under.contract for under in contracts() if under.contract.name == "minimal")
    return [
        case
        for kind in EVERYDAY_KINDS
        for case in draw_everyday_cases(kind, minimal, seed=1, count=2, split=FamilySplit.VALIDATION)
    ]


def right_answer(case):
    if case.kind == "missing":
        return "Which one?"
    if not case.calls:
        return "Hello!"
    calls = [json.dumps({"name": name, "arguments": arguments}) for name, arguments in case.calls]
    return "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in calls)


def options(base, out, **more):
    few = {"lora_rank": 4, "max_steps": 6, "batch": 2, "max_length": 4096, "validate_steps": 2}
    return TrainOptions(base=str(base), out=out, **{**few, **more})


def trained(settings, cases, *, resumes=False, seen=lambda result: None):
    base = load_base(settings.base, settings.precision)
    rows = [
        read(row) for row in drawn_rows(24, seed=5, names=("minimal",), most_tools=1, lengths=((1, 1.0),))
    ]
    prepared = prepare([example for row in rows for example in examples_of(row)], base, settings)
    return tune(base, prepared, settings, resumes=resumes, report=seen, validation=cases)


def test_a_batch_is_completed_like_its_prompts_one_by_one(tiny_base):
    base = load_base(str(tiny_base), "f32")
    prompts = [
        "<|im_start|>user\nHi<|im_end|>\n",
        "<|im_start|>user\nWhat is the weather in Oslo?<|im_end|>\n",
    ]
    together = validation.complete(base.model, base.tokenizer, prompts)
    assert together == [validation.complete(base.model, base.tokenizer, [prompt])[0] for prompt in prompts]
    assert all(len(text) for text, _ in together)


def test_the_result_has_the_weights_of_the_best_step(tiny_base, tmp_path, cases, monkeypatch):
    models, weights, rounds = [], [], []

    def completed(model, _tokenizer, prompts):
        models.append(model)
        weights.append({name: value.detach().clone() for name, value in lora_parameters(model).items()})
        right = 5 if len(rounds) == 1 else len(rounds)
        rounds.append(prompts)
        return [(right_answer(case), place < right) for place, case in enumerate(cases)]

    monkeypatch.setattr(validation, "complete", completed)
    results = []

    def seen(progress):
        if isinstance(progress, validation.ValidationResult):
            results.append(progress)

    settings = options(tiny_base, tmp_path / "run")
    tuned = trained(settings, cases, seen=seen)
    assert [result.step for result in results] == [2, 4, 6]
    assert [result.mean for result in results] == [0.0, 5 / 8, 2 / 8]
    assert results[1].kinds["single"] == validation.KindResult(2, 2, {"calls": 2})
    assert tuned.validation == [result.as_json() for result in results]
    assert tuned.chosen_step == 4
    for name, value in weights[1].items():
        assert torch.equal(torch.from_numpy(tuned.weights[name]), value), name
    assert any(not torch.equal(weights[1][name], weights[2][name]) for name in weights[1])


def test_a_resumed_run_keeps_the_results_and_the_best_weights(tiny_base, tmp_path, cases, monkeypatch):
    right = iter([5, 2, 1])
    monkeypatch.setattr(
        validation,
        "complete",
        lambda _model, _tokenizer, prompts, right=right: [
            (right_answer(case), place < count) for count in [next(right)] for place, case in enumerate(cases)
        ],
    )
    settings = options(tiny_base, tmp_path / "run", save_steps=2)

    class Stopped(Exception):
        pass

    def stop(progress):
        if not isinstance(progress, validation.ValidationResult) and progress.step == 5:
            raise Stopped

    with pytest.raises(Stopped):
        trained(settings, cases, seen=stop)
    tuned = trained(settings, cases, resumes=True)
    assert [result["step"] for result in tuned.validation] == [2, 4, 6]
    assert tuned.chosen_step == 2
