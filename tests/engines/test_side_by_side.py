"""Turns of one model side by side: the answers are those of one after the other, and no turn disturbs the others."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from string import ascii_letters, digits
from threading import Event

import pytest

from tests.bench.random_model import write_adapter
from workbench.engines import llama_loading
from workbench.engines.embedded_model import REMEDY, find_embedded
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.engines.llama_loading import LoadOptions, LoraAdapter, sequences_of
from workbench.errors import EngineError, PromptTooLong
from workbench.rollout.ports import Constraint, FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling, TokenBias

SIDE_BY_SIDE = 8
LOADING = LoadOptions(context_tokens=1024, threads=1, gpu_layers=0, side_by_side=SIDE_BY_SIDE)
CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
QUESTIONS = (
    "Say hello.", "What is the sea?", "Tell me a story.", "Count to twenty.",
    "Name three fruits.", "Who was Newton?", "What do cats eat?", "Why is the sky blue?",
)  # fmt: skip
FIRST = iter(ascii_letters + digits)
JSON = Constraint(
    schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, closing="\n"
)


@pytest.mark.parametrize(
    ("loading", "context_tokens", "expected"),
    [
        (LoadOptions(context_tokens=0, threads=0, gpu_layers=-1), 4_096, 8),
        (LoadOptions(context_tokens=0, threads=0, gpu_layers=20), 16_384, 4),
        (LoadOptions(context_tokens=0, threads=0, gpu_layers=-1), 131_072, 1),
        (LoadOptions(context_tokens=0, threads=0, gpu_layers=0), 4_096, 1),
        (LoadOptions(context_tokens=0, threads=0, gpu_layers=0, side_by_side=3), 131_072, 3),
    ],
)
def test_on_a_gpu_up_to_eight_turns_run_side_by_side(monkeypatch, loading, context_tokens, expected):
    monkeypatch.setattr(llama_loading, "can_offload", lambda: True)
    assert sequences_of(loading, context_tokens) == expected
    monkeypatch.setattr(llama_loading, "can_offload", lambda: False)
    assert sequences_of(loading, context_tokens) == (loading.side_by_side or 1)


def load(loading=LOADING):
    path = find_embedded()
    assert path is not None, REMEDY
    return load_llama_cpp(path, name="embedded", loading=loading)


@pytest.fixture(scope="module")
def engine():
    engine = load()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def single():
    """The model, serving one request at a time."""
    engine = load(replace(LOADING, side_by_side=1))
    yield engine
    engine.close()


def fresh(count=SIDE_BY_SIDE):
    """Return prompts of which nothing was evaluated before.

    If only the last token of a prompt is evaluated, the logits round differently from those of all tokens together.
    """
    return [next(FIRST) + CHAT.format(QUESTIONS[number % len(QUESTIONS)]) for number in range(count)]


def texts(answers):
    return [text for text, _ in answers]


def one_by_one(engine, prompts, **fields):
    return texts(ask(engine, prompt, **fields) for prompt in prompts)


def ask(engine, prompt, *, cancelled=lambda: False, constraint=None, max_tokens=24):
    sampling = Sampling(max_tokens=max_tokens, temperature=0)
    request = GenerationRequest(prompt=prompt, sampling=sampling, constraint=constraint)
    deltas = list(engine.generate(request, is_cancelled=cancelled))
    return "".join(delta.text for delta in deltas), deltas[-1]


def at_once(*works):
    with ThreadPoolExecutor(len(works)) as threads:
        return [future.result(timeout=300) for future in [threads.submit(work) for work in works]]


def asking(engine, prompts, **fields):
    return [lambda prompt=prompt: ask(engine, prompt, **fields) for prompt in prompts]


pytestmark = pytest.mark.slow


@pytest.mark.model
def test_eight_at_once_give_the_same_answers_as_one_after_the_other(engine, single):
    # Four more than there are sequences: they wait for a place.
    prompts = fresh(SIDE_BY_SIDE + 4)
    assert texts(at_once(*asking(engine, prompts))) == one_by_one(single, prompts)
    assert engine.capabilities.own_width == SIDE_BY_SIDE
    assert engine.context_tokens == LOADING.context_tokens
    assert engine.device == "CPU, 30 layers, 1 thread, 8 turns side by side"


@pytest.mark.model
def test_stopping_one_in_mid_answer_leaves_the_others(engine, single):
    prompts = fresh()
    stop = Event()

    def stopped():
        request = GenerationRequest(prompt=prompts[0], sampling=Sampling(max_tokens=24, temperature=0))
        for number, delta in enumerate(engine.generate(request, is_cancelled=stop.is_set), start=1):
            if number == 5:
                stop.set()
            yield delta

    deltas, *answers = at_once(lambda: list(stopped()), *asking(engine, prompts[1:]))
    expected = one_by_one(single, prompts)
    assert deltas[-1].finish_reason is FinishReason.CANCELLED
    assert deltas[-1].usage.completion_tokens <= 6
    assert expected[0].startswith("".join(delta.text for delta in deltas))
    assert texts(answers) == expected[1:]


@pytest.mark.model
def test_answers_with_and_without_a_grammar_run_side_by_side(engine, single):
    free, bound = fresh(4), fresh(4)
    answers = texts(at_once(*asking(engine, free), *asking(engine, bound, constraint=JSON, max_tokens=60)))
    assert answers[:4] == one_by_one(single, free)
    assert answers[4:] == one_by_one(single, bound, constraint=JSON, max_tokens=60)
    assert all(isinstance(json.loads(text)["n"], int) for text in answers[4:])


@pytest.mark.model
def test_two_adapters_run_at_the_same_time_and_each_changes_only_its_answers(tmp_path, engine, single):
    write_adapter(tmp_path / "adapter.gguf", layers=30, width=576, inner=1536)
    lora = (LoraAdapter(path=tmp_path / "adapter.gguf"),)
    adapted, adapted_single = (load(replace(LOADING, lora=lora, side_by_side=count)) for count in (4, 1))
    prompts = fresh(4)
    try:
        answers = texts(at_once(*asking(engine, prompts), *asking(adapted, prompts)))
        expected = one_by_one(adapted_single, prompts)
    finally:
        adapted.close()
        adapted_single.close()
    assert answers == one_by_one(single, prompts) + expected
    assert answers[:4] != expected


@pytest.mark.model
def test_each_of_several_conversations_only_evaluates_what_is_new(engine):
    prompts = fresh()
    for turn in range(3):
        answers = at_once(*asking(engine, prompts, max_tokens=12))
        added = f"<|im_end|>\n<|im_start|>user\nGo on, {turn}.<|im_end|>\n<|im_start|>assistant\n"
        if turn:
            longest = engine.count_tokens(added) + 2
            assert [last.usage.evaluated_tokens for _, last in answers] <= [longest] * len(prompts)
        prompts = [prompt + text + added for prompt, (text, _) in zip(prompts, answers, strict=True)]


@pytest.mark.model
def test_a_prompt_that_fits_no_context_is_reported_and_the_others_go_on(engine, single):
    def too_long():
        with pytest.raises(PromptTooLong, match=r"1,?024"):
            ask(engine, "word " * 2000)

    prompts = fresh(3)
    _, *answers = at_once(too_long, *asking(engine, prompts))
    assert texts(answers) == one_by_one(single, prompts)


@pytest.mark.model
def test_a_long_prompt_delays_no_short_turn(engine):
    ended, long_prompt = list[str](), CHAT.format("Again, word by word: " + "sea and ship " * 260)
    first_chunk = Event()

    def read():
        request = GenerationRequest(prompt=long_prompt, sampling=Sampling(max_tokens=1, temperature=0))
        first_chunk.set()
        list(engine.generate(request, is_cancelled=lambda: False))
        ended.append("long")

    def answer():
        first_chunk.wait(timeout=60)
        ask(engine, CHAT.format("Say yes."), max_tokens=2)
        ended.append("short")

    at_once(read, answer)
    assert engine.count_tokens(long_prompt) > 700
    assert ended == ["short", "long"]


@pytest.mark.model
def test_a_long_prompt_can_be_stopped_while_others_answer(engine, single):
    # Each look at it is before a part of the prompt or while one is evaluated.
    prompts, looks = fresh(3), iter([False] * 3)
    rain = lambda: ask(engine, CHAT.format("rain " * 900), cancelled=lambda: next(looks, True))  # noqa: E731
    (_, last), *answers = at_once(rain, *asking(engine, prompts))
    assert last.finish_reason is FinishReason.CANCELLED
    assert last.usage.evaluated_tokens < 900
    assert texts(answers) == one_by_one(single, prompts)


@pytest.mark.model
def test_a_failed_evaluation_fails_one_turn_and_not_all(engine, single, monkeypatch):
    import llama_cpp

    prompts, decode = fresh(4), llama_cpp.llama_decode
    expected = one_by_one(single, prompts)
    (token,) = engine._loaded.binding.tokenize("durian", is_start=False)[:1]

    def failing(context, batch):
        return -3 if token in batch.token[: batch.n_tokens] else decode(context, batch)

    def fails():
        only_durian = (TokenBias(token=token, bias=100.0),)
        request = GenerationRequest(prompt=CHAT.format("Go."), sampling=Sampling(logit_bias=only_durian))
        with pytest.raises(EngineError, match="failed with code -3"):
            list(engine.generate(request, is_cancelled=lambda: False))

    monkeypatch.setattr(llama_cpp, "llama_decode", failing)
    assert texts(at_once(*asking(engine, prompts), fails, fails)[:4]) == expected
    monkeypatch.undo()
    again = fresh()
    assert texts(at_once(*asking(engine, again))) == one_by_one(single, again)


@pytest.mark.model
def test_without_memory_for_eight_contexts_one_is_used_unless_a_number_is_set(monkeypatch):
    import llama_cpp

    create = llama_cpp.llama_init_from_model
    monkeypatch.setattr(llama_loading, "can_offload", lambda: True)
    monkeypatch.setattr(
        llama_cpp,
        "llama_init_from_model",
        lambda model, params: create(model, params) if params.n_seq_max == 1 else None,
    )
    engine = load(replace(LOADING, gpu_layers=-1, side_by_side=0))
    assert engine.capabilities.own_width == 1
    assert ask(engine, CHAT.format(QUESTIONS[0]), max_tokens=3)[0].strip()
    engine.close()
    with pytest.raises(EngineError, match="cannot load"):
        load(replace(LOADING, side_by_side=2))
