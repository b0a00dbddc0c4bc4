"""Every route of the three kinds of servers and of the gateway, and what a stranger's request gets there.

The tables are complete: a route that Gradio or the gateway adds and that no table has fails a test.
"""

import http.client
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from starlette.routing import Route

from tests.gateway.serving import ANSWER, gateway_over
from tests.security.conftest import SPACE_HOST
from tests.served import Server
from tests.services import services_for
from workbench.app.api_keys import hash_key, server_secret
from workbench.gateway.app import Gateway, GatewayOptions
from workbench.ui.page import build_page

KINDS: Final = ("laptop", "team", "space")
NONE = (404, 404, 404)
"""The gate does not serve the path at all."""
MCP = "/gradio_api/mcp/"
TAB = "abcdefgh12"

ROUTES: Final[dict[str, tuple[str, tuple[int, int, int]]]] = {
    # Gradio's route: a path of it, and the status on a laptop (with --mcp), a team's server without a login, a Space.
    "GET /": ("/", (200, 200, 200)),
    "HEAD /": ("/", (200, 200, 200)),
    "GET /assets/{path:path}": ("/assets/../../../etc/passwd", (403, 403, 403)),
    "GET /config": ("/config", (200, 401, 200)),
    "GET /favicon.ico": ("/favicon.ico", (200, 200, 200)),
    "GET /gradio_api/app_id": ("/gradio_api/app_id", (200, 401, 200)),
    "GET /gradio_api/call/v2/{api_name}/{event_id}": (f"/gradio_api/call/v2/parse/{TAB}", (200, 401, 200)),
    "GET /gradio_api/call/{api_name}/{event_id}": (f"/gradio_api/call/parse/{TAB}", (200, 401, 200)),
    "GET /gradio_api/custom_component/{id}/{environment}/{type}/{file_name}": ("/gradio_api/custom_component/1/client/component/index.js", NONE),
    "GET /gradio_api/deep_link": ("/gradio_api/deep_link?session_hash=x", NONE),
    "GET /gradio_api/dev/reload": ("/gradio_api/dev/reload", NONE),
    "GET /gradio_api/file/{path:path}": ("/gradio_api/file//etc/passwd", NONE),
    "GET /gradio_api/file={path_or_url:path}": ("/gradio_api/file=/etc/passwd", (403, 401, 403)),
    "GET /gradio_api/heartbeat/{session_hash}": (f"/gradio_api/heartbeat/{TAB}", (200, 401, 200)),
    "GET /gradio_api/info": ("/gradio_api/info", (200, 401, 200)),
    "GET /gradio_api/login_check": ("/gradio_api/login_check", (200, 401, 200)),
    "GET /gradio_api/openapi.json": ("/gradio_api/openapi.json", (200, 401, 200)),
    "GET /gradio_api/proxy={url_path:path}": ("/gradio_api/proxy=https://x.hf.space/", NONE),
    "GET /gradio_api/queue/data": (f"/gradio_api/queue/data?session_hash={TAB}x", (200, 401, 200)),
    "GET /gradio_api/queue/status": ("/gradio_api/queue/status", (200, 401, 200)),
    "GET /gradio_api/run-history/buckets": ("/gradio_api/run-history/buckets", NONE),
    "GET /gradio_api/run-history/records": ("/gradio_api/run-history/records", NONE),
    "GET /gradio_api/run-history/records/{endpoint}/{record_id}/assets/{asset_id}": ("/gradio_api/run-history/records/a/b/assets/c", NONE),
    "GET /gradio_api/runs": ("/gradio_api/runs", NONE),
    "GET /gradio_api/startup-events": ("/gradio_api/startup-events", (200, 200, 200)),
    "GET /gradio_api/stream/{session_hash}/{run}/{component_id}/playlist-file": ("/gradio_api/stream/a/b/1/playlist-file", NONE),
    "GET /gradio_api/stream/{session_hash}/{run}/{component_id}/playlist.m3u8": ("/gradio_api/stream/a/b/1/playlist.m3u8", NONE),
    "GET /gradio_api/stream/{session_hash}/{run}/{component_id}/{segment_id}.{ext}": ("/gradio_api/stream/a/b/1/c.ts", NONE),
    "GET /gradio_api/theme.css": ("/gradio_api/theme.css", (200, 200, 200)),
    "GET /gradio_api/token": ("/gradio_api/token", NONE),
    "GET /gradio_api/upload_progress": ("/gradio_api/upload_progress?upload_id=x", (404, 401, 404)),
    "GET /gradio_api/user": ("/gradio_api/user", (200, 401, 200)),
    "GET /gradio_api/vibe-code": ("/gradio_api/vibe-code", NONE),
    "GET /logout": ("/logout", (303, 200, 303)),
    "GET /manifest.json": ("/manifest.json", (200, 200, 200)),
    "GET /monitoring": ("/monitoring", NONE),
    "GET /monitoring/summary": ("/monitoring/summary", NONE),
    "GET /monitoring/{key}": ("/monitoring/x", NONE),
    "GET /openapi.json": ("/openapi.json", NONE),
    "GET /pwa_icon": ("/pwa_icon", (404, 404, 404)),
    "GET /pwa_icon/{size}": ("/pwa_icon/192", (404, 404, 404)),
    "GET /robots.txt": ("/robots.txt", (200, 200, 200)),
    "GET /static/{path:path}": ("/static/../../../etc/passwd", (403, 403, 403)),
    "GET /svelte/{path:path}": ("/svelte/../../../etc/passwd", (403, 403, 403)),
    "GET /theme.css": ("/theme.css", (200, 200, 200)),
    "HEAD /gradio_api/file={path_or_url:path}": ("/gradio_api/file=/etc/passwd", (403, 401, 403)),
    "HEAD /gradio_api/proxy={url_path:path}": ("/gradio_api/proxy=https://x.hf.space/", NONE),
    "POST /gradio_api/api/{api_name}": ("/gradio_api/api/nothing", (422, 401, 422)),
    "POST /gradio_api/call/v2/{api_name}": ("/gradio_api/call/v2/nothing", (404, 401, 404)),
    "POST /gradio_api/call/{api_name}": ("/gradio_api/call/nothing", (422, 401, 422)),
    "POST /gradio_api/cancel": ("/gradio_api/cancel", (422, 401, 422)),
    "POST /gradio_api/component_server": ("/gradio_api/component_server", NONE),
    "POST /gradio_api/process_recording": ("/gradio_api/process_recording", NONE),
    "POST /gradio_api/queue/join": ("/gradio_api/queue/join", (422, 401, 422)),
    "POST /gradio_api/reset": ("/gradio_api/reset", (422, 401, 422)),
    "POST /gradio_api/run-history/connect": ("/gradio_api/run-history/connect", NONE),
    "POST /gradio_api/run/{api_name}": ("/gradio_api/run/nothing", (422, 401, 422)),
    "POST /gradio_api/stream/{event_id}": ("/gradio_api/stream/x", NONE),
    "POST /gradio_api/stream/{event_id}/close": ("/gradio_api/stream/x/close", NONE),
    "POST /gradio_api/undo-vibe-edit": ("/gradio_api/undo-vibe-edit", NONE),
    "POST /gradio_api/upload": ("/gradio_api/upload", (400, 401, 400)),
    "POST /gradio_api/vibe-code": ("/gradio_api/vibe-code", NONE),
    "POST /gradio_api/vibe-edit": ("/gradio_api/vibe-edit", NONE),
    "POST /gradio_api/vibe-starter-queries": ("/gradio_api/vibe-starter-queries", NONE),
    "POST /login": ("/login", (303, 400, 303)),
}  # fmt: skip
OURS: Final[dict[str, tuple[str, tuple[int, int, int]]]] = {
    "GET /login": ("/login", (303, 200, 303)),
    "POST /logout": ("/logout", (303, 303, 303)),
    "GET /report/{key}": ("/report/nothing", (404, 200, 404)),
    "GET /scripts/{path}": ("/scripts/nothing.js", (404, 404, 404)),
    "GET /styles/{path}": ("/styles/nothing.css", (404, 404, 404)),
    "POST /gradio_api/mcp/": (MCP, (406, 404, 404)),
    "GET /login/huggingface": ("/login/huggingface", NONE),
    "GET /login/callback": ("/login/callback", NONE),
    "GET /docs": ("/docs", NONE),
    "GET /gradio_api/": ("/gradio_api/", NONE),
    "GET /v1/models": ("/v1/models", NONE),
    "PUT /config": ("/config", (405, 401, 405)),
    "DELETE /gradio_api/queue/data": ("/gradio_api/queue/data?session_hash=x", (200, 401, 200)),
}
"""Routes of our own, and paths that must not be routes."""
GATEWAY: Final[dict[str, tuple[str, tuple[int, int]]]] = {
    # Without a key where keys are needed; with the right key and an empty object.
    "GET /health": ("/health", (200, 200)),
    "GET /v1/models": ("/v1/models", (401, 200)),
    "GET /v1/models/{name:path}": ("/v1/models/../../etc/passwd", (401, 404)),
    "POST /v1/chat/completions": ("/v1/chat/completions", (401, 400)),
    "POST /v1/completions": ("/v1/completions", (401, 400)),
    "POST /v1/responses": ("/v1/responses", (401, 400)),
    "GET /v1/responses/{id}": ("/v1/responses/resp_x", (401, 404)),
    "DELETE /v1/responses/{id}": ("/v1/responses/resp_x", (401, 404)),
    "POST /v1/messages": ("/v1/messages", (401, 400)),
    "POST /v1/messages/count_tokens": ("/v1/messages/count_tokens", (401, 400)),
    "POST /v1/parse": ("/v1/parse", (401, 400)),
}
NOT_OF_GATEWAY: Final = (
    ("GET", "/", 404), ("GET", "/v1", 404), ("GET", "/docs", 404), ("GET", "/openapi.json", 404), ("GET", "/metrics", 404),
    ("GET", "/v1/chat/completions", 405), ("PUT", "/v1/models", 405), ("POST", "/health", 405), ("TRACE", "/v1/parse", 405),
    ("GET", "/gradio_api/info", 404), ("GET", "/v1/files", 404), ("POST", "/v1/embeddings", 404), ("GET", "//v1/models", 404),
)  # fmt: skip


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


