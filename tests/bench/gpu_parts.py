"""The parts of the proof on a GPU; see `tests.bench.gpu`. Each yields figures, and raises where something is wrong."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Final

import llama_cpp
import psutil

from tests.bench.bare import bare_llama
from tests.bench.grammar import Decoded, decode, forced
from tests.bench.machine import card
from tests.bench.turns import Reuse, play_turn
from tests.gateway.serving import ServedGateway, message_of, same_message
from tests.services import services_for
from workbench.app.turn_request import Execution, TurnRequest
from workbench.app.turns import begin_session, start_turn
from workbench.engines.llama_cpp import LlamaCppEngine
from workbench.errors import EngineError
from workbench.hermes.reading import CallStatus
from workbench.records.run_config import RunConfig
from workbench.rollout.events import CompletionEnded, PieceArrived
from workbench.rollout.ports import Constraint, FinishReason
from workbench.rollout.sampling import Sampling
from workbench.toolspec.spec import OfferedTools, ToolSpec
from workbench.ui.present.setup import show_header

LONG: Final = (
    "The ship sails past the island and the harbor, and the crew looks for the old map of the sea. " * 40
)
"""About 1,000 tokens."""
STORY: Final = "Tell me a long story about the sea and a ship."
MANY_TOOLS: Final = 40
CALL_TOKENS: Final = 128
"""Enough for a call of `switches` without merges."""
STORY_TOKENS: Final = 6000
"""More than even a small model writes before it is stopped."""
DEADLINE_S: Final = 120


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to run."""

    turns: int = 20
    tokens: int = 128
    """Length of a completion."""
    runs: int = 5
    """Repetitions of each comparison."""
    visitors: int = 8
    threads: int = 4
    side_by_side: int = 0
    """Value of `WORKBENCH_SIDE_BY_SIDE`."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value, as text."""

    name: str
    value: str
    aim: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What the parts use."""

    gateway: ServedGateway
    large: Path
    layers: int
    """Layers of the large model."""
    small: Path
    adapter: Path
    """An adapter of the small model."""
    hungry: Path
    """A model whose context needs more memory than there is."""
    plan: Plan

    @property
    def engine(self) -> LlamaCppEngine:
        engine = self.gateway.services.models.engine(str(self.large))
        assert isinstance(engine, LlamaCppEngine)
        return engine

    def setup(self, *, tokens: int = 0, tool_choice: str = "none", model: str | None = None) -> RunConfig:
        """Return the setup of a session."""
        return replace(
            self.gateway.services.setup_for(model=model),
            sampling=Sampling(max_tokens=tokens or self.plan.tokens),
            tools_text=json.dumps(switches()),
            tool_choice=tool_choice,
        )

    def turn(self, setup: RunConfig, text: str, session_id: str = "") -> CompletionEnded:
        """Run a turn, in a new session unless one is given, and return its first completion."""
        services = self.gateway.services
        session_id = session_id or begin_session(services, setup).id
        return play_turn(services, session_id, setup, text, execution=Execution.STOP)[0]


def switches(count: int = 4) -> list[dict[str, object]]:
    """Return specs whose arguments a grammar bounds, so that a model of random weights ends its calls."""
    places = ("kitchen", "hall", "garage", "attic")
    properties = {
        "place": {"type": "string", "enum": places},
        "is_on": {"type": "boolean"},
        "level": {"type": "integer", "enum": [1, 2, 3]},
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return [
        {
            "type": "function",
            "function": {
                "name": f"switch_lamp_{number}",
                "description": "Switch a lamp.",
                "parameters": parameters,
            },
        }
        for number in range(count)
    ]


def header(proof: Proof) -> Iterator[Figure]:
    """Load the model and read the page's header."""
    started_s = time.perf_counter()
    proof.engine.load()
    yield Figure("checked and loaded in", f"{time.perf_counter() - started_s:.1f} s")
    shown = show_header(proof.gateway.services.models.status(str(proof.large)))
    text = shown.text.removeprefix(f"{proof.large} · ")
    all_layers = proof.layers + 1
    expected = (
        f"GPU, {all_layers}/{all_layers} layers, " if llama_cpp.llama_supports_gpu_offload() else "CPU, "
    )
    assert text.startswith(expected), f"the header says {text!r}, expected {expected!r}"
    assert shown.is_loaded
    listed = [model["id"] for model in proof.gateway.client.get("/v1/models").json()["data"]]
    assert str(proof.large) in listed, listed
    yield Figure("header of the page", text, f"begins with {expected.rstrip(' ,')}")


