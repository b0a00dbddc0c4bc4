"""Averages of adapters: their deltas, their rank, and their receipts."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf", reason="needs the extra `train`")

from workbench.errors import BadInput
from workbench.training.averaging import Part, average_of, write_average
from workbench.training.gguf_adapter import AdapterFile, read_file, write_file

INPUTS, OUTPUTS = 64, 96
PROJECTIONS = ("blk.0.attn_q.weight", "blk.0.ffn_up.weight")


def adapter(seed: int, *ranks: int, alpha: float = 8.0, outputs: int = OUTPUTS) -> AdapterFile:
    """Return an adapter with random weights.

    Args:
        ranks: The rank of each projection, or one for all.
    """
    numbers = np.random.default_rng(seed)
    tensors = {}
    for name, rank in zip(PROJECTIONS, ranks * 2, strict=False):
        tensors[f"{name}.lora_a"] = numbers.standard_normal((rank, INPUTS), dtype=np.float32)
        tensors[f"{name}.lora_b"] = numbers.standard_normal((outputs, rank), dtype=np.float32)
    return AdapterFile("llama", alpha, tensors)


def delta(file: AdapterFile, name: str) -> np.ndarray:
    inputs, outputs = file.tensors[f"{name}.lora_a"], file.tensors[f"{name}.lora_b"]
    return file.alpha / len(inputs) * outputs @ inputs


def parts(*weights: float) -> list[Part]:
    return [Part(Path(f"{place}.gguf"), weight) for place, weight in enumerate(weights)]


def written(folder: Path, file: AdapterFile, *, base: str = "aa") -> Path:
    folder.mkdir()
    write_file(folder / "adapter.gguf", file, name="test")
    receipt = {"base": {"name": f"{base}.gguf", "sha256": base}, "steps": 3}
    (folder / "receipt.json").write_text(json.dumps(receipt))
    return folder / "adapter.gguf"


def test_with_enough_ranks_the_delta_is_the_weighted_sum_of_the_deltas() -> None:
    first, second = adapter(1, 4, alpha=8), adapter(2, 6, alpha=3)
    average = average_of(list(zip((first, second), parts(0.25, 0.75), strict=True)), rank=10)
    assert average.rank == 10
    assert average.lost == pytest.approx(0, abs=1e-9)
    for name in PROJECTIONS:
        expected = 0.25 * delta(first, name) + 0.75 * delta(second, name)
        np.testing.assert_allclose(delta(average.file, name), expected, rtol=1e-3, atol=1e-4)


def test_no_more_ranks_are_stored_than_the_exact_average_has() -> None:
    # Of the first adapter, one projection has a lower rank, so that their sums differ: 5 and 10.
    first, second = adapter(1, 1, 4), adapter(2, 4, 6)
    average = average_of(list(zip((first, second), parts(0.5, 0.5), strict=True)), rank=64)
    assert average.rank == average.file.alpha == 10
    assert {tensor.shape[0] for name, tensor in average.file.tensors.items() if name.endswith("_a")} == {10}
    for name in PROJECTIONS:
        expected = (delta(first, name) + delta(second, name)) / 2
        np.testing.assert_allclose(delta(average.file, name), expected, rtol=1e-3, atol=1e-4)


def test_fewer_ranks_lose_as_much_as_is_said_and_no_more_than_they_must() -> None:
    first, second = adapter(1, 4), adapter(2, 6)
    average = average_of(list(zip((first, second), parts(0.5, 0.5), strict=True)))
    assert average.rank == 6
    assert average.file.tensors["blk.0.attn_q.weight.lora_a"].shape == (6, INPUTS)
    errors = squares = least = 0.0
    for name in PROJECTIONS:
        exact = (delta(first, name) + delta(second, name)) / 2
        sizes = np.linalg.svd(exact, compute_uv=False)
        errors += float(np.sum((delta(average.file, name) - exact) ** 2))
        squares, least = squares + float(np.sum(exact**2)), least + float(np.sum(sizes[6:] ** 2))
    assert average.lost == pytest.approx(errors / squares, rel=1e-3)
    assert errors == pytest.approx(least, rel=1e-3)


def test_the_average_of_an_adapter_with_itself_is_that_adapter() -> None:
    one = adapter(3, 4)
    average = average_of([(one, part) for part in parts(0.5, 0.5)])
    assert (average.rank, average.lost) == (4, pytest.approx(0, abs=1e-9))
    np.testing.assert_allclose(
        delta(average.file, PROJECTIONS[0]), delta(one, PROJECTIONS[0]), rtol=1e-3, atol=1e-4
    )


def test_adapters_of_other_projections_are_refused() -> None:
    with pytest.raises(BadInput, match="other projections"):
        average_of([(adapter(1, 4), parts(1)[0]), (adapter(1, 4, outputs=32), parts(1)[0])])


def test_the_folder_has_the_receipts_of_both_and_the_hash_of_the_file(tmp_path: Path) -> None:
    paths = written(tmp_path / "a", adapter(1, 4)), written(tmp_path / "b", adapter(2, 4))
    out = tmp_path / "mean"
    write_average([Part(path, 0.5) for path in paths], out, stored_as="q8_0")
    receipt = json.loads((out / "receipt.json").read_text())
    assert receipt["base"] == {"name": "aa.gguf", "sha256": "aa"}
    assert [(part["weight"], part["receipt"]["steps"]) for part in receipt["averaged"]] == [
        (0.5, 3),
        (0.5, 3),
    ]
    assert receipt["files"][0]["size_bytes"] == (out / "adapter.gguf").stat().st_size
    assert receipt["settings"]["lora_rank"] == 4
    assert "average of 2 LoRA adapters" in (out / "README.md").read_text()
    first, second = (delta(read_file(path), PROJECTIONS[0]) for path in paths)
    stored = delta(read_file(out / "adapter.gguf"), PROJECTIONS[0])
    # 4 of 8 possible ranks are kept, so only the file's own rounding is checked against the same average.
    exact = average_of([(read_file(path), Part(path, 0.5)) for path in paths]).file
    assert np.linalg.norm(stored - delta(exact, PROJECTIONS[0])) < 0.02 * np.linalg.norm(first + second)


def test_adapters_of_different_bases_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    one, other = written(tmp_path / "a", adapter(1, 4)), written(tmp_path / "b", adapter(2, 4), base="bb")
    with pytest.raises(BadInput, match=r"its base is bb\.gguf, not aa\.gguf"):
        write_average([Part(one, 0.5), Part(other, 0.5)], tmp_path / "mean")
    assert not (tmp_path / "mean").exists()


def test_an_adapter_is_never_overwritten(tmp_path: Path) -> None:
    one, other = written(tmp_path / "a", adapter(1, 4)), written(tmp_path / "b", adapter(2, 4))
    before = one.read_bytes()
    with pytest.raises(BadInput, match="the folder contains an adapter"):
        write_average([Part(one, 0.5), Part(other, 0.5)], tmp_path / "a")
    assert one.read_bytes() == before
