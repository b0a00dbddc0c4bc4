"""The embedded model with llama.cpp: completions, constraints, logprobs, decisions and requests at the same time."""

import json
from threading import Event, Thread, Timer

import pytest

from tests.engines.embedded_requests import CHAT, LOADING, ask
from workbench.engines.embedded_model import REMEDY, find_embedded
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.errors import ConstraintFailed, PromptTooLong
from workbench.hermes.parse import parse
from workbench.hermes.reading import CallStatus
from workbench.rollout.constraint import PREFILL, TurnSetup, constrain
from workbench.rollout.logprobs import opening_of
from workbench.rollout.ports import ChoiceKind, Constraint, FinishReason, GenerationRequest, ToolChoice
from workbench.rollout.sampling import Sampling, TokenBias
from workbench.toolspec.spec import OfferedTools, ToolSpec

pytestmark = [pytest.mark.model, pytest.mark.slow]

TOOLS = OfferedTools(
    specs=(
        ToolSpec.of_function(
            {
                "name": "read",
                "parameters": {
                    "type": "object",
                    "properties": {"hour": {"type": "integer"}, "unit": {"enum": ["am", "pm"]}},
                    "required": ["hour", "unit"],
                },
            }
        ),
        ToolSpec.of_function({"name": "now"}),
    )
)


@pytest.fixture(scope="module")
def engine():
    path = find_embedded()
    assert path is not None, REMEDY
    engine = load_llama_cpp(path, name="embedded", loading=LOADING)
    yield engine
    engine.close()


def test_the_model_answers_and_counts_tokens(engine):
    text, last = ask(engine, CHAT.format("Say hello."))
    assert text.strip()
    assert last.finish_reason in (FinishReason.STOP, FinishReason.LENGTH)
    assert last.usage.prompt_tokens == engine.count_tokens(CHAT.format("Say hello."))
    assert 0 < last.usage.completion_tokens <= 40


def test_special_tokens_are_single_tokens(engine):
    assert engine.count_tokens("<|im_start|>") == engine.count_tokens("<|im_end|>") == 1


def test_the_same_seed_gives_the_same_text_and_another_seed_another(engine):
    prompt = CHAT.format("Tell me a story.")
    texts = [ask(engine, prompt, temperature=1.0, seed=seed)[0] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_common_prefix_is_not_evaluated_again(engine):
    prompt = CHAT.format("Tell me a story about the sea.")
    ask(engine, prompt)
    _, last = ask(engine, prompt + "The sea")
    assert last.usage.cached_tokens >= engine.count_tokens(prompt) - 1


def test_stopping_takes_effect_within_one_token_and_the_next_turn_works(engine):
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


def test_a_stop_text_ends_the_completion_and_is_not_part_of_it(engine):
    whole, _ = ask(engine, CHAT.format("Say hello."))
    word = whole.split()[1]
    text, last = ask(engine, CHAT.format("Say hello."), stop=(word,))
    assert text == whole[: whole.index(word)]
    assert last.finish_reason is FinishReason.STOP


def test_a_constraint_gives_json_of_the_schema_followed_by_the_closing(engine):
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


def test_a_schema_without_a_grammar_is_reported(engine):
    constraint = Constraint(schema={"$ref": "#/nowhere"}, closing="")
    with pytest.raises(ConstraintFailed, match="cannot be turned into a grammar"):
        ask(engine, "x", constraint=constraint)


def test_a_prompt_that_is_too_long_is_reported_with_the_excess(engine):
    prompt = "word " * 2000
    with pytest.raises(PromptTooLong) as caught:
        ask(engine, prompt)
    assert caught.value.excess_tokens == engine.count_tokens(prompt) + 16 - 1024
    assert str(caught.value.excess_tokens) in str(caught.value)


def test_closing_a_stream_frees_the_engine(engine):
    stream = engine.generate(
        GenerationRequest(prompt=CHAT.format("Count."), sampling=Sampling()), is_cancelled=lambda: False
    )
    next(stream)
    stream.close()
    assert ask(engine, CHAT.format("Say hello."))[0].strip()


def test_two_requests_at_once_do_not_mix(engine):
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


def test_a_waiting_request_can_be_stopped(engine):
    first = engine.generate(
        GenerationRequest(prompt=CHAT.format("Count."), sampling=Sampling()), is_cancelled=lambda: False
    )
    next(first)
    try:
        text, last = ask(engine, "x", cancelled=lambda: True)
    finally:
        first.close()
    assert (text, last.finish_reason) == ("", FinishReason.CANCELLED)


def test_alternating_conversations_only_evaluate_new_tokens(engine):
    prompts = [CHAT.format("Tell me a story about the sea."), CHAT.format("What do cats eat at night?")]
    added = ""
    for number in range(3):
        for index, prompt in enumerate(prompts):
            text, last = ask(engine, prompt, max_tokens=12)
            usage = last.usage
            assert usage.prompt_tokens == usage.cached_tokens + usage.evaluated_tokens
            if number:
                assert usage.evaluated_tokens <= engine.count_tokens(added) + 2
            added = f"<|im_end|>\n<|im_start|>user\nGo on, {number}.<|im_end|>\n<|im_start|>assistant\n"
            prompts[index] = prompt + text + added


def test_a_completion_under_a_grammar_is_not_evaluated_again(engine):
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["reddish", "bluish"]}},
        "required": ["colour"],
    }
    prompt = CHAT.format("Name a colour.")
    text, _ = ask(engine, prompt, constraint=Constraint(schema=schema, closing="\n</tool_call>"))
    added = "<|im_end|>\n<|im_start|>user\nAnother.<|im_end|>\n<|im_start|>assistant\n"
    _, last = ask(engine, prompt + text + added, max_tokens=1)
    assert last.usage.evaluated_tokens == engine.count_tokens(added)


