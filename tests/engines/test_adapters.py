"""Adapters by name, the adapters in the data folder, and their receipts."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.engines.test_gguf import TEMPLATE, entry, gguf, string
from workbench.engines.adapters import AdapterFiles, split_name
from workbench.engines.llama_loading import LoadOptions, LoraAdapter
from workbench.engines.models import LocalModels
from workbench.errors import BadInput

ADAPTER = gguf(entry("general.architecture", 8, string("llama")), entry("general.type", 8, string("adapter")))
LOADING = LoadOptions(context_tokens=256, threads=1, gpu_layers=0)
EMBEDDED = "SmolLM2-135M-Instruct.Q4_1.gguf"
"""Name of the embedded model in receipts."""


def adapter(folder: Path, *, base: str = EMBEDDED, data: bytes = ADAPTER, of: bytes | None = None) -> Path:
    """Write an output folder of `workbench train`. With `of`, its receipt is for a file with these bytes instead."""
    folder.mkdir(parents=True)
    (folder / "adapter.gguf").write_bytes(data)
    files = [{"name": "adapter.gguf", "sha256": sha256(of or data).hexdigest()}]
    receipt = {"base": {"name": base}, "files": files, "steps": 3}
    (folder / "receipt.json").write_text(json.dumps(receipt), encoding="utf-8")
    return folder / "adapter.gguf"


def models(files: AdapterFiles, *lora: Path) -> LocalModels:
    loading = replace(LOADING, lora=tuple(LoraAdapter(path=path) for path in lora))
    return LocalModels(loading=loading, find_cached=lambda name: None, adapters=files)


def adapters_of(known: LocalModels, name: str) -> list[Path]:
    return [adapter.path for adapter in known.loading_of(name).lora]


@pytest.mark.parametrize(
    ("name", "base", "over"),
    [
        ("embedded", "embedded", ""),
        ("embedded+bare", "embedded", "bare"),
        ("hf:o/r/f.gguf+/tmp/a+b", "hf:o/r/f.gguf", "/tmp/a+b"),
        ("openai:model", "openai:model", ""),
    ],
)
def test_a_name_is_split_at_its_first_plus(name: str, base: str, over: str) -> None:
    assert split_name(name) == (base, over)


def test_the_path_of_a_file_with_a_plus_is_not_split(tmp_path: Path) -> None:
    path = tmp_path / "a+b.gguf"
    path.write_bytes(b"GGUF")
    assert split_name(str(path)) == (str(path), "")


class TestAdaptersOfAModel:
    def test_only_the_embedded_model_uses_the_shipped_adapter(self, tmp_path: Path) -> None:
        shipped = adapter(tmp_path / "embedded_adapter")
        known = models(AdapterFiles(shipped=shipped))
        assert adapters_of(known, "embedded") == [shipped]
        assert adapters_of(known, "embedded+bare") == adapters_of(known, "/other.gguf") == []
        assert known.status("embedded").calls_freely
        assert not known.status("embedded+bare").calls_freely
        assert list(known.names()) == ["embedded", "embedded+bare"]

    def test_without_a_shipped_adapter_there_is_none(self) -> None:
        known = models(AdapterFiles())
        assert adapters_of(known, "embedded") == []
        assert not known.status("embedded").calls_freely
        assert known.status("/other.gguf").calls_freely
        assert list(known.names()) == ["embedded"]

    def test_the_settings_override_the_shipped_adapter_and_the_name_overrides_both(
        self, tmp_path: Path
    ) -> None:
        shipped, own = adapter(tmp_path / "embedded_adapter"), adapter(tmp_path / "own")
        known = models(AdapterFiles(shipped=shipped), own)
        named = adapter(tmp_path / "named")
        assert adapters_of(known, "embedded") == adapters_of(known, "/other.gguf") == [own]
        assert (
            adapters_of(known, f"embedded+{named.parent}")
            == adapters_of(known, f"embedded+{named}")
            == [named]
        )
        assert adapters_of(known, "embedded+bare") == []

    def test_an_adapter_in_the_data_folder_is_found_by_its_name(self, tmp_path: Path) -> None:
        file = adapter(tmp_path / "adapters" / "first")
        known = models(AdapterFiles(folder=tmp_path / "adapters"))
        assert adapters_of(known, "embedded+first") == [file]
        assert list(known.names()) == ["embedded", "embedded+first"]
        assert known.status("embedded+first").calls_freely

    def test_a_missing_adapter_is_reported_before_a_model_is_unloaded(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput, match=r"no file .*nowhere.*workbench train"):
            models(AdapterFiles()).engine(f"embedded+{tmp_path / 'nowhere'}")


class TestReceipts:
    def test_a_receipt_that_matches_the_file(self, tmp_path: Path) -> None:
        adapter(tmp_path / "first")
        (found,) = AdapterFiles(folder=tmp_path).available()
        assert (found.title, found.model, found.base) == ("first", "embedded+first", "embedded")
        assert (found.size_bytes, found.is_receipted) == (len(ADAPTER), True)
        assert found.receipt is not None
        assert found.receipt["steps"] == 3

    def test_a_receipt_of_another_file_does_not_match(self, tmp_path: Path) -> None:
        adapter(tmp_path / "first", of=b"other")
        assert not AdapterFiles(folder=tmp_path).available()[0].is_receipted

    @pytest.mark.parametrize("text", [None, "[]", "{", "null"])
    def test_an_adapter_without_a_readable_receipt(self, tmp_path: Path, text: str | None) -> None:
        file = adapter(tmp_path / "first")
        receipt = file.with_name("receipt.json")
        receipt.unlink() if text is None else receipt.write_text(text)
        adapter_without_receipt = AdapterFiles().describe(str(file.parent), "embedded")
        assert (
            adapter_without_receipt.model,
            adapter_without_receipt.receipt,
            adapter_without_receipt.is_receipted,
        ) == (f"embedded+{file.parent}", None, False)
        assert AdapterFiles(folder=tmp_path).available() == ()

    def test_the_shipped_adapter_is_first_and_needs_no_name(self, tmp_path: Path) -> None:
        shipped = adapter(tmp_path / "shipped" / "embedded_adapter")
        adapter(tmp_path / "own" / "first")
        found = AdapterFiles(folder=tmp_path / "own", shipped=shipped).available()
        assert [adapter.model for adapter in found] == ["embedded", "embedded+first"]

    @pytest.mark.parametrize("base", ["embedded.gguf", "HuggingFaceTB/SmolLM2-135M-Instruct", ""])
    def test_an_adapter_for_another_model_is_left_out(self, tmp_path: Path, base: str) -> None:
        adapter(tmp_path / "first", base=base)
        assert AdapterFiles(folder=tmp_path).available() == ()

    @pytest.mark.parametrize(
        ("data", "words"),
        [(gguf(TEMPLATE), "of type 'model'"), (b"hello", "not a GGUF file"), (b"", "not a GGUF file")],
    )
    def test_a_file_that_is_not_an_adapter_is_reported(self, tmp_path: Path, data: bytes, words: str) -> None:
        file = adapter(tmp_path / "first", data=data)
        with pytest.raises(BadInput, match=words):
            AdapterFiles().describe(str(file), "embedded")
        assert AdapterFiles(folder=tmp_path).available() == ()
