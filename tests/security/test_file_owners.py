"""A file belongs to the person who uploaded it, or to whom the server offered it; messages do not name the server's folders."""

import json
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import httpx
import pytest

from tests.aside import run_aside
from tests.security.conftest import PASSWORDS
from tests.served import Server
from workbench.errors import BadInput
from workbench.records.owner import Permission, UserRole
from workbench.ui.file_owners import FileOwners
from workbench.ui.gradio_parts.page_blocks import PageBlocks
from workbench.ui.page_checks import PageChecks
from workbench.ui.permissions import needs
from workbench.ui.present.notices import problem
from workbench.ui.request_scope import OWNER

ROW = b'{"conversations": [{"from": "human", "value": "ann\'s secret"}, {"from": "gpt", "value": "Hi."}]}\n'


def request_of(owner: str | None) -> Any:
    return None if owner is None else SimpleNamespace(request=SimpleNamespace(scope={OWNER: owner}))


def event_with(*blocks: object) -> Any:
    return SimpleNamespace(inputs=blocks, outputs=blocks)


def file(path: str) -> dict[str, object]:
    return {"path": path, "meta": {"_type": "gradio.FileData"}}


FORMS: tuple[Callable[[str], object], ...] = (
    file,
    lambda path: [file(path)],
    lambda path: [file("/own"), file(path)],
    lambda path: {"path": "/own", "more": file(path)},
    lambda path: {"__type__": "update", "value": [file(path)]},
    lambda path: [["replace", [], file(path)]],
    lambda path: {"path": path},
)


@pytest.mark.parametrize("form", FORMS)
def test_only_the_owner_of_a_file_may_send_it(form: Callable[[str], object]) -> None:
    owners, event = FileOwners(has_strangers=True), event_with(gr.Textbox(), gr.File())
    owners.add("ann", "/ann's")
    for name in ("ann", "bob"):
        owners.add(name, "/own")
    owners.check(request_of("ann"), event, ["x", form("/ann's")])
    owners.check(request_of(None), event, ["x", form("/ann's")])
    with pytest.raises(gr.Error, match="not available"):
        owners.check(request_of("bob"), event, ["x", form("/ann's")])
    owners.offer(request_of("bob"), event, ["x", form("/ann's")])
    owners.check(request_of("bob"), event, ["x", form("/ann's")])


def test_texts_and_empty_files_are_no_files() -> None:
    owners, event = FileOwners(has_strangers=True), event_with(gr.Textbox(), gr.File(), gr.UploadButton())
    for values in (["/ann's", None, None], [{"path": "/ann's"}, None, []], ["x", 5, "y"], []):
        owners.check(request_of("bob"), event, values)


def test_a_user_alone_may_use_all_files() -> None:
    owners = FileOwners(has_strangers=False)
    assert owners.may_use("browser:x", "/anything")
    owners.check(request_of("x"), event_with(gr.File()), [file("/anything")])


def test_the_number_of_remembered_files_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.ui.file_owners._MOST_FILES", 10)
    owners = FileOwners(has_strangers=True)
    for number in range(100):
        owners.add("ann", f"/{number}")
    assert owners.may_use("ann", "/99") and not owners.may_use("ann", "/89")


@contextmanager
def person(server: Server, name: str, *, is_team: bool) -> Iterator[httpx.Client]:
    headers = {} if is_team else {"x-workbench-key": name * 32}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
        if is_team:
            client.post("/login", data={"username": name, "password": PASSWORDS[name]}).raise_for_status()
        yield client


def imported(client: httpx.Client, path: str) -> str:
    """Import a file by its path, and return what the page shows."""
    config = client.get("/config").json()
    data = [None, file(path), "", False, "auto"]
    # The Tools tab has an event with the same name.
    [event] = [
        one
        for one in config["dependencies"]
        if one["api_name"].startswith("on_import") and len(one["inputs"]) == len(data)
    ]
    body = {
        "data": data,
        "fn_index": event["id"],
        "session_hash": secrets.token_hex(8),
    }
    assert client.post("/gradio_api/queue/join", json=body).status_code == 200
    text = ""
    with client.stream("GET", f"/gradio_api/queue/data?session_hash={body['session_hash']}") as stream:
        for line in stream.iter_lines():
            text += line
            if '"process_completed"' in line:
                return text
    return text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["team", "space"])