def test_tokens_come_with_the_most_likely_ones_if_requested(engine):
    request = GenerationRequest(
        prompt=CHAT.format("Say hello."),
        sampling=Sampling(max_tokens=6, temperature=0),
        wants_logprobs=True,
        top_logprobs=3,
    )
    deltas = list(engine.generate(request, is_cancelled=lambda: False))
    tokens = [token for delta in deltas for token in delta.tokens]
    assert tokens
    for token in tokens:
        logprobs = [likely.logprob for likely in token.likely]
        assert len(logprobs) == 3 and logprobs == sorted(logprobs, reverse=True)
        # At temperature 0, the most likely token is written.
        assert logprobs[0] == token.logprob
    # The end token adds no text.
    assert all(token.likely[0].text == token.text for token in tokens if token.text)


def test_tokens_have_logprobs_if_requested(engine):
    request = GenerationRequest(
        prompt=CHAT.format("Say hello."), sampling=Sampling(max_tokens=8), wants_logprobs=True
    )
    deltas = list(engine.generate(request, is_cancelled=lambda: False))
    tokens = [token for delta in deltas for token in delta.tokens]
    assert "".join(token.text for token in tokens) == "".join(delta.text for delta in deltas)
    assert all(token.logprob <= 0 for token in tokens)
    scored = engine.completion_logprobs(
        request.prompt, "".join(token.text for token in tokens), is_cancelled=lambda: False
    )
    assert [token.id for token in scored] == [token.id for token in tokens]
    # A batch rounds differently from single steps, by up to 0.16 here without flash attention.
    assert [token.logprob for token in scored] == pytest.approx([token.logprob for token in tokens], abs=0.25)


def test_the_probabilities_of_a_decision_add_up_to_one(engine):
    opening = opening_of("hermes-lines")
    decision = engine.decide(
        CHAT.format("Weather?"), opening, ["get_weather", "get"], is_cancelled=lambda: False
    )
    bars = [*decision.tools, decision.no_call, decision.other_name]
    assert sum(bar.probability for bar in bars) == pytest.approx(1, abs=1e-6)
    assert [bar.tool for bar in decision.tools] == ["get_weather", "get"]


def test_a_name_does_not_win_because_it_is_the_beginning_of_another(engine):
    prompt = CHAT.format('Repeat: <tool_call>\n{"name": "get_weather", "arguments": {}}\n</tool_call>')
    names = ["get", "get_weather"]
    decision = engine.decide(prompt, opening_of("hermes-lines"), names, is_cancelled=lambda: False)
    assert decision.tools[1].logprob > decision.tools[0].logprob + 3


def test_a_decision_follows_the_model(engine):
    opening = opening_of("hermes-lines")
    prompt = CHAT.format('Repeat: <tool_call>\n{"name": "alpha", "arguments": {}}\n</tool_call>')
    decision = engine.decide(prompt, opening, ["omega", "alpha"], is_cancelled=lambda: False)
    assert decision.tools[1].logprob > decision.tools[0].logprob + 3


@pytest.mark.parametrize(
    "changes",
    [
        {"typical_p": 0.5}, {"mirostat": 1}, {"mirostat": 2, "mirostat_tau": 2.0}, {"repeat_penalty": 1.5},
        {"presence_penalty": 1.5, "frequency_penalty": 1.0}, {"min_p": 0.5}, {"top_k": 1}, {"top_p": 0.1},
        {"penalty_last_tokens": -1, "repeat_penalty": 1.3},
    ],
)  # fmt: skip
def test_every_sampling_method_gives_the_same_text_for_the_same_seed(engine, changes):
    sampling = {"temperature": 1.5, "seed": 3, "max_tokens": 10} | changes
    texts = [ask(engine, CHAT.format("Tell me a story."), **sampling)[0] for _ in range(2)]
    assert texts[0] == texts[1] != ""


