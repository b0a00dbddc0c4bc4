"""Files that versions are read from and written to."""

from pathlib import Path

import pytest

from tests.services import CHECKOUT
from workbench.errors import BadInput
from workbench.library.home_files import HomeFiles
from workbench.records.versions import VersionKind

CONTRACT = VersionKind.CONTRACT


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for folder in ("prompts/contracts", "tools_catalog"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def test_every_shipped_file_is_found_byte_for_byte() -> None:
    files = HomeFiles(CHECKOUT)
    assert files.names(CONTRACT) == ["desk", "full", "hermes-3", "minimal", "shop", "travel"]
    assert files.names(VersionKind.TOOLS) == sorted(
        file.stem for file in (CHECKOUT / "tools_catalog").glob("*.yaml")
    )
    assert files.names(VersionKind.SUITE) == sorted(
        file.stem for file in (CHECKOUT / "prompts/suites").glob("*.yaml")
    )
    text = files.find(CONTRACT, "minimal")
    assert text and text.encode() == (CHECKOUT / "prompts/contracts/minimal.md").read_bytes()


def test_a_written_file_is_read_back_unchanged(home: Path) -> None:
    files, text = HomeFiles(home), "a\r\nb\r🦉 \n\n"
    files.save(CONTRACT, "mine", text, before=None)
    assert files.find(CONTRACT, "mine") == text
    assert (home / "prompts/contracts/mine.md").read_bytes() == text.encode()
    files.save(VersionKind.SUITE, "first", text, before=None)
    assert (home / "prompts/suites/first.yaml").read_bytes() == text.encode()
    assert [path.name for path in (home / "prompts/contracts").iterdir()] == ["mine.md"]


def test_a_file_that_changed_in_the_meantime_is_not_overwritten(home: Path) -> None:
    files = HomeFiles(home)
    files.save(CONTRACT, "mine", "one", before=None)
    for before in (None, "two"):
        with pytest.raises(BadInput, match="changed in the meantime"):
            files.save(CONTRACT, "mine", "three", before=before)
    assert files.find(CONTRACT, "mine") == "one"
    files.save(CONTRACT, "mine", "two", before="one")


def test_files_outside_the_folder_are_not_read_or_written(home: Path) -> None:
    (home / "prompts/secret.md").write_text("secret")
    files = HomeFiles(home)
    assert files.find(CONTRACT, "../secret") is None
    with pytest.raises(BadInput):
        files.save(CONTRACT, "../secret", "x", before="secret")


def test_files_inside_the_package_are_not_overwritten(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.library.home_files.__file__", str(home / "library" / "home_files.py"))
    with pytest.raises(BadInput, match=r"belongs to the workbench and is read-only \(set WORKBENCH_HOME"):
        HomeFiles(home).save(CONTRACT, "mine", "x", before=None)


@pytest.mark.parametrize("kind", VersionKind)
def test_the_copies_of_the_workbench_are_read_but_not_written(tmp_path: Path, kind: VersionKind) -> None:
    files = HomeFiles(tmp_path)
    with pytest.raises(BadInput) as caught:
        files.save(kind, "of-a-test", "x", before=None)
    folder = "tools_catalog" if kind is VersionKind.TOOLS else "prompts"
    assert f"copy {CHECKOUT / folder} to {tmp_path / folder}" in str(caught.value)
    assert not list(CHECKOUT.glob(f"{folder}/**/of-a-test*")) and not list(tmp_path.iterdir())


def test_a_file_that_is_not_utf_8_is_reported(home: Path) -> None:
    (home / "prompts/contracts/odd.md").write_bytes(b"ab\xff")
    with pytest.raises(BadInput, match="not UTF-8 at byte 2"):
        HomeFiles(home).find(CONTRACT, "odd")
