"""Proof that the workbench runs on a GPU: turns, streams, Stop, several models, and its speed beside bare llama.cpp.

    python -m tests.bench.gpu OUT --size 8b

The models have random weights, so that throughput and memory are those of the size, and answers are nonsense. OUT gets
`proof.json`, written again after each part, and `proof.md` with the same as a table. The exit status is 1 if a part
failed. Without a GPU, everything runs on the processor; use `--size small` there.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import llama_cpp

from tests.bench import gpu_parts
from tests.bench.gpu_parts import Figure, Plan, Proof
from tests.bench.machine import card
from tests.bench.random_model import HERMES_3B, HERMES_8B, HUNGRY, SMALL, SMALLER, write_adapter, write_model
from tests.gateway.serving import gateway_over
from workbench.engines.llama_loading import describe_build

PARTS: Final[dict[str, Callable[[Proof], Iterator[Figure]]]] = {
    "header": gpu_parts.header,
    "turns": gpu_parts.turns,
    "speed": gpu_parts.speed,
    "stream": gpu_parts.stream,
    "stop": gpu_parts.stop,
    "models": gpu_parts.models_together,
    "grammar": gpu_parts.grammar_cost,
    "visitors": gpu_parts.visitors,
    "memory": gpu_parts.memory,
    "out of memory": gpu_parts.out_of_memory,
}
SIZES: Final = {
    "8b": (HERMES_8B, HERMES_3B, Plan()),
    "small": (SMALL, SMALLER, Plan(turns=6, tokens=24, runs=1, threads=1, side_by_side=8)),
}


@dataclass(frozen=True, slots=True)
class Part:
    """The result of a part."""

    name: str
    seconds: float
    figures: Sequence[Figure]
    error: str = ""
    """What failed. Empty if nothing did."""


def main(words: Sequence[str] | None = None) -> int:
    """Run all parts, or the named ones. Return 1 if one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for the results")
    parser.add_argument("--size", choices=SIZES, default="8b")
    parser.add_argument("--part", choices=PARTS, action="append", help="run only this part; can be repeated")
    options = parser.parse_args(words)
    options.out.mkdir(parents=True, exist_ok=True)
    parts: list[Part] = []
    with tempfile.TemporaryDirectory(prefix="workbench-gpu-") as folder:
        for part in _parts(Path(folder), options.size, options.part or list(PARTS)):
            parts.append(part)
            _write(options.out, options.size, parts)
            print(_lines_of(part), flush=True)
    failed = [part.name for part in parts if part.error]
    print(f"failed: {', '.join(failed)}" if failed else "all parts ran")
    return bool(failed)


def _parts(folder: Path, size: str, names: Sequence[str]) -> Iterator[Part]:
    large, small, plan = SIZES[size]
    started_s = time.perf_counter()
    files = [
        write_model(folder / f"{name}.gguf", shape) for name, shape in (("large", large), ("small", small))
    ]
    adapter = write_adapter(
        folder / "adapter.gguf", layers=small.layers, width=small.width, inner=small.inner, size=0.5
    )
    hungry = write_model(folder / "hungry.gguf", HUNGRY)
    sizes = ", ".join(f"{file.stat().st_size / 1e9:.2f} GB" for file in files)
    yield Part("models of random weights", time.perf_counter() - started_s, [Figure("two files", sizes)])
    variables = {
        "WORKBENCH_MODEL": str(files[0]),
        "WORKBENCH_CONTEXT": "8192",
        "WORKBENCH_THREADS": str(plan.threads),
        "WORKBENCH_SIDE_BY_SIDE": str(plan.side_by_side),
    }
    with gateway_over(folder, variables=variables) as gateway:
        proof = Proof(gateway, files[0], large.layers, files[1], adapter, hungry, plan)
        for name in names:
            yield _ran(name, proof)


def _ran(name: str, proof: Proof) -> Part:
    """Run a part. What it cannot do must not cost the others their time on a GPU."""
    started_s, figures, error = time.perf_counter(), list[Figure](), ""
    try:
        figures.extend(PARTS[name](proof))
    except Exception as problem:  # noqa: BLE001  Whatever it is, it is in the report.
        traceback.print_exc()
        error = f"{type(problem).__name__}: {problem}"
    return Part(name, time.perf_counter() - started_s, figures, error)


def _write(out: Path, size: str, parts: Sequence[Part]) -> None:
    machine = _machine()
    document = {"machine": machine, "size": size, "parts": [asdict(part) for part in parts]}
    (out / "proof.json").write_text(json.dumps(document, indent=2), encoding="utf-8")
    rows = ["| part | measured | aim | result |", "|---|---|---|---|"]
    for part in parts:
        rows += [f"| {part.name} | {one.name} | {one.aim} | {one.value} |" for one in part.figures]
        if part.error:
            rows.append(f"| {part.name} | failed | | {part.error.replace('|', '/').splitlines()[0]} |")
    text = "\n".join([", ".join(machine.values()), "", *rows, ""])
    (out / "proof.md").write_text(text, encoding="utf-8")


def _lines_of(part: Part) -> str:
    lines = [f"{part.name} ({part.seconds:.1f} s)"]
    lines += [f"  {one.name}: {one.value}{f' (aim {one.aim})' if one.aim else ''}" for one in part.figures]
    return "\n".join([*lines, f"  failed: {part.error}"] if part.error else lines)


def _machine() -> dict[str, str]:
    return {
        "card": card("name,memory.total,driver_version") or "no NVIDIA GPU",
        "processors": f"{os.cpu_count()} processors, {platform.machine()}",
        "python": f"Python {platform.python_version()}",
        "llama": f"llama-cpp-python {describe_build()}",
        "offload": "layers on the GPU"
        if llama_cpp.llama_supports_gpu_offload()
        else "layers on the processor",
    }


if __name__ == "__main__":
    sys.exit(main())