def test_a_bias_forbids_and_forces_tokens(engine):
    prompt = CHAT.format("Say hello.")
    free, _ = ask(engine, prompt, max_tokens=3)
    word = free.split()[0].strip(",.!")
    forbidden, _ = ask(engine, prompt, max_tokens=3, logit_bias=(TokenBias(token=word, bias=-100.0),))
    assert word in free
    assert word not in forbidden
    forced, _ = ask(engine, prompt, max_tokens=2, logit_bias=(TokenBias(token=" sea", bias=100.0),))
    assert forced == " sea sea"


def test_stop_texts_in_the_sampling_settings_apply_too(engine):
    whole, _ = ask(engine, CHAT.format("Say hello."))
    text, last = ask(engine, CHAT.format("Say hello."), sampling_stop=(whole[3:6],))
    assert text == whole[: whole.index(whole[3:6])]
    assert last.finish_reason is FinishReason.STOP


def constraint_for(choice, family="hermes-lines"):
    return constrain(TurnSetup(tools=TOOLS, family=family), choice, starts_in_thought=False).constraint


def test_with_auto_the_grammar_applies_once_a_call_is_opened(engine):
    constraint = constraint_for(ToolChoice())
    free, _ = ask(engine, CHAT.format("Say hello."), constraint=constraint, max_tokens=20)
    assert free == ask(engine, CHAT.format("Say hello."), max_tokens=20)[0]
    turn = CHAT.format("What time is it?")
    shown = (turn + '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call><|im_end|>\n') * 3 + turn
    text, last = ask(engine, shown, constraint=constraint, max_tokens=60)
    assert "<tool_call>" in text
    assert last.finish_reason is FinishReason.STOP
    reading = parse(text, tools=TOOLS)
    assert reading.calls
    assert all(call.status is CallStatus.READY for call in reading.calls)


@pytest.mark.parametrize("family", ["hermes-lines", "qwen3-coder"])
def test_a_required_call_is_parsed_without_a_fix(engine, family):
    constraint = constraint_for(ToolChoice(kind=ChoiceKind.REQUIRED), family)
    prompt = CHAT.format("What is the reading at noon?") + PREFILL
    text, last = ask(engine, prompt, constraint=constraint, max_tokens=150)
    assert last.finish_reason is FinishReason.STOP
    reading = parse(PREFILL + text, tools=TOOLS)
    assert {call.name for call in reading.calls} <= {"read", "now"}
    assert reading.calls
    assert reading.fixes == ()
    assert all(call.status is CallStatus.READY for call in reading.calls)


def test_stopping_interrupts_the_evaluation_of_a_long_prompt(engine):
    stop = Event()
    Timer(0.2, stop.set).start()
    prompt = CHAT.format("word " * 900)
    text, last = ask(engine, prompt, cancelled=stop.is_set)
    assert (text, last.finish_reason) == ("", FinishReason.CANCELLED)
    assert last.usage.evaluated_tokens < last.usage.prompt_tokens - last.usage.cached_tokens
    assert ask(engine, CHAT.format("Say hello."))[0].strip()


def test_a_waiting_request_gets_its_position_and_its_changes(engine):
    streams = [
        engine.generate(
            GenerationRequest(prompt=CHAT.format("Count."), sampling=Sampling(max_tokens=4)),
            is_cancelled=lambda: False,
        )
        for _ in range(3)
    ]
    next(streams[0])
    places = [next(streams[1]).queue_position, next(streams[2]).queue_position]
    streams[0].close()
    assert places == [1, 2]
    list(streams[1])
    assert next(streams[2]).queue_position in (1, None)


def test_ten_requests_at_once_all_finish_without_mixing(engine):
    prompts = [CHAT.format(f"Say the number {number} and a fruit.") for number in range(10)]
    alone = [ask(engine, prompt, max_tokens=6)[0] for prompt in prompts]
    served, together, first = [], [""] * 10, engine.generate(
        GenerationRequest(prompt=CHAT.format("Count."), sampling=Sampling()), is_cancelled=lambda: False
    )  # fmt: skip
    next(first)
    streams, threads = [], []
    for prompt in prompts:
        request = GenerationRequest(prompt=prompt, sampling=Sampling(max_tokens=6))
        streams.append(engine.generate(request, is_cancelled=lambda: False))
        assert next(streams[-1]).queue_position == len(streams)

    def run(index):
        together[index] = "".join(delta.text for delta in streams[index])
        served.append(index)

    for index in reversed(range(10)):
        threads.append(Thread(target=run, args=(index,)))
        threads[-1].start()
    first.close()
    for thread in threads:
        thread.join(timeout=120)
    assert together == alone
    assert sorted(served) == list(range(10))


def test_the_device_is_reported_with_its_layers(engine):
    assert engine.device == "CPU, 30 layers, 1 thread"
