"""The embedded model through llama.cpp, for real."""

import json
from threading import Event, Thread

import pytest

from workbench.engines.embedded import REMEDY, find_embedded
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.engines.llama_loading import Loading, describe_build
from workbench.errors import ConstraintFailed, EngineError, PromptTooLong
from workbench.rollout.ports import Constraint, FinishReason, GenerationRequest, Sampling

pytestmark = pytest.mark.model
LOADING = Loading(context_tokens=1024, threads=1, gpu_layers=-1)
CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"


@pytest.fixture(scope="module")
def engine():
    path = find_embedded()
    assert path is not None, REMEDY
    engine = load_llama_cpp(path, name="embedded", loading=LOADING)
    yield engine
    engine.close()


def ask(engine, prompt, *, cancelled=lambda: False, stop=(), constraint=None, **sampling):
    request = GenerationRequest(
        prompt=prompt, sampling=Sampling(**({"max_tokens": 40} | sampling)), stop=stop, constraint=constraint
    )
    deltas = list(engine.generate(request, is_cancelled=cancelled))
    return "".join(delta.text for delta in deltas), deltas[-1]


def test_it_answers_and_counts(engine):
    text, last = ask(engine, CHAT.format("Say hello."))
    assert text.strip()
    assert last.finish_reason in (FinishReason.STOP, FinishReason.LENGTH)
    assert last.usage.prompt_tokens == engine.count_tokens(CHAT.format("Say hello."))
    assert 0 < last.usage.completion_tokens <= 40


def test_control_marks_are_single_tokens(engine):
    assert engine.count_tokens("<|im_start|>") == engine.count_tokens("<|im_end|>") == 1


def test_the_same_seed_gives_the_same_text_and_another_seed_another(engine):
    prompt = CHAT.format("Tell me a story.")
    texts = [ask(engine, prompt, temperature=1.0, seed=seed)[0] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_the_common_prefix_is_not_evaluated_twice(engine):
    prompt = CHAT.format("Tell me a story about the sea.")
    ask(engine, prompt)
    _, last = ask(engine, prompt + "The sea")
    assert last.usage.cached_tokens >= engine.count_tokens(prompt) - 1


def test_a_stop_comes_within_one_token_and_the_next_turn_works(engine):
    seen = []
    request = GenerationRequest(prompt=CHAT.format("Count to fifty."), sampling=Sampling(max_tokens=200))
    stop = Event()
    for delta in engine.generate(request, is_cancelled=stop.is_set):
        seen.append(delta)
        if len(seen) == 5:
            stop.set()
    assert seen[-1].finish_reason is FinishReason.CANCELLED
    assert seen[-1].usage.completion_tokens <= 6
    assert ask(engine, CHAT.format("Say hello."))[0].strip()


def test_a_stop_text_ends_the_completion_and_is_no_part_of_it(engine):
    whole, _ = ask(engine, CHAT.format("Say hello."))
    word = whole.split()[1]
    text, last = ask(engine, CHAT.format("Say hello."), stop=(word,))
    assert text == whole[: whole.index(word)]
    assert last.finish_reason is FinishReason.STOP


def test_a_constraint_gives_json_of_the_schema_and_then_the_closing(engine):
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "word": {"enum": ["a", "b"]}},
        "required": ["n", "word"],
        "additionalProperties": False,
    }
    constraint = Constraint(schema=schema, closing="\n</tool_call>")
    text, last = ask(engine, CHAT.format("A number and a word."), constraint=constraint)
    payload, closing = text.rsplit("\n", 1)
    value = json.loads(payload)
    assert set(value) == {"n", "word"}
    assert value["word"] in ("a", "b")
    assert closing == "</tool_call>"
    assert last.finish_reason is FinishReason.STOP


def test_a_schema_that_no_grammar_can_say_is_told(engine):
    constraint = Constraint(schema={"$ref": "#/nowhere"}, closing="")
    with pytest.raises(ConstraintFailed, match="could not be made into a grammar"):
        ask(engine, "x", constraint=constraint)


def test_a_prompt_longer_than_the_context_says_by_how_many_tokens(engine):
    prompt = "word " * 2000
    with pytest.raises(PromptTooLong) as caught:
        ask(engine, prompt)
    assert caught.value.excess_tokens == engine.count_tokens(prompt) + 16 - 1024
    assert str(caught.value.excess_tokens) in str(caught.value)


def test_a_stream_that_is_left_frees_the_engine(engine):
    stream = engine.generate(
        GenerationRequest(prompt=CHAT.format("Count."), sampling=Sampling()), is_cancelled=lambda: False
    )
    next(stream)
    stream.close()
    assert ask(engine, CHAT.format("Say hello."))[0].strip()


def test_two_at_once_take_turns_and_none_sees_the_other(engine):
    prompts = [CHAT.format("Say hello."), CHAT.format("What is the sea?")]
    alone = [ask(engine, prompt)[0] for prompt in prompts]
    together = ["", ""]

    def run(index):
        together[index] = ask(engine, prompts[index])[0]

    threads = [Thread(target=run, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert together == alone


def test_one_who_waits_can_be_stopped(engine):
    first = engine.generate(
        GenerationRequest(prompt=CHAT.format("Count."), sampling=Sampling()), is_cancelled=lambda: False
    )
    next(first)
    try:
        text, last = ask(engine, "x", cancelled=lambda: True)
    finally:
        first.close()
    assert (text, last.finish_reason) == ("", FinishReason.CANCELLED)


def test_a_file_that_is_no_gguf_says_so(tmp_path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"no model")
    with pytest.raises(EngineError, match=r"cannot load .*broken\.gguf"):
        load_llama_cpp(path, name="broken", loading=LOADING)


def test_the_context_is_never_more_than_the_model_was_trained_with():
    loading = Loading(context_tokens=1_000_000, threads=1, gpu_layers=0)
    engine = load_llama_cpp(find_embedded(), name="embedded", loading=loading)
    assert engine.context_tokens == 8192
    engine.close()


def test_the_build_is_described():
    assert "0.3" in describe_build()
