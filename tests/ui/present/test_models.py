"""The views of the Models tab."""

from dataclasses import replace

from workbench.engines.hub.hub_models import CachedModel, HubFile, HubRepository, MemoryFit, PullProgress
from workbench.engines.hub.known_models import KNOWN_MODELS
from workbench.hermes.spelling.families import family_named
from workbench.rollout.models import ModelStatus
from workbench.rollout.server_abilities import ServerAbilities
from workbench.ui.present.models import (
    show_files,
    show_found,
    show_here,
    show_known,
    show_progress,
    show_pull_end,
)

NAME = "hf:o/r/m.Q4_K_M.gguf"


def test_available_models_can_be_used_and_only_downloads_can_be_deleted():
    statuses = [
        ModelStatus(name="embedded", device="CPU, 2 threads", is_loaded=True),
        ModelStatus(name=NAME, device="", is_loaded=False),
    ]
    cached = [CachedModel(name=NAME, size_bytes=4_920_000_000, quantisation="Q4_K_M", fit=MemoryFit.YES)]
    embedded, downloaded = show_here(statuses, cached, chosen="embedded").rows
    assert (embedded.badge, embedded.notes) == ("loaded", ("CPU, 2 threads", "default model"))
    assert [action.event for action in embedded.actions] == ["use_model"]
    assert (downloaded.title, downloaded.name) == ("m.Q4_K_M.gguf", NAME)
    assert downloaded.notes == ("o/r", "from the Hub", "Q4_K_M", "4.92 GB")
    assert [(action.event, action.confirm) for action in downloaded.actions] == [
        ("use_model", ""),
        ("delete_model", "Delete 4.92 GB?"),
    ]


def test_a_model_on_a_server_shows_its_context_and_what_the_server_can_do():
    abilities = ServerAbilities(raw_completions=True, grammar=True, named_choice=False)
    listed = ModelStatus(name="openai:a", device="http://gpu/v1", is_loaded=False, is_remote=True)
    asked = replace(listed, context_tokens=4096, abilities=abilities)
    first, second = show_here([listed, asked], [], chosen="").rows
    assert first.notes == ("http://gpu/v1",)
    assert second.notes == (
        "http://gpu/v1",
        "4,096 tokens of context",
        "raw completions, grammar",
        "no named tool choice",
        "not known: logprobs, JSON Schema, required tool choice",
    )


def test_what_is_not_known_yet_is_shown_with_the_reason():
    abilities = ServerAbilities(
        raw_completions=True,
        logprobs=True,
        open=frozenset({"logprobs", "grammar"}),
        problem="no data for 30 s",
    )
    status = ModelStatus(
        name="openai:a", device="http://gpu/v1", is_loaded=True, is_remote=True, abilities=abilities
    )
    (row,) = show_here([status], [], chosen="").rows
    assert row.notes == (
        "http://gpu/v1",
        "raw completions, logprobs",
        "not known: JSON Schema, named tool choice, required tool choice",
        "not known yet: grammar",
        "no data for 30 s",
    )


def test_files_show_whether_they_fit_and_can_be_downloaded_or_used():
    def file(fit: MemoryFit, *, is_cached: bool = False) -> HubFile:
        return HubFile(repository="o/r", parts=("m.Q4_K_M.gguf",), size_bytes=10**9, quantisation="Q4_K_M",
                       fit=fit, is_cached=is_cached)  # fmt: skip

    view = show_files(
        "o/r",
        [
            file(MemoryFit.YES),
            file(MemoryFit.NO),
            file(MemoryFit.UNKNOWN),
            file(MemoryFit.NO, is_cached=True),
        ],
        None,
    )
    assert [(row.badge, row.tone) for row in view.rows] == [
        ("fits", "quiet"),
        ("too large", "error"),
        ("", "quiet"),
        ("downloaded", "quiet"),
    ]
    assert [row.actions[0].event for row in view.rows] == ["pull_model"] * 3 + ["use_model"]


def test_an_empty_list_says_what_to_do():
    assert "Try fewer words" in show_found([], "xyz").hint
    found = show_found([HubRepository(id="o/r", downloads=1, likes=2, is_gated=True)], "r")
    assert found.rows[0].notes == ("1 download", "2 likes")
    assert found.rows[0].badge == "gated"


def test_progress_is_shown_as_share_and_text():
    step = PullProgress(done_bytes=500_000_000, total_bytes=2_000_000_000, note="verifying")
    assert show_progress(NAME, step).note == "500 MB of 2.00 GB · verifying"
    assert show_progress(NAME, step).share == 0.25
    assert show_pull_end(NAME, step).note == "stopped; download it again to resume"
    assert show_pull_end(NAME, PullProgress(done_bytes=1, total_bytes=1, path="/m")).share == 1.0


def test_every_recommended_model_has_a_family_that_exists():
    assert len(show_known(KNOWN_MODELS).rows) == 5
    for model in KNOWN_MODELS:
        assert family_named(model.family).name == model.family