def turns(proof: Proof) -> Iterator[Figure]:
    """Run turns with free and forced calls, in two conversations by turns."""
    services, plan = proof.gateway.services, proof.plan
    sessions = [begin_session(services, proof.setup()).id for _ in range(2)]
    reuse, speeds, calls = Reuse(proof.engine), list[float](), 0
    for number in range(plan.turns):
        is_forced = number % 4 > 1
        setup = proof.setup(
            tokens=CALL_TOKENS if is_forced else plan.tokens, tool_choice="required" if is_forced else "auto"
        )
        ended = proof.turn(setup, f"Tell me about number {number}.", sessions[number % 2])
        reuse.add(sessions[number % 2], ended)
        if is_forced:
            read = [call.status for call in ended.reading.calls]
            assert CallStatus.READY in read, ended.message.text
            calls += 1
        else:
            assert ended.message.text, "an empty answer"
            speeds.append(ended.generation.timing.tokens_per_second)
    yield Figure("turns", f"{plan.turns}, {calls} of them with a forced call")
    yield Figure("answers", f"{median(speeds):.0f} tokens/s")
    yield Figure("evaluated prompt tokens for each new one", f"{reuse.ratio:.2f}", "1.05")


def speed(proof: Proof) -> Iterator[Figure]:
    """Compare the engine with bare llama.cpp in another process: decoding, the first token, and a known prefix."""
    plan, engine = proof.plan, proof.engine
    ours, known, loops, bindings, bound = (list[Decoded]() for _ in range(5))
    loading = {"threads": plan.threads, "context": 8192, "gpu_layers": -1}
    with bare_llama(proof.large, **loading) as bare:
        for number in range(plan.runs + 1):
            # Each prompt is new from its first token on; the next one continues it.
            prompt = f"<|im_start|>user\n{number} {LONG}<|im_end|>\n<|im_start|>assistant\n"
            longer = f"{prompt}aye<|im_end|>\n<|im_start|>user\nAnd then?<|im_end|>\n<|im_start|>assistant\n"
            ours.append(decode(engine, prompt, None, tokens=plan.tokens))
            known.append(decode(engine, longer, None, tokens=plan.tokens))
            loops.append(Decoded(*bare.functions(prompt, plan.tokens)[:2]))
            bindings.append(Decoded(*bare.binding(prompt, plan.tokens)[:2]))
            bound.append(Decoded(*bare.binding(longer, plan.tokens)[:2]))
    yield from _compared("llama.cpp's own functions", ours[1:], loops[1:])
    yield from _compared("the binding", ours[1:], bindings[1:])
    yield from _compared("the binding, with a known prefix", known[1:], bound[1:])


def _compared(name: str, ours: Sequence[Decoded], others: Sequence[Decoded]) -> Iterator[Figure]:
    rate = median(one.rate / other.rate for one, other in zip(ours, others, strict=True))
    first = median(other.first_s / one.first_s for one, other in zip(ours, others, strict=True))
    rates = f"{median(one.rate for one in ours):.1f} and {median(one.rate for one in others):.1f} tokens/s"
    firsts = f"{_ms(one.first_s for one in ours)} and {_ms(one.first_s for one in others)} ms"
    yield Figure(f"decoding, compared with {name}", f"{rate:.2f}: {rates}", "0.95")
    yield Figure(f"first token, compared with {name}", f"{first:.2f}: {firsts}", "0.95")


def _ms(seconds: Iterator[float]) -> str:
    return f"{1000 * median(seconds):.1f}"


