"""What a grammar costs: decoding with the largest tool lists of BFCL, and building the grammar of forty tools."""

import json
import time
from collections.abc import Iterator
from itertools import islice
from statistics import median
from typing import NamedTuple

from tests.bench.timing import seconds
from tests.bfcl import bfcl_trajectories
from workbench.chat.message import Conversation, Message, Role
from workbench.cli.terminal.sources import load_contract
from workbench.cli.training.call_threshold import loaded_engine
from workbench.contract.compose import compose
from workbench.engines.embedded_model import REMEDY, find_embedded, find_embedded_adapter
from workbench.engines.llama_cpp import LlamaCppEngine
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.render import render
from workbench.rollout.constraint import PREFILL, TurnSetup, constrain
from workbench.rollout.ports import ChoiceKind, Constraint, GenerationRequest, ToolChoice
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings
from workbench.toolspec.spec import OfferedTools

LISTS = 20
MANY_TOOLS = 40
RUNS = 3
TOKENS = 64
FEWEST_STEPS = 10
"""Completions of fewer tokens have no speed."""
CONTEXT = 8192
SETS = ("parallel_multiple", "live_multiple")


class Decoded(NamedTuple):
    """One completion."""

    first_s: float
    """Seconds until the first token."""
    rate: float
    """Tokens a second after the first; 0 if there are too few."""


def measure() -> Iterator[str]:
    """Decode calls with and without a grammar, with each tool list by turns."""
    adapter = find_embedded_adapter()
    if find_embedded() is None or adapter is None:
        yield f"grammar: skipped: no embedded model ({REMEDY})"
        return
    yield _building(_of_many_tools())
    adapters = (LoraAdapter(path=adapter),)
    threads = read_settings().threads
    with loaded_engine(
        "embedded", LoadOptions(context_tokens=CONTEXT, threads=threads, gpu_layers=0, lora=adapters)
    ) as engine:
        yield _decoding(engine)


def _building(tools: OfferedTools) -> str:
    (taken_s,) = seconds(lambda: forced(tools))
    return f"grammar of {len(tools.specs)} tools: built in {taken_s * 1000:.1f} ms (aim 50)"


def _decoding(engine: LlamaCppEngine) -> str:
    ratios, starts = [], []
    for question, tools in _largest_lists():
        prompt = _prompt(question, tools)
        constraint = forced(tools)
        # The first completion evaluates the prompt.
        decode(engine, prompt, None)
        pairs = [(decode(engine, prompt, constraint), decode(engine, prompt, None)) for _ in range(RUNS)]
        ratios += [with_it.rate / without.rate for with_it, without in pairs if with_it.rate and without.rate]
        starts += [with_it.first_s - without.first_s for with_it, without in pairs]
    return (
        f"grammar of the {LISTS} largest tool lists: decoding {median(ratios):.2f} of the speed without it, "
        f"lowest {min(ratios):.2f} (aim 0.9); first token {median(starts) * 1000:.0f} ms later, "
        f"at most {max(starts) * 1000:.0f}"
    )


def decode(
    engine: LlamaCppEngine, prompt: str, constraint: Constraint | None, *, tokens: int = TOKENS
) -> Decoded:
    """Complete a prompt at temperature 0."""
    request = GenerationRequest(
        prompt=prompt,
        sampling=Sampling(temperature=0.0, max_tokens=tokens),
        stop=(TURN_CLOSE,),
        constraint=constraint,
    )
    started = time.perf_counter()
    deltas = engine.generate(request, is_cancelled=lambda: False)
    arrivals = [time.perf_counter() for delta in deltas if delta.usage is None]
    steps = len(arrivals) - 1
    taken_s = arrivals[-1] - arrivals[0]
    return Decoded(arrivals[0] - started, steps / taken_s if steps >= FEWEST_STEPS else 0.0)


def _prompt(question: str, tools: OfferedTools) -> str:
    contract = load_contract("minimal")
    system = compose(contract, tools, variables={"date": "2026-03-12"})
    messages = (Message(role=Role.SYSTEM, text=system), Message(role=Role.USER, text=question))
    rendered = render(Conversation(messages=messages), family=contract.family, has_contract=True)
    return rendered.text + PREFILL


def forced(tools: OfferedTools) -> Constraint | None:
    """Return the grammar of a call of one of the tools."""
    setup = TurnSetup(tools=tools, family="hermes-lines")
    return constrain(setup, ToolChoice(kind=ChoiceKind.REQUIRED), starts_in_thought=False).constraint


def _largest_lists() -> list[tuple[str, OfferedTools]]:
    """The largest lists of tools that differ, each with the first question that is asked with it."""
    found: dict[str, tuple[str, OfferedTools]] = {}
    for name in SETS:
        for trajectory in bfcl_trajectories(name, is_sound=True):
            written = json.dumps([spec.document for spec in trajectory.tools.specs])
            question = next(one for one in trajectory.messages if one.role is Role.USER)
            found.setdefault(written, (question.prose[0].text, trajectory.tools))
    return [found[written] for written in sorted(found, key=len, reverse=True)[:LISTS]]


def _of_many_tools() -> OfferedTools:
    specs = {
        spec.name: spec
        for trajectory in bfcl_trajectories("multiple", is_sound=True)
        for spec in trajectory.tools.specs
    }
    return OfferedTools(specs=tuple(islice(specs.values(), MANY_TOOLS)))
