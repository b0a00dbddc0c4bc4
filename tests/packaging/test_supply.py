"""The check of the installed packages finds other versions, other files and changed files."""

import base64
import hashlib
from collections.abc import Mapping
from importlib.metadata import Distribution, PathDistribution
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from tests.services import CHECKOUT

SPEC = spec_from_file_location("supply", CHECKOUT / "scripts" / "supply.py")
assert SPEC is not None
assert SPEC.loader is not None
supply = module_from_spec(SPEC)
SPEC.loader.exec_module(supply)


def install(folder: Path, files: Mapping[str, str], version: str = "1.0") -> Distribution:
    """Install a package as pip does."""
    info = folder / f"some_name-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: Some.Name\nVersion: {version}\n")
    (info / "WHEEL").write_text("Tag: py3-none-any\n")
    record = ["some_name-1.0.dist-info/INSTALLER,sha256=x,4", "../../bin/some,sha256=x,4", "a.pyc,,"]
    for name, text in files.items():
        (folder / name).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(text)}")
    (info / "RECORD").write_text("\n".join(record))
    return PathDistribution(info)


def problems(found: Distribution, listed: str = "") -> list[str]:
    key, _, digest = listed.rpartition(" ")
    return list(supply.problems_of(found, {"some-name": "1.0"}, {key: digest} if listed else {}))


def test_a_package_as_listed_has_no_problems(tmp_path: Path) -> None:
    found = install(tmp_path, {"a.py": "x = 1"})
    assert problems(found, supply.line_of(found)) == []
    assert supply.line_of(found).startswith("some-name==1.0 py3-none-any ")


def test_another_version_is_reported(tmp_path: Path) -> None:
    found = install(tmp_path, {"a.py": "x = 1"}, version="1.1")
    assert problems(found) == ["some-name 1.1: constraints.txt has 1.0"]


@pytest.mark.parametrize("files", [{"a.py": "x = 2"}, {"a.py": "x = 1", "b.py": ""}, {}])
def test_other_files_are_reported(tmp_path: Path, files: Mapping[str, str]) -> None:
    listed = supply.line_of(install(tmp_path / "one", {"a.py": "x = 1"}))
    other = install(tmp_path / "other", files)
    assert problems(other, listed) == ["some-name==1.0 py3-none-any: other files than in constraints.sha256"]


def test_a_changed_and_a_missing_file_are_reported(tmp_path: Path) -> None:
    found = install(tmp_path, {"a.py": "x = 1", "b.py": "y = 1"})
    (tmp_path / "a.py").write_text("x = 2")
    (tmp_path / "b.py").unlink()
    assert problems(found, supply.line_of(found)) == [
        "some-name: a.py was changed after the installation",
        "some-name: b.py was changed after the installation",
    ]


def test_the_list_has_each_package_of_the_constraints_once_and_names_no_index() -> None:
    versions = supply.pinned((CHECKOUT / "constraints.txt").read_text())
    lines = (CHECKOUT / "constraints.sha256").read_text().splitlines()
    keys = [line.rpartition(" ")[0] for line in lines]
    assert len(set(keys)) == len(keys)
    assert all(supply._is_current(key, versions) for key in keys)
    assert not any("/" in line for line in lines)