def test_nobody_else_reads_an_uploaded_file_even_with_its_path(
    request: pytest.FixtureRequest, kind: str
) -> None:
    server, is_team = request.getfixturevalue(kind), kind == "team"
    with person(server, "ann", is_team=is_team) as ann, person(server, "bob", is_team=is_team) as bob:
        [path] = ann.post("/gradio_api/upload", files={"files": ("a.jsonl", ROW)}).json()
        assert ann.get(f"/gradio_api/file={path}").content == ROW
        for method in ("GET", "HEAD"):
            assert bob.request(method, f"/gradio_api/file={path}").status_code == 403
        for variant in (
            f"/{path}",
            path.replace("/a.jsonl", "/./a.jsonl"),
            path.replace("/", "//", 1),
            f"{path}?x=1",
        ):
            assert b"secret" not in bob.get(f"/gradio_api/file={variant}").content
        assert "not available" in imported(bob, path)
        assert "1 session created" in imported(ann, path)
        # The same content is the same file, for both.
        assert bob.post("/gradio_api/upload", files={"files": ("a.jsonl", ROW)}).json() == [path]
        assert bob.get(f"/gradio_api/file={path}").content == ROW


@pytest.mark.slow
def test_a_visitor_does_not_learn_the_server_s_folders_from_an_error(space: Server) -> None:
    with person(space, "ann", is_team=False) as ann:
        for name, content in {
            "x.parquet": b"PAR1 not really",
            "x.jsonl.gz": b"\x1f\x8b broken",
            "x.jsonl": b"\xff\xfe\x00",
            "x y'z.json": b"{",
        }.items():
            [path] = ann.post("/gradio_api/upload", files={"files": (name, content)}).json()
            shown = [
                line
                for found in json.loads("[" + imported(ann, path).replace("data: ", ",").lstrip(",") + "]")
                for line in _texts(found.get("output", {}))
            ]
            assert shown and not [text for text in shown if path.rpartition("/")[0] in text], shown


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for below in value.values():
            yield from _texts(below)
    elif isinstance(value, list):
        for below in value:
            yield from _texts(below)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("file {uploads}/b45c/x.parquet: cannot be read", "file x.parquet: cannot be read"),
        ("file {uploads}/b45c/a b.jsonl: cut", "file a b.jsonl: cut"),
        ("[Errno 2] No such file: '{uploads}/b45c/x.csv'", "[Errno 2] No such file: 'x.csv'"),
        ("file {folder}/workbench-rows-x1/rows.jsonl: disk full", "file rows.jsonl: disk full"),
        ("file /home/me/rows.jsonl: cut", "file /home/me/rows.jsonl: cut"),
    ],
)
def test_folders_of_uploads_are_left_out(monkeypatch: pytest.MonkeyPatch, text: str, shown: str) -> None:
    import tempfile

    monkeypatch.setenv("GRADIO_TEMP_DIR", "/srv/uploads")
    folder = {"uploads": "/srv/uploads", "folder": tempfile.gettempdir()}
    where, _, what = text.format(**folder).partition(": ")
    [line] = problem(BadInput(where, what)).lines
    assert line.text == shown


def test_a_prepared_file_belongs_to_the_person_who_asked_for_it(tmp_path: Path) -> None:
    made = tmp_path / "rows.jsonl"
    made.write_bytes(ROW)

    @needs(Permission.WORK)
    def on_write() -> Iterator[object]:
        yield gr.update(value=None)
        yield gr.update(value=[str(made)])

    files = FileOwners(has_strangers=True)
    with PageBlocks(PageChecks(lambda _: UserRole.MEMBER, files), analytics_enabled=False) as blocks:
        button, out = gr.Button(), gr.File()
        button.click(on_write, None, out)

    async def written() -> list[str]:
        paths, iterator = list[str](), None
        for _ in range(3):
            answer = await blocks.process_api(
                0, [], None, request_of("ann"), iterator, session_hash="x", event_id="1"
            )
            iterator = answer.get("iterator")
            paths += re.findall(r"'path': '([^']+)'", str(answer["data"]))
        return paths

    paths = run_aside(written())
    assert paths
    assert all(files.may_use("ann", path) and not files.may_use("bob", path) for path in paths)
