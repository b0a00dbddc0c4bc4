"""Finished labels are pushed to a dataset repository, and nothing is lost if it cannot be reached."""

import base64
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub.constants
import pytest

from tests.store.examples import SETUP, completion
from workbench.library.label_log import DatasetLabelLog
from workbench.records.label import LabelContent, LabelTarget, NewLabel, Verdict
from workbench.records.label_words import QueueState
from workbench.records.owner import LOCAL_OWNER
from workbench.store.store import Store


class Hub(ThreadingHTTPServer):
    """The part of the hub that a commit needs: create a repository, announce files, accept a commit."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.made: list[object] = []
        self.files: dict[str, str] = {}


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/api/repos/create":
            self.server.made.append(json.loads(body))
            return self._answer({"url": f"{_address(self.server)}/datasets/me/labels"})
        if "/preupload/" in self.path:
            names = [file["path"] for file in json.loads(body)["files"]]
            return self._answer(
                {"files": [{"path": name, "uploadMode": "regular", "shouldIgnore": False} for name in names]}
            )
        assert "/commit/" in self.path, self.path
        for line in map(json.loads, body.splitlines()):
            if line["key"] == "file":
                self.server.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"]).decode()
        return self._answer(
            {"commitUrl": f"{_address(self.server)}/datasets/me/labels/commit/1", "commitOid": "1"}
        )

    def _answer(self, document: object) -> None:
        text = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Do not log requests."""


def _address(hub: Hub) -> str:
    return f"http://127.0.0.1:{hub.server_port}"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A local hub that the client uses instead of the real one."""
    with Hub() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", _address(server))
        monkeypatch.setattr("huggingface_hub.hf_api.constants.ENDPOINT", _address(server))
        monkeypatch.setenv("HF_TOKEN", "hf_test")
        yield server
        server.shutdown()
        thread.join()


def _label(log: DatasetLabelLog, url: str) -> str:
    """Label a session and mark it as done; return the label's id."""
    with closing(Store(url, label_log=log)) as store:
        owned = store.of(LOCAL_OWNER)
        session = owned.sessions.create_session(SETUP)
        message = owned.sessions.append(session.id, completion("grüße\r\n🦉"), parent_id=None)
        target = LabelTarget(session_id=session.id, message_id=message.id)
        content = LabelContent(verdict=Verdict.BAD_ANSWER, correction="grüße")
        label = owned.labels.save(NewLabel(target=target, content=content))
        owned.labels.move(session.id, QueueState.DRAFT)
        owned.labels.move(session.id, QueueState.DONE)
        return label.id


def test_the_labels_of_a_done_session_are_committed_as_lines(hub: Hub, tmp_path: Path) -> None:
    log = DatasetLabelLog("me/labels", tmp_path / "labels")
    label_id = _label(log, "sqlite://")
    log.close()
    assert hub.made[0]["type"] == "dataset"
    assert hub.made[0]["visibility"] == "private"
    ((name, text),) = hub.files.items()
    assert name.startswith("labels/labels-")
    (line,) = text.splitlines()
    assert json.loads(line)["id"] == label_id
    assert json.loads(line)["correction"] == "grüße"


def test_unsent_labels_are_sent_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    request: pytest.FixtureRequest,
) -> None:
    with monkeypatch.context() as away:
        away.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
        away.setattr("huggingface_hub.hf_api.constants.ENDPOINT", "http://127.0.0.1:9")
        with caplog.at_level(logging.WARNING):
            log = DatasetLabelLog("me/labels", tmp_path / "labels")
            label_id = _label(log, "sqlite://")
            log.close()
    assert "Cannot reach the hub" in caplog.text
    hub: Hub = request.getfixturevalue("hub")
    DatasetLabelLog("me/labels", tmp_path / "labels").close()
    ((_, text),) = hub.files.items()
    assert json.loads(text)["id"] == label_id
