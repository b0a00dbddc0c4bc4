"""What the gateway costs: decoding and the first token against the engine alone, many clients, and prefixes."""

import asyncio
import json
import os
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from tests.gateway.serving import ServedGateway, gateway_over, writing
from workbench.engines.embedded_model import REMEDY, find_embedded
from workbench.hermes.openai_messages import parse_messages
from workbench.hermes.render import render
from workbench.rollout.ports import GenerationRequest
from workbench.rollout.sampling import Sampling

TOKENS = 128
RUNS = 5
CLIENTS = 64
SECONDS = 60
TOKENS_PER_SECOND = 50
STORY = [{"role": "user", "content": "Tell me a long story about the sea and a ship."}]


def measure() -> Iterator[str]:
    """Yield one line for each figure."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _embedded(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from _overhead(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from _many_clients(Path(folder))


def _embedded(folder: Path) -> Iterator[str]:
    if find_embedded() is None:
        yield f"skipped: no embedded model ({REMEDY})"
        return
    processors = os.cpu_count() or 1
    for threads in sorted({1, processors}, reverse=True):
        variables = {
            "WORKBENCH_MODEL": "embedded",
            "WORKBENCH_EMBEDDED_ADAPTER": "off",
            "WORKBENCH_THREADS": str(threads),
        }
        with (
            gateway_over(folder, "x", variables=variables) as gateway,
            # A client is another program. In this process it would take the model's time.
            ProcessPoolExecutor(1, get_context("spawn")) as client,
        ):
            yield f"the model uses {threads} of {processors} processors:"
            yield from _decoding(gateway, client)
            if threads == processors:
                yield _prefix(gateway)


def _decoding(gateway: ServedGateway, client: ProcessPoolExecutor) -> Iterator[str]:
    engine = gateway.services.models.engine("embedded")
    conversation = parse_messages(STORY).conversation
    prompt = render(conversation, family="hermes-lines", has_contract=False).text
    request = GenerationRequest(prompt=prompt, sampling=Sampling(max_tokens=TOKENS))
    through, alone, through_s, alone_s = [], [], [], []
    for _ in range(RUNS + 1):
        before_s = time.process_time()
        through.append(client.submit(_chunk_times, gateway.url, gateway.model).result())
        between_s = time.process_time()
        alone.append(_delta_times(engine, request))
        through_s.append(between_s - before_s)
        alone_s.append(time.process_time() - between_s)
    # The first run loads what later ones use.
    through, alone, through_s, alone_s = through[1:], alone[1:], through_s[1:], alone_s[1:]
    ratio = median(_speed(one) / _speed(other) for one, other in zip(through, alone, strict=True))
    steps_ratio = _median_step_s(alone) / _median_step_s(through)
    yield (
        f"decoding {median(map(_speed, through)):.1f} tokens/s, engine alone {median(map(_speed, alone)):.1f}, "
        f"ratio {ratio:.2f}, of the median token {steps_ratio:.2f} (aim 0.97)"
    )
    processor_ratio = median(other / one for one, other in zip(through_s, alone_s, strict=True))
    yield (
        f"processor time of the gateway's process for a token {1000 * median(through_s) / TOKENS:.2f} ms, engine alone "
        f"{1000 * median(alone_s) / TOKENS:.2f} ms, ratio {processor_ratio:.3f}"
    )
    later_ms = 1000 * (median(times[0] for times in through) - median(times[0] for times in alone))
    yield f"first token {later_ms:.1f} ms after the engine's (aim 15)"


def _speed(times: Sequence[float]) -> float:
    """Tokens per second after the first one."""
    return (len(times) - 1) / (times[-1] - times[0])


def _median_step_s(runs: Sequence[Sequence[float]]) -> float:
    """Seconds from a token to the next. Other programs lengthen some of the steps, which the median leaves out."""
    return median(later - earlier for times in runs for earlier, later in pairwise(times))


def _prefix(gateway: ServedGateway) -> str:
    """How much of a prefix that two requests share is evaluated by the second one."""
    system = {"role": "system", "content": "You know the sea. " * 60}
    usages = []
    for question in ("Name a ship.", "Name an island."):
        answer = gateway.chat([system, {"role": "user", "content": question}], max_tokens=8).json()
        usages.append(answer["usage"])
    cached, prompt = usages[1]["prompt_tokens_details"]["cached_tokens"], usages[1]["prompt_tokens"]
    return f"shared prefix: {prompt - cached} of {prompt} tokens evaluated by the second request"


def _chunk_times(url: str, model: str) -> Sequence[float]:
    """Seconds from the request to each chunk with content.

    The client shares the processors with the model. So it does little: `httpx` takes longer for a chunk than the gateway.
    """
    times = []
    # Opening a connection is not the gateway's time.
    with socket.create_connection(_address(url), timeout=600) as connection:
        started_s = time.perf_counter()
        connection.sendall(_request_bytes(url, model, TOKENS))
        while received := connection.recv(65536):
            arrived_s = time.perf_counter() - started_s
            times += [arrived_s] * (received.count(b'"content":"') - received.count(b'"content":""'))
    return times


def _address(url: str) -> tuple[str, int]:
    host, _, port = url.removeprefix("http://").partition(":")
    return host, int(port)


def _request_bytes(url: str, model: str, count: int) -> bytes:
    body = json.dumps({"model": model, "messages": STORY, "stream": True, "max_tokens": count})
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: {url.removeprefix('http://')}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return f"{head}{body}".encode()


def _delta_times(engine, request: GenerationRequest) -> Sequence[float]:
    started_s = time.perf_counter()
    deltas = engine.generate(request, is_cancelled=lambda: False)
    return [time.perf_counter() - started_s for delta in deltas if delta.text]


def _overhead(folder: Path) -> Iterator[str]:
    """The gateway's own time, on an engine that needs none. The part `recording` measures what recording adds."""
    pace = {"text": "word " * TOKENS, "seconds_per_token": 0.01}
    with (
        gateway_over(folder, "One. " * 20) as gateway,
        ProcessPoolExecutor(1, get_context("spawn")) as client,
    ):
        seconds, processor_s = [], []
        for number in range(60):
            started_s, before_s = time.perf_counter(), time.process_time()
            assert gateway.chat([{"role": "user", "content": f"Question {number}"}]).status_code == 200
            seconds.append(time.perf_counter() - started_s)
            processor_s.append(time.process_time() - before_s)
        yield (
            f"a plain answer of 25 tokens takes {1000 * median(seconds[10:]):.1f} ms besides the engine's time, "
            f"{1000 * median(processor_s[10:]):.1f} ms of processor time, the client's included"
        )
        microseconds = []
        with writing(gateway, pace) as paced:
            for _ in range(RUNS + 1):
                before_s = time.process_time()
                count = len(client.submit(_chunk_times, paced.url, paced.model).result())
                microseconds.append(1e6 * (time.process_time() - before_s) / count)
        yield f"a streamed token takes {median(microseconds[1:]):.0f} µs of processor time"


