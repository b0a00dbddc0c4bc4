"""Files are pushed to a dataset repository with the hub's client."""

import pytest
from huggingface_hub import constants

from tests.library.datasets.hub_server import serving_hub
from workbench.errors import BadInput, RemoteFailed
from workbench.library.datasets.hub_push import push_files


def test_files_go_into_one_commit_with_the_visitor_s_token(tmp_path):
    rows = tmp_path / "train.jsonl"
    rows.write_text('{"a": 1}\n')
    with serving_hub("secret") as hub:
        url = push_files(
            "me/set",
            {"train.jsonl": rows, "README.md": b"---\nlicense: mit\n---\n"},
            message="1 row",
            token="secret",
            endpoint=hub.address,
        )
    assert url == f"{hub.address}/datasets/me/set"
    assert hub.files == {"train.jsonl": b'{"a": 1}\n', "README.md": b"---\nlicense: mit\n---\n"}
    assert hub.messages == ["1 row"]
    assert hub.created[0]["visibility"] == "private"
    assert hub.tokens == {"secret"}


def test_a_token_without_write_permission_is_reported_in_one_line(tmp_path):
    words = r"repository 'me/set': HTTP 401: Invalid username or password\. \(set HF_TOKEN"
    with serving_hub("secret") as hub, pytest.raises(RemoteFailed, match=words):
        push_files("me/set", {"a": b""}, message="m", token="other", endpoint=hub.address)


def test_an_unreachable_server_is_reported_in_one_line():
    with pytest.raises(RemoteFailed, match="repository 'me/set': the hub cannot be reached: "):
        push_files("me/set", {"a": b""}, message="m", token="t", endpoint="http://127.0.0.1:9")


def test_an_invalid_repository_name_is_reported_in_one_line():
    with pytest.raises(BadInput, match="repository 'a b'"):
        push_files("a b", {"a": b""}, message="m", token="t", endpoint="http://127.0.0.1:9")


def test_offline_mode_is_reported_in_one_line(monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(RemoteFailed, match="repository 'me/set': HF_HUB_OFFLINE is set"):
        push_files("me/set", {"a": b""}, message="m", token="t", endpoint="http://127.0.0.1:9")
