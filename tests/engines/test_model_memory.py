"""The memory that all local models share unless a setting gives another amount."""

from types import SimpleNamespace

import pytest

from workbench.engines import model_memory
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.model_memory import default_budget_bytes
from workbench.engines.models import LocalModels

GIGABYTE = 2**30
LOADING = LoadOptions(context_tokens=256, threads=1, gpu_layers=0)


@pytest.fixture
def limit_file(tmp_path, monkeypatch):
    """A machine with 16 GB, and the file with the limit of its container, which is missing at first."""
    monkeypatch.setattr(model_memory.psutil, "virtual_memory", lambda: SimpleNamespace(total=16 * GIGABYTE))
    file = tmp_path / "memory.max"
    monkeypatch.setattr(model_memory, "_LIMIT_FILES", (file,))
    return file


@pytest.mark.parametrize(
    ("limit", "gigabytes"), [(None, 12), ("max\n", 12), (f"{8 * GIGABYTE}\n", 6), (f"{64 * GIGABYTE}\n", 12)]
)
def test_a_quarter_of_the_memory_of_the_machine_or_container_stays_free(limit_file, limit, gigabytes):
    if limit is not None:
        limit_file.write_text(limit)
    assert default_budget_bytes() == gigabytes * GIGABYTE
    models = LocalModels(loading=LOADING, find_cached=lambda name: None)
    assert models._budget_bytes == gigabytes * GIGABYTE