def _many_clients(folder: Path) -> Iterator[str]:
    """Many clients at once on a scripted engine, each with its own text, which must arrive unmixed."""
    count = SECONDS * TOKENS_PER_SECOND
    with (
        gateway_over(folder, "x") as gateway,
        ProcessPoolExecutor(1, get_context("spawn")) as clients,
    ):
        scripts = gateway.services.settings.data / "scripts"
        scripts.mkdir(exist_ok=True)
        texts = ["".join(f"{client:02d}{place % 10} " for place in range(count)) for client in range(CLIENTS)]
        for client, text in enumerate(texts):
            script = {"completions": [{"text": text, "seconds_per_token": 1 / TOKENS_PER_SECOND}]}
            (scripts / f"client-{client}.yaml").write_text(json.dumps(script))
        started_s, before_s = time.perf_counter(), time.process_time()
        results = clients.submit(_play_all, gateway.url, count).result()
        wall_s, process_s = time.perf_counter() - started_s, time.process_time() - before_s
        wrong = sum(found != text for (found, _), text in zip(results, texts, strict=True))
        delays = sorted(delay for _, times in results for delay in _delays(times))
        chunks = sum(len(times) for _, times in results)
        yield (
            f"{CLIENTS} clients, {wall_s:.0f} s, {chunks:,} chunks, {wrong} answers lost or mixed (aim 0), "
            f"delay of a chunk p50 {1000 * delays[len(delays) // 2]:.1f} ms, "
            f"p99 {1000 * delays[len(delays) * 99 // 100]:.1f} ms, "
            f"{1e6 * process_s / chunks:.0f} µs of processor time for each"
        )


def _delays(times: Sequence[float]) -> Iterator[float]:
    """How much later than its token's time each chunk came, in seconds, after the one that came earliest."""
    step = 1 / TOKENS_PER_SECOND
    offsets = [seconds - place * step for place, seconds in enumerate(times)]
    # The script's own sleeps run over a little with each token, so each chunk is compared with those around it.
    for place, offset in enumerate(offsets):
        yield offset - min(offsets[max(0, place - 25) : place + 25])


def _play_all(url: str, count: int) -> Sequence[tuple[str, Sequence[float]]]:
    async def together() -> Sequence[tuple[str, Sequence[float]]]:
        return await asyncio.gather(*(_play(url, number, count) for number in range(CLIENTS)))

    return asyncio.run(together())


async def _play(url: str, number: int, count: int) -> tuple[str, Sequence[float]]:
    """Return the text of an answer, and when each of its chunks came."""
    texts, times = [], []
    reader, writer = await asyncio.open_connection(*_address(url))
    writer.write(_request_bytes(url, f"scripted:client-{number}", count))
    async for line in reader:
        if line.startswith(b"data: {"):
            delta = json.loads(line.removeprefix(b"data: "))["choices"][0]["delta"]
            if delta.get("content"):
                texts.append(delta["content"])
                times.append(time.perf_counter())
    writer.close()
    return "".join(texts), times
