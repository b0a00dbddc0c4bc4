"""A gateway on a free port of loopback, served in a thread."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from tests.services import services_for
from workbench.app.recording import Recorder
from workbench.app.services import Services
from workbench.gateway.app import Gateway, GatewayOptions
from workbench.gateway.targets import UpstreamModels

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
ANSWER = "It is sunny in Rome."
QUESTION: list[dict[str, Any]] = [{"role": "user", "content": "What is the weather in Rome?"}]


@dataclass
class ServedGateway:
    """A running gateway."""

    url: str
    services: Services
    model: str
    """Name of the scripted engine."""
    client: httpx.Client

    def chat(self, messages: list[dict[str, Any]] | None = None, **fields: Any) -> httpx.Response:
        headers = fields.pop("headers", {})
        body = {"model": self.model, "messages": QUESTION if messages is None else messages, **fields}
        return self.client.post("/v1/chat/completions", json=body, headers=headers)

    def stream(self, messages: list[dict[str, Any]] | None = None, **fields: Any) -> list[dict[str, Any]]:
        """Return the chunks of a streamed answer."""
        response = self.chat(messages, stream=True, **fields)
        assert response.status_code == 200, response.text
        return events_of(response.text)


@contextmanager
def writing(gateway: ServedGateway, *completions: Any) -> Iterator[ServedGateway]:
    """The same gateway with another model, which writes `completions`."""
    folder = gateway.services.settings.data / "scripts"
    folder.mkdir(exist_ok=True)
    name = f"own-{len(list(folder.iterdir()))}"
    (folder / f"{name}.yaml").write_text(json.dumps({"completions": list(completions)}), encoding="utf-8")
    yield replace(gateway, model=f"scripted:{name}")


def events_of(text: str) -> list[dict[str, Any]]:
    """Return the events of a stream, which must end with [DONE] unless the last one is an error."""
    events = [line.removeprefix("data: ") for line in text.split("\n\n") if line.startswith("data: ")]
    if events[-1] != "[DONE]":
        assert "error" in events[-1], events[-1]
        return [json.loads(event) for event in events]
    return [json.loads(event) for event in events[:-1]]


def message_of(chunks: list[dict[str, Any]], index: int = 0) -> dict[str, Any]:
    """Join the deltas of one answer as a client does."""
    message: dict[str, Any] = {"content": "", "tool_calls": []}
    for chunk in chunks:
        for choice in chunk["choices"]:
            if choice["index"] != index:
                continue
            delta = choice["delta"]
            message["content"] += delta.get("content") or ""
            if "reasoning_content" in delta:
                message["reasoning_content"] = (
                    message.get("reasoning_content", "") + delta["reasoning_content"]
                )
            for call in delta.get("tool_calls", ()):
                if call["index"] == len(message["tool_calls"]):
                    message["tool_calls"].append({"id": call["id"], "type": "function", "function": {"name": call["function"]["name"], "arguments": ""}})  # fmt: skip
                message["tool_calls"][call["index"]]["function"]["arguments"] += call["function"]["arguments"]
            if choice["finish_reason"]:
                message["finish_reason"] = choice["finish_reason"]
    return message


def same_message(chunks: list[dict[str, Any]], choice: dict[str, Any]) -> None:
    """Check that a stream adds up to the choice of a plain answer."""
    streamed, plain = message_of(chunks), choice["message"]
    assert streamed["content"] == (plain["content"] or "")
    assert streamed["tool_calls"] == plain.get("tool_calls", [])
    assert streamed.get("reasoning_content") == plain.get("reasoning_content")
    assert streamed["finish_reason"] == choice["finish_reason"]


@contextmanager
def served(app: Any, stop: Any = lambda: None) -> Iterator[str]:
    """Serve an ASGI application in a thread. Yields its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off", proxy_headers=False, timeout_graceful_shutdown=3)  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
        assert thread.is_alive()
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        stop()
        server.should_exit = True
        thread.join(timeout=10)


@contextmanager
def gateway_over(
    folder: Path,
    *completions: Any,
    variables: Mapping[str, str] | None = None,
    upstream: UpstreamModels | None = None,
    recorder: Recorder | None = None,
    headers: Mapping[str, str] | None = None,
    family: str = "hermes-lines",
    **changes: Any,
) -> Iterator[ServedGateway]:
    """Serve a gateway whose model writes `completions`."""
    with services_for(folder, *completions, variables=variables) as (services, _):
        services = replace(services, settings=replace(services.settings, **changes))
        gateway = Gateway(services, GatewayOptions(family=family, upstream=upstream, recorder=recorder))
        try:
            with (
                served(gateway.app, gateway.stop) as url,
                httpx.Client(base_url=url, timeout=30, headers=headers) as client,
            ):
                yield ServedGateway(url, services, services.settings.model, client)
        finally:
            gateway.close()