def ask(url: str, method: str, path: str, body: bytes | None, **headers: str) -> Answer:
    host, _, port = url.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    try:
        connection.request(method, path, body=body, headers={"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        # A stream of events does not end by itself.
        is_open_ended = "heartbeat" in path
        return Answer(answer.status, answer.headers, b"" if is_open_ended else answer.read(200_000))
    finally:
        connection.close()


def routes_of(routes: Sequence[Any]) -> Iterator[str]:
    """Yield all routes of an application as `METHOD PATH`, without the variants that end with a slash."""
    for route in routes:
        router = getattr(route, "original_router", None)
        if router is not None:
            yield from routes_of(router.routes)
            continue
        methods = route.methods or ()
        path = route.path if len(route.path) == 1 else route.path.rstrip("/")
        for method in methods:
            # With each GET, Starlette adds HEAD.
            if path and not (method == "HEAD" and "GET" in methods):
                yield f"{method} {path}"


@pytest.mark.slow
def test_every_route_of_gradio_is_in_the_table(tmp_path: Path) -> None:
    from gradio.routes import App

    with services_for(tmp_path, "x") as (services, _):
        app = App.create_app(build_page(services).blocks, app_kwargs={})
    assert set(routes_of(app.routes)) == set(ROUTES)


def test_every_route_of_the_gateway_is_in_the_table(tmp_path: Path) -> None:
    with services_for(tmp_path, "x") as (services, _):
        gateway: Any = Gateway(services, GatewayOptions(family="hermes-lines"))
        gateway.close()
    assert all(isinstance(route, Route) for route in gateway.app.routes)
    assert set(routes_of(gateway.app.routes)) == set(GATEWAY)


def problem_of(answer: Answer, expected: int) -> str:
    """Return what is wrong with an answer. Empty if it is right."""
    text = answer.body.decode(errors="replace")
    if answer.status != expected:
        return f"{answer.status} instead of {expected}: {text[:100]}"
    if any(word in text for word in ("Traceback", "root:", "site-packages")):
        return f"it reveals something: {text[:100]}"
    if any(name.lower().startswith("access-control-") for name in answer.headers):
        return "it has a CORS header"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_route_gives_a_stranger_what_the_table_says(request: pytest.FixtureRequest, kind: str) -> None:
    server: Server = request.getfixturevalue(kind)
    place = KINDS.index(kind)
    headers = {"Host": SPACE_HOST} if kind == "space" else {}
    wrong = dict[str, str]()
    for route, (path, statuses) in (ROUTES | OURS).items():
        method = route.partition(" ")[0]
        body = b"{}" if method in ("POST", "PUT") else None
        answer = ask(server.url, method, path, body, **headers)
        if problem := problem_of(answer, statuses[place]):
            wrong[route] = problem
        if "content-security-policy" not in answer.headers:
            wrong[f"{route} headers"] = "it has no security policy"
    assert not wrong, json.dumps(wrong, indent=1)


@pytest.mark.slow
def test_every_route_of_the_gateway_needs_a_key_and_answers_with_json(tmp_path: Path) -> None:
    hashes = {"agent": hash_key("wb-key", server_secret(tmp_path / "data"))}
    wrong = dict[str, str]()
    with gateway_over(tmp_path, ANSWER, gateway_keys=hashes, data=tmp_path / "data") as gateway:
        keys = ({}, {"Authorization": "Bearer wb-key"})
        for route, (path, statuses) in GATEWAY.items():
            method = route.partition(" ")[0]
            for key, status in zip(keys, statuses, strict=True):
                answer = ask(gateway.url, method, path, b"{}" if method == "POST" else None, **key)
                if problem := problem_of(answer, status):
                    wrong[f"{route} {key}"] = problem
                json.loads(answer.body)
        for method, path, status in NOT_OF_GATEWAY:
            answer = ask(gateway.url, method, path, None)
            if problem := problem_of(answer, status):
                wrong[f"{method} {path}"] = problem
        for name, value in {"Origin": "https://evil.example", "Host": "evil.example"}.items():
            for route, (path, _) in GATEWAY.items():
                if path != "/health":
                    method = route.partition(" ")[0]
                    answer = ask(
                        gateway.url,
                        method,
                        path,
                        b"{}" if method == "POST" else None,
                        **{name: value},
                        **keys[1],
                    )
                    assert answer.status in (403, 421), (route, name)
    assert not wrong, json.dumps(wrong, indent=1)
