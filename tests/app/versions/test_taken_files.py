"""Files of contracts, toolsets and suites are imported as versions whenever a program opens the database."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from tests.services import CHECKOUT, services_for
from workbench.records.versions import VersionKind

CONTRACT = "---\ntitle: Minimal\nfamily: hermes-lines\n---\n{text}\n{{{{ tools }}}}\n"


@pytest.fixture
def transactions() -> Iterator[list[object]]:
    """One item for each transaction that began since it was cleared."""
    started: list[object] = []

    def begin(connection: object) -> None:
        started.append(connection)

    event.listen(Engine, "begin", begin)
    yield started
    event.remove(Engine, "begin", begin)


def test_files_that_did_not_change_cost_a_query_for_each_kind(
    tmp_path: Path, transactions: list[object]
) -> None:
    with services_for(tmp_path, "Hello.") as (services, _):
        names = [line.head.name for line in services.versions.lines()]
        assert len(names) > 20
    transactions.clear()
    with services_for(tmp_path, "Hello."):
        assert len(transactions) < 15


def test_a_changed_file_is_taken_and_one_that_cannot_be_read_is_skipped(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for folder in ("prompts", "tools_catalog"):
        shutil.copytree(CHECKOUT / folder, home / folder)
    own = {"WORKBENCH_HOME": str(home)}
    for number, text in enumerate(("Call tools.", "Call a tool."), 1):
        (home / "prompts/contracts/minimal.md").write_text(CONTRACT.format(text=text), encoding="utf-8")
        (home / "prompts/contracts/full.md").write_bytes(b"\xff")
        with services_for(tmp_path, "Hello.", variables=own) as (services, _):
            newest = services.versions.find(VersionKind.CONTRACT, "minimal")
            assert newest and (newest.number, text in newest.text) == (number, True)
            assert services.versions.find(VersionKind.CONTRACT, "full") is None
