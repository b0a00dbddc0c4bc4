"""The hub with huggingface_hub's own client and a local server."""

import os
from pathlib import Path

import pytest

from tests.engines.hub.hub_server import hub_server
from workbench.engines.hub.gguf_hub import GgufHub
from workbench.engines.hub.hub_models import MemoryFit
from workbench.errors import BadInput, RemoteFailed

SMALL = os.urandom(3_000_000)
FILES = {
    "Hermes-Tiny.Q4_K_M.gguf": SMALL,
    "Hermes-Tiny.Q8_0-00001-of-00002.gguf": os.urandom(2_500_000),
    "Hermes-Tiny.Q8_0-00002-of-00002.gguf": os.urandom(1_500_000),
    "mmproj-Hermes.gguf": b"x",
    "README.md": b"hello",
}
NAME = "hf:NousResearch/Hermes-Tiny-GGUF/Hermes-Tiny.Q4_K_M.gguf"
SHARDED = "hf:NousResearch/Hermes-Tiny-GGUF/Hermes-Tiny.Q8_0-00001-of-00002.gguf"


@pytest.fixture
def server():
    with hub_server(dict(FILES)) as served:
        yield served


@pytest.fixture
def hub(server, tmp_path):
    return GgufHub(wait=lambda _: None, endpoint=server.url, cache=tmp_path / "cache", memory=16 << 30)


def pull(hub, name=NAME, is_cancelled=lambda: False):
    return list(hub.pull(name, is_cancelled=is_cancelled))


def test_repositories_with_gguf_files_are_found(hub, server):
    found = hub.find("hermes", with_token=True, limit=5)
    assert [(model.id, model.downloads, model.is_gated) for model in found] == [
        (server.repository, 12, False)
    ]
    request = server.searches[0]
    assert (request["search"], request["filter"], request["limit"]) == (["hermes"], ["gguf"], ["5"])


def test_models_of_a_repository_have_size_quantisation_and_fit(hub):
    files = hub.files("NousResearch/Hermes-Tiny-GGUF", with_token=True)
    assert [
        (model.name, model.quantisation, model.size_bytes, model.fit, model.is_cached) for model in files
    ] == [
        (NAME, "Q4_K_M", 3_000_000, MemoryFit.YES, False),
        (SHARDED, "Q8_0", 4_000_000, MemoryFit.YES, False),
    ]


def test_a_model_larger_than_the_memory_does_not_fit(server, tmp_path):
    hub = GgufHub(wait=lambda _: None, endpoint=server.url, cache=tmp_path, memory=600 << 20)
    assert {model.fit for model in hub.files(server.repository, with_token=True)} == {MemoryFit.NO}


def test_a_model_is_downloaded_with_progress_and_then_found_offline(hub, server):
    steps = pull(hub)
    assert [step.done_bytes for step in steps] == sorted(step.done_bytes for step in steps)
    assert {step.total_bytes for step in steps} == {3_000_000}
    assert Path(steps[-1].path).read_bytes() == SMALL
    request_count = len(server.tokens)
    assert str(hub.path(NAME)) == steps[-1].path
    assert [model.path for model in pull(hub)] == [steps[-1].path]
    assert [(model.name, model.size_bytes, model.quantisation) for model in hub.cached()] == [
        (NAME, 3_000_000, "Q4_K_M")
    ]
    assert len(server.tokens) == request_count
    assert hub.files(server.repository, with_token=True)[0].is_cached


def test_huggingface_hub_finds_a_downloaded_model(hub, server, tmp_path):
    from huggingface_hub import hf_hub_download

    path = pull(hub)[-1].path
    found = hf_hub_download(
        server.repository, "Hermes-Tiny.Q4_K_M.gguf", cache_dir=tmp_path / "cache", local_files_only=True
    )
    assert found == path


def test_an_interrupted_download_is_resumed(hub, server):
    server.cuts = [1_200_000, 900_000]
    steps = pull(hub)
    assert server.ranges == [None, "bytes=1200000-", "bytes=2100000-"]
    assert hub.path(NAME).read_bytes() == SMALL
    assert steps[-1].path


