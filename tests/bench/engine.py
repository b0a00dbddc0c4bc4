"""What the page's own path to the model costs, against the bare binding."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.fakes import DictToolbox
from workbench.chat.message import Conversation, Message, Role
from workbench.desk.calendar import SystemCalendar
from workbench.engines.embedded import REMEDY, find_embedded
from workbench.engines.llama_cpp import load_llama_cpp
from workbench.engines.llama_loading import Loading
from workbench.hermes.render import render
from workbench.rollout.events import CompletionEnded
from workbench.rollout.limits import TurnSetup
from workbench.rollout.loop import Turn, play
from workbench.rollout.ports import Sampling
from workbench.toolspec.spec import OfferedTools

TOKENS = 128
RUNS = 5
ASKED = Conversation(
    messages=(
        Message(role=Role.SYSTEM, text="You tell long stories."),
        Message(role=Role.USER, text="Tell me a long story about the sea and a ship."),
    )
)


def measure() -> Sequence[str]:
    """Tokens a second through the loop of a turn, against `Llama.create_completion`, taken in turn."""
    path = find_embedded()
    if path is None:
        return [f"skipped: no embedded model ({REMEDY})"]
    ours, bare = [], []
    engine = load_llama_cpp(
        path, name="embedded", loading=Loading(context_tokens=2048, threads=0, gpu_layers=0)
    )
    binding = _bare(path)
    for _ in range(RUNS):
        ours.append(_through_the_loop(engine))
        bare.append(_through_the_binding(binding))
    engine.close()
    binding.close()
    ratio = median(one / other for one, other in zip(ours, bare, strict=True))
    return [
        f"loop {median(ours):.1f} tokens/s, bare binding {median(bare):.1f}, ratio {ratio:.2f} (aim 0.97)"
    ]


def _bare(path: Path):
    import llama_cpp

    return llama_cpp.Llama(str(path), n_ctx=2048, n_threads=os.cpu_count(), verbose=False)


def _through_the_loop(engine) -> float:
    setup = TurnSetup(tools=OfferedTools(), family="hermes-lines", sampling=Sampling(max_tokens=TOKENS))
    turn = Turn(
        setup=setup,
        engine=engine,
        toolbox=DictToolbox({}),
        clock=SystemCalendar(),
        is_cancelled=lambda: False,
    )
    events = [event for event in play(turn, ASKED) if isinstance(event, CompletionEnded)]
    return events[0].generation.timing.tokens_per_second


def _through_the_binding(binding) -> float:
    prompt = render(ASKED, family="hermes-lines", has_contract=True).text
    count, first = 0, 0.0
    for _ in binding.create_completion(prompt, max_tokens=TOKENS, temperature=0, stream=True):
        first = first or time.perf_counter()
        count += 1
    return (count - 1) / (time.perf_counter() - first)
