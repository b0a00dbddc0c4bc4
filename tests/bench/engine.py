"""What the page's own path to the model costs: against the bare binding, and in tokens evaluated."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from tests.bench import grammar
from tests.bench.bare import bare_llama
from tests.bench.turns import Reuse
from workbench.app.services import Services
from workbench.app.turn_request import TurnRequest
from workbench.app.turns import begin_session, start_turn
from workbench.engines.embedded_model import REMEDY, find_embedded
from workbench.records.run_config import RunConfig
from workbench.rollout.events import CompletionEnded
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings
from workbench.ui.present.live import LiveRound
from workbench.ui.tabs.play.watching import live_after
from workbench.wiring import open_services

TOKENS = 128
RUNS = 5
TURNS = 4
STORY = "Tell me a long story about the sea and a ship."
CHECKOUT = Path(__file__).parents[2]


def measure() -> Sequence[str]:
    """Tokens a second through the page's path, against `Llama.create_completion`; what is evaluated twice; grammars."""
    path = find_embedded()
    if path is None:
        return [f"skipped: no embedded model ({REMEDY})"]
    with tempfile.TemporaryDirectory() as folder:
        variables = {
            "WORKBENCH_DATA": folder,
            "WORKBENCH_HOME": str(CHECKOUT),
            "WORKBENCH_EMBEDDED_ADAPTER": "off",
        }
        if threads := os.environ.get("WORKBENCH_THREADS"):
            variables["WORKBENCH_THREADS"] = threads
        with open_services(read_settings(variables)) as services:
            setup = replace(services.setup_for(), sampling=Sampling(max_tokens=TOKENS), tool_choice="none")
            return [_speed(services, setup, path), *_evaluated(services, setup), *grammar.measure()]


def _speed(services: Services, setup: RunConfig, path: Path) -> str:
    threads = services.settings.threads or os.cpu_count() or 1
    ours, bare = [], []
    with bare_llama(path, threads=threads) as bare_model:
        for _ in range(RUNS):
            generation = _turn(services, begin_session(services, setup).id, setup, STORY)[-1].generation
            ours.append(generation.timing.tokens_per_second)
            bare.append(bare_model.binding(generation.prompt_text, TOKENS).rate)
    ratio = median(one / other for one, other in zip(ours, bare, strict=True))
    return f"page {median(ours):.1f} tokens/s, bare binding {median(bare):.1f}, ratio {ratio:.2f} (aim 0.97)"


def _turn(services: Services, session_id: str, setup: RunConfig, text: str) -> list[CompletionEnded]:
    """Run one turn as the page does: in its own thread, stored, and shown in the live pane."""
    live, found = LiveRound(), list[CompletionEnded]()
    turn = start_turn(services, TurnRequest(setup=setup, session_id=session_id, text=text))
    with turn.watched() as batches:
        for batch in batches:
            for logged in batch.logged:
                event = logged.event
                if isinstance(event, CompletionEnded):
                    found.append(event)
                live = live_after(live, logged)
            live.show(now_s=services.calendar.seconds())
    return found


def _evaluated(services: Services, setup: RunConfig) -> Iterator[str]:
    """Evaluated against new tokens, from the second completion on: one conversation, two that alternate, forced calls."""
    short = replace(setup, sampling=Sampling(max_tokens=24))
    forced = replace(short, tool_choice="required", sampling=Sampling(max_tokens=96))
    for name, count, setup in (
        ("in one conversation", 1, short),
        ("in two that alternate", 2, short),
        ("in two that alternate, with forced calls", 2, forced),
    ):
        sessions = [begin_session(services, setup).id for _ in range(count)]
        reuse = Reuse(services.models.engine("embedded"))
        for turn in range(TURNS):
            for place, session_id in enumerate(sessions):
                asked = f"Tell me of number {turn * 7 + place}, please."
                for ended in _turn(services, session_id, setup, asked):
                    reuse.add(session_id, ended)
        yield f"evaluated {reuse.evaluated} of {reuse.new} new tokens {name}: {reuse.ratio:.2f} (aim 1.05)"
