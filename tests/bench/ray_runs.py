"""Cases per second of a suite run on one and on two workers of Ray, for models that wait and for models that do not."""

import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

from workbench.app.runs.planning import RunRequest, plan_run
from workbench.app.runs.ray_cases import RayCases, ray_workers
from workbench.app.runs.running import begin_run, execute_run
from workbench.app.services import Services
from workbench.library.ray_cluster import started_ray
from workbench.settings import read_settings
from workbench.suite.case import Suite
from workbench.suite.read_suite import parse_case
from workbench.wiring import open_services, open_worker_services

CASES = int(os.environ.get("WORKBENCH_BENCH_RAY_CASES", "120"))
TEXT = "The reading for Cairo is 31 metric usters, and it has not changed."
SECONDS_PER_TOKEN = 0.01
"""The scripted model waits this long per token, as for a model that writes 100 tokens per second elsewhere."""
CHECKOUT = Path(__file__).parents[2]


def measure() -> Sequence[str]:
    """Cases per second by the number of workers. The time to start Ray and its workers is not part of it."""
    if find_spec("ray") is None:
        return ["skipped: Ray is not installed (pip install '.[scale]')"]
    return list(_lines())


def _lines() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, _services(Path(folder)) as services:
        started = time.perf_counter()
        with started_ray("") as ray:
            yield f"Ray starts on this machine in {time.perf_counter() - started:.1f} s"
            for seconds_per_token in (SECONDS_PER_TOKEN, 0.0):
                model = _script(Path(folder), seconds_per_token)
                here = _per_second(services, model, None, 0)
                one, two = (_per_second(services, model, ray, workers) for workers in (1, 2))
                waits = -(-len(TEXT) // 4) * seconds_per_token
                what = f"model waits {1000 * waits:.0f} ms per case" if waits else "model that does not wait"
                aim = " (aim 1.6)" if waits else ""
                yield (
                    f"{CASES} cases, {what}: {here:.1f} cases per second without Ray, {one:.1f} with one worker, "
                    f"{two:.1f} with two; two workers against one {two / one:.2f}{aim}"
                )


@contextmanager
def _services(folder: Path) -> Iterator[Services]:
    # Workers read the settings of their process, which starts with this environment.
    variables = {"WORKBENCH_DATA": str(folder / "data"), "WORKBENCH_HOME": str(CHECKOUT)}
    with patch.dict(os.environ, variables), open_services(read_settings()) as services:
        yield services


def _script(folder: Path, seconds_per_token: float) -> str:
    path = folder / f"script-{seconds_per_token}.yaml"
    script = {"completions": [{"text": TEXT, "seconds_per_token": seconds_per_token}]}
    path.write_text(json.dumps(script), encoding="utf-8")
    return f"scripted:{path}"


def _per_second(services: Services, model: str, ray: object, workers: int) -> float:
    """Run the suite once and return the cases per second. Without workers, it runs in this process."""
    request = RunRequest(suites=("bench",), contracts=("minimal",), models=(model,), max_rounds=1)
    plan = plan_run(services, request, [readings(CASES)])
    if not workers:
        return _timed(services, plan, None)
    with ray_workers(ray, services, plan, open_worker_services, workers) as opened:
        return _timed(services, plan, opened)


def _timed(services, plan, opened) -> float:
    stored = begin_run(services, plan)
    executor = RayCases(services, stored.id, plan, opened) if opened else None
    started = time.perf_counter()
    for _ in execute_run(services, stored, is_cancelled=lambda: False, executor=executor):
        pass
    taken = time.perf_counter() - started
    assert [result.status.value for result in services.runs.results(stored.id)] == ["passed"] * CASES
    return CASES / taken


def readings(count: int) -> Suite:
    """Return a suite of `count` cases that need no call."""
    cases = [
        parse_case(
            {
                "id": str(number),
                "prompt": f"Reading {number}?",
                "tools": ["nonsense"],
                "expect": [{"no_call": True}],
            },
            suite="bench",
        )
        for number in range(count)
    ]
    return Suite(name="bench", cases=tuple(cases))
