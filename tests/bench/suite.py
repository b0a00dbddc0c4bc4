"""What a run costs in prompt time, against a script that evaluates each case's whole prompt again."""

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.services import Services
from workbench.engines.embedded_model import REMEDY, find_embedded
from workbench.rollout.events import Generation
from workbench.rollout.ports import Engine, GenerationRequest
from workbench.rollout.sampling import Sampling
from workbench.settings import read_settings
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_case
from workbench.wiring import open_services

CASES = int(os.environ.get("WORKBENCH_BENCH_CASES", "50"))
"""Cases of the suite; the aim is for fifty."""
TOKENS = 8
CITIES = ("Cairo", "Lima", "Oslo", "Rome", "Quito", "Paris", "Accra", "Hanoi", "Delhi", "Tunis")
CHECKOUT = Path(__file__).parents[2]


class CaseGeneration(NamedTuple):
    """One case of the run."""

    generation: Generation
    text: str


def measure() -> Sequence[str]:
    """Seconds until the first token, summed over the cases, both ways; and whether both write the same."""
    if find_embedded() is None:
        return [f"skipped: no embedded model ({REMEDY})"]
    with tempfile.TemporaryDirectory() as folder:
        with _services(folder) as services:
            generations = list(_through_a_run(services))
        with _services(folder, WORKBENCH_PREFIX_CACHE="0") as services:
            uncached_s, same = _without_cache(services.models.engine("embedded"), generations)
    ours_s = sum(one.generation.timing.time_to_first_token_s for one in generations)
    chars = len(generations[0].generation.prompt_text)
    timings = [one.generation.timing for one in generations]
    evaluated, whole = (
        sum(one.evaluated_tokens or 0 for one in timings),
        sum(one.prompt_tokens for one in timings),
    )
    return [
        f"{len(generations)} cases with prompts of {chars:,} characters: {ours_s:.1f} s to first tokens in a run, "
        f"{uncached_s:.1f} s without the prefix cache, ratio {uncached_s / ours_s:.1f} (aim 3); {same} of {len(generations)} write the same",
        f"{evaluated:,} of {whole:,} prompt tokens evaluated in the run, ratio {whole / evaluated:.1f}",
    ]


def _services(folder: str, **more: str):
    variables = {
        "WORKBENCH_DATA": folder,
        "WORKBENCH_HOME": str(CHECKOUT),
        "WORKBENCH_EMBEDDED_ADAPTER": "off",
        **more,
    }
    if threads := os.environ.get("WORKBENCH_THREADS"):
        variables["WORKBENCH_THREADS"] = threads
    return open_services(read_settings(variables))


def _through_a_run(services: Services) -> Iterator[CaseGeneration]:
    wanted = RunRequest(
        suites=("bench",),
        contracts=("full",),
        models=("embedded",),
        tool_choices=("none",),
        samplings=(Sampling(max_tokens=TOKENS),),
        max_rounds=1,
    )
    kept = begin_run(services, plan_run(services, wanted, [_suite()]))
    for _ in execute_run(services, kept, is_cancelled=lambda: False):
        pass
    for result in services.runs.results(kept.id):
        assert result.session_id, result.error
        message = services.sessions.path(result.session_id)[-1]
        assert message.generation
        yield CaseGeneration(message.generation, message.message.text)


def _suite() -> Suite:
    asked = (
        f"What is the flumbuster reading for {city} on day {day}?" for day in range(1, 99) for city in CITIES
    )
    cases = [
        parse_case(
            {"id": str(number), "prompt": said, "tools": ["nonsense"], "expect": [{"no_call": True}]},
            suite="bench",
        )
        for number, said in zip(range(CASES), asked, strict=False)
    ]
    return Suite(name="bench", cases=tuple(cases))


def _without_cache(engine: Engine, generations: Sequence[CaseGeneration]) -> tuple[float, int]:
    """Seconds until the first tokens, each prompt evaluated whole; and how many completions are the same."""
    seconds, same = 0.0, 0
    for one in generations:
        # Something else in between: nothing of the case before it is left to go on from.
        for _ in engine.generate(
            GenerationRequest(prompt="Once", sampling=Sampling(max_tokens=1)), is_cancelled=lambda: False
        ):
            pass
        request = GenerationRequest(prompt=one.generation.prompt_text, sampling=one.generation.sampling)
        started_s, first_s, text = time.perf_counter(), 0.0, ""
        for delta in engine.generate(request, is_cancelled=lambda: False):
            first_s = first_s or time.perf_counter() - started_s
            text += delta.text
        seconds += first_s
        same += text == one.text
    return seconds, same