def stream(proof: Proof) -> Iterator[Figure]:
    """Stream through the gateway, and compare with the plain answer."""
    fields = {"messages": [{"role": "user", "content": STORY}], "max_tokens": proof.plan.tokens}
    plain = proof.gateway.chat(**fields).json()["choices"][0]
    started_s = time.perf_counter()
    chunks = proof.gateway.stream(**fields)
    taken_s = time.perf_counter() - started_s
    same_message(chunks, plain)
    assert message_of(chunks)["content"]
    yield Figure(
        "stream through the gateway", f"{len(chunks)} chunks in {taken_s:.2f} s, equal to the plain answer"
    )
    fields["max_tokens"] = CALL_TOKENS
    answer = proof.gateway.chat(**fields, tools=switches(), tool_choice="required").json()["choices"][0][
        "message"
    ]
    assert answer.get("tool_calls"), answer
    yield Figure("forced call through the gateway", answer["tool_calls"][0]["function"]["name"])


def stop(proof: Proof) -> Iterator[Figure]:
    """Stop an answer of the page, and hang up on the gateway."""
    services, setup = proof.gateway.services, proof.setup(tokens=STORY_TOKENS)
    session_id = begin_session(services, setup).id
    turn = start_turn(services, TurnRequest(setup=setup, session_id=session_id, text=STORY))
    pieces, stopped_s, last = 0, 0.0, None
    for event in turn.events():
        pieces += isinstance(event, PieceArrived)
        if pieces >= 5 and not stopped_s:
            stopped_s = time.perf_counter()
            turn.stop.set()
        if isinstance(event, CompletionEnded):
            last = event.generation
    assert last is not None
    assert last.finish_reason is FinishReason.CANCELLED, last.finish_reason
    ended_ms = 1000 * (time.perf_counter() - stopped_s)
    yield Figure(
        "Stop in mid-answer", f"ended {ended_ms:.0f} ms later, after {last.timing.completion_tokens} tokens"
    )
    body = {"model": proof.gateway.model, "messages": [{"role": "user", "content": STORY}], "stream": True}
    with proof.gateway.client.stream(
        "POST", "/v1/chat/completions", json={**body, "max_tokens": STORY_TOKENS}
    ) as response:
        # A generator that nobody refers to any more would close the connection.
        lines = response.iter_lines()
        next(line for line in lines if '"content":"' in line and '"content":""' not in line)
        assert proof.engine.is_busy
    hung_up_s = time.perf_counter()
    _wait(lambda: not proof.engine.is_busy)
    yield Figure(
        "hanging up on the gateway", f"model free {1000 * (time.perf_counter() - hung_up_s):.0f} ms later"
    )


def _wait(is_done: Callable[[], bool]) -> None:
    until_s = time.perf_counter() + DEADLINE_S
    while not is_done():
        assert time.perf_counter() < until_s, "it took too long"
        time.sleep(0.001)


def models_together(proof: Proof) -> Iterator[Figure]:
    """Run two models and an adapter at the same time, and compare with each alone."""
    models = [str(proof.large), str(proof.small), f"{proof.small}+{proof.adapter}"]
    setups = [proof.setup(model=model) for model in models]
    alone = [proof.turn(setup, STORY).message.text for setup in setups]
    assert alone[1] != alone[2], "the adapter changes nothing"
    with ThreadPoolExecutor(len(setups)) as threads:
        together = list(threads.map(lambda setup: proof.turn(setup, STORY).message.text, setups))
    equal = sum(one == other for one, other in zip(alone, together, strict=True))
    for model in models:
        status = proof.gateway.services.models.status(model)
        assert status.is_loaded, model
        yield Figure(
            f"loaded beside the others: {model.replace(f'{proof.large.parent}/', '')}", status.device
        )
    yield Figure(
        "answers equal to those alone", f"{equal} of {len(models)}", f"{len(models)} of {len(models)}"
    )


