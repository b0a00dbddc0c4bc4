"""The audit log is read by its owner and never changed."""

from collections.abc import Iterator
from contextlib import closing

import pytest
import sqlalchemy as sa

from workbench.errors import StoreError
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.records.versions import NewVersion, VersionKind
from workbench.store.store import Store


@pytest.fixture
def opened(migrated_url: str) -> Iterator[Store]:
    with closing(Store(migrated_url)) as store:
        versions = store.of(LOCAL_OWNER).versions
        for text in ("one", "two"):
            saved = versions.save(NewVersion(kind=VersionKind.CONTRACT, name="minimal", text=text))
        versions.tag(saved.id, "production")
        yield store


def test_entries_are_filtered_and_the_newest_comes_first(opened: Store) -> None:
    audit = opened.of(LOCAL_OWNER).audit
    assert [entry.action for entry in audit.entries()] == ["version.tag", "version.save", "version.save"]
    assert [entry.action for entry in audit.entries(limit=1, offset=1)] == ["version.save"]
    assert len(audit.entries(action="version.save")) == 2
    assert len(audit.entries(action="version.")) == 3
    assert len(audit.entries(subject="contract:minimal")) == 3
    for nothing in (
        {"subject": "contract:other"},
        {"action": "version"},
        {"subject": "\0"},
        {"action": "\0"},
    ):
        assert audit.entries(**nothing) == ()


def test_each_owner_reads_only_their_own_entries(opened: Store) -> None:
    assert opened.of(Owner(key="anna")).audit.entries() == ()


@pytest.mark.parametrize("statement", ["UPDATE audit SET who = 'nobody'", "DELETE FROM audit"])
def test_the_database_rejects_changes(opened: Store, statement: str) -> None:
    before = opened.of(LOCAL_OWNER).audit.entries()
    with pytest.raises(StoreError, match="append-only"), opened._database.writing() as db:
        db.connection().execute(sa.text(statement))
    assert opened.of(LOCAL_OWNER).audit.entries() == before