def test_a_download_that_keeps_breaking_is_reported_and_can_be_resumed(hub, server):
    server.cuts = [1_000_000, 0, 0, 0, 0, 0]
    with pytest.raises(RemoteFailed, match="pull again to resume it"):
        pull(hub)
    server.cuts = []
    pull(hub)
    assert server.ranges[-1] == "bytes=1000000-"
    assert hub.path(NAME).read_bytes() == SMALL


def test_a_stopped_download_can_be_resumed_by_another_process(hub, server, tmp_path):
    answers = iter([False, True])
    seen = pull(hub, is_cancelled=lambda: next(answers, True))
    assert not seen[-1].path
    assert hub.path(NAME) is None
    assert hub.cached() == []
    again = GgufHub(wait=lambda _: None, endpoint=server.url, cache=tmp_path / "cache", memory=1 << 40)
    pull(again)
    assert server.ranges[-1] == f"bytes={seen[-1].done_bytes}-"
    assert again.path(NAME).read_bytes() == SMALL


def test_without_range_support_the_download_starts_from_the_beginning(hub, server):
    server.cuts, server.ignores_ranges = [1_000_000], True
    pull(hub)
    assert hub.path(NAME).read_bytes() == SMALL


def test_a_damaged_download_is_deleted(hub, server):
    server.lies = True
    with pytest.raises(RemoteFailed, match="the downloaded file is damaged"):
        pull(hub)
    server.lies = False
    pull(hub)
    assert hub.path(NAME).read_bytes() == SMALL


def test_all_parts_of_a_model_are_downloaded_and_deleted_together(hub, server):
    steps = pull(hub, SHARDED)
    assert steps[-1].total_bytes == 4_000_000
    assert steps[-1].path.endswith("Q8_0-00001-of-00002.gguf")
    assert [(model.name, model.size_bytes) for model in hub.cached()] == [(SHARDED, 4_000_000)]
    assert hub.delete(SHARDED) == 4_000_000
    assert hub.cached() == []
    assert hub.path(SHARDED) is None


def test_deleting_one_model_leaves_the_others(hub):
    pull(hub)
    pull(hub, SHARDED)
    hub.delete(SHARDED)
    assert [model.name for model in hub.cached()] == [NAME]
    with pytest.raises(BadInput, match="not in the cache"):
        hub.delete(SHARDED)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hf:NousResearch/Hermes-Tiny-GGUF/none.gguf", "it is not in 'NousResearch/Hermes-Tiny-GGUF'"),
        ("hf:nobody/nothing/a.gguf", "no such repository"),
        ("hf:nobody", "not of the form hf:OWNER/REPOSITORY/FILE.gguf"),
        ("hf:a/b/../../../etc/x.gguf", "not of the form"),
    ],
)
def test_a_missing_file_or_repository_is_reported(hub, name, words):
    with pytest.raises(BadInput, match=words):
        pull(hub, name)


def test_missing_disk_space_is_reported_before_the_download(hub, server, monkeypatch):
    import shutil

    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(BadInput, match="not enough disk space"):
        pull(hub)
    assert server.ranges == []


def test_an_unreachable_hub_is_reported(tmp_path):
    hub = GgufHub(wait=lambda _: None, endpoint="http://127.0.0.1:1", cache=tmp_path, memory=1)
    with pytest.raises(RemoteFailed, match="cannot be reached"):
        hub.find("x", with_token=True)
    assert hub.cached() == []


def test_offline_the_cache_works_and_a_search_says_why_it_does_not(hub, monkeypatch):
    from huggingface_hub import constants

    pull(hub)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert pull(hub)[-1].path == str(hub.path(NAME))
    assert [model.name for model in hub.cached()] == [NAME]
    with pytest.raises(RemoteFailed, match="HF_HUB_OFFLINE"):
        hub.find("x", with_token=True)