def grammar_cost(proof: Proof) -> Iterator[Figure]:
    """Decode with the grammar of forty tools, and without."""
    tools, plan = many_tools(), proof.plan
    constraint = forced(tools)
    prompt = f"<|im_start|>user\n{STORY}<|im_end|>\n<|im_start|>assistant\n<tool_call>\n"

    def completed(constraint: Constraint | None) -> Decoded:
        return decode(proof.engine, prompt, constraint, tokens=plan.tokens)

    completed(None)
    pairs = [(completed(constraint), completed(None)) for _ in range(plan.runs)]
    ratio = median(with_it.rate / without.rate for with_it, without in pairs)
    later_ms = 1000 * median(with_it.first_s - without.first_s for with_it, without in pairs)
    yield Figure(f"decoding with a grammar of {MANY_TOOLS} tools, compared with none", f"{ratio:.2f}", "0.9")
    yield Figure("first token with it", f"{later_ms:.0f} ms later")


def many_tools() -> OfferedTools:
    """Return specs with names and arguments of their own."""
    return OfferedTools(
        specs=tuple(
            ToolSpec.of_function(
                {
                    "name": f"find_record_{number}",
                    "description": f"Find a record of kind {number}.",
                    "parameters": {
                        "type": "object",
                        "properties": {
                            f"query_{number}": {"type": "string", "description": "What to find"},
                            "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                            "tags": {"type": "array", "items": {"type": "string"}},
                            "order": {"type": "string", "enum": ["newest", "oldest", f"kind_{number}"]},
                        },
                        "required": [f"query_{number}"],
                    },
                }
            )
            for number in range(MANY_TOOLS)
        )
    )


def visitors(proof: Proof) -> Iterator[Figure]:
    """Run turns of one visitor, then of several at once."""
    count, setup = proof.plan.visitors, proof.setup()

    def visit(number: int) -> CompletionEnded:
        return proof.turn(setup, f"Visitor {number} asks for a story.")

    started_s = time.perf_counter()
    alone = [visit(number) for number in range(count)]
    alone_s = time.perf_counter() - started_s
    started_s = time.perf_counter()
    with ThreadPoolExecutor(count) as threads:
        together = list(threads.map(visit, range(count)))
    together_s = time.perf_counter() - started_s
    written = sum(one.generation.timing.completion_tokens for one in together)
    before = sum(one.generation.timing.completion_tokens for one in alone)
    equal = sum(one.message.text == other.message.text for one, other in zip(alone, together, strict=True))
    waited_s = max(one.generation.timing.time_to_first_token_s for one in together)
    ratio = written / together_s / (before / alone_s)
    rates = f"{written / together_s:.0f} and {before / alone_s:.0f} tokens/s in sum"
    yield Figure(f"{count} visitors at once, compared with one", f"{ratio:.2f}: {rates}", "4")
    yield Figure("longest wait for the first token", f"{waited_s:.1f} s")
    yield Figure("answers equal to those alone", f"{equal} of {count}", f"{count} of {count}")


def memory(proof: Proof) -> Iterator[Figure]:
    """Report what is used with all models loaded."""
    yield Figure("memory of the process", f"{psutil.Process().memory_info().rss / 1e9:.1f} GB")
    if used := card("memory.used"):
        yield Figure("memory of the GPU, with the bare model's process ended", used)


def out_of_memory(proof: Proof) -> Iterator[Figure]:
    """Ask for a context of 1 TB, and then for an answer of the model that is loaded."""
    folder = proof.hungry.parent / "hungry"
    folder.mkdir()
    variables = {"WORKBENCH_MODEL": str(proof.hungry), "WORKBENCH_CONTEXT": "0"}
    with services_for(folder, variables=variables) as (services, _):
        try:
            services.models.engine(str(proof.hungry))
        except EngineError as error:
            message = str(error).replace(f"{proof.hungry.parent}/", "")
        else:
            raise AssertionError("a context of 1 TB was allocated")
    assert "not enough memory" in message, message
    assert "WORKBENCH_CONTEXT" in message, message
    yield Figure("a context of 1 TB", message)
    assert proof.turn(proof.setup(), STORY).message.text
    yield Figure("the loaded model afterwards", "answers")
