"""Names of versions can be renamed, deleted, restored and purged."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from tests.store.examples import SETUP
from workbench.errors import BadInput, StoreError
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.records.versions import NewVersion, VersionKind, hash_of
from workbench.store.store import Store

CONTRACT = VersionKind.CONTRACT
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def clock():
    return [MOMENT]


@pytest.fixture
def store(url, clock):
    with closing(Store(url, now=lambda: clock[0])) as opened:
        yield opened


@pytest.fixture
def own(store):
    return store.of(LOCAL_OWNER)


def save(own, name, *texts):
    return [own.versions.save(NewVersion(kind=CONTRACT, name=name, text=text)) for text in texts]


def names(own):
    return [line.head.name for line in own.versions.lines(CONTRACT)]


def test_renaming_moves_the_history_and_keeps_the_ids(own):
    first, second = save(own, "old", "one", "two")
    own.versions.tag(first.id, "production")
    own.version_names.rename(CONTRACT, "old", "new")
    assert names(own) == ["new"]
    assert own.versions.history(CONTRACT, "old") == ()
    assert [version.id for version in own.versions.history(CONTRACT, "new")] == [second.id, first.id]
    found = own.versions.find(CONTRACT, "new", "production")
    assert (found.id, found.number, found.tags) == (first.id, 1, ("production",))
    assert own.versions.version(second.id).name == "new"
    [third] = save(own, "new", "three")
    assert (third.number, third.parent_id) == (3, second.id)


def test_each_name_has_its_tags(own):
    first, second = save(own, "own", "one", "two")
    [other] = save(own, "other", "one")
    for version, tag in ((first, "production"), (second, "candidate"), (other, "production")):
        own.versions.tag(version.id, tag)
    assert own.versions.tagged_names(CONTRACT) == (
        ("other", "production"),
        ("own", "candidate"),
        ("own", "production"),
    )
    assert own.versions.tagged_names(VersionKind.TOOLS) == ()
    own.versions.untag(CONTRACT, "own", "candidate")
    own.version_names.delete_name(CONTRACT, "other")
    own.version_names.rename(CONTRACT, "own", "new")
    assert own.versions.tagged_names(CONTRACT) == (("new", "production"),)


def test_a_renamed_name_is_free_for_the_same_text(own):
    [first] = save(own, "old", "one")
    own.version_names.rename(CONTRACT, "old", "new")
    [again] = save(own, "old", "one")
    assert (again.name, again.number) == ("old", 1)
    assert again.id != first.id
    assert names(own) == ["new", "old"]
    # Saving it again still returns the same version.
    assert save(own, "old", "one") == [again]


def test_a_taken_or_invalid_name_is_rejected(own):
    save(own, "a", "one")
    save(own, "b", "two")
    with pytest.raises(BadInput, match="this name is taken"):
        own.version_names.rename(CONTRACT, "a", "b")
    with pytest.raises(BadInput, match="not usable as a file name"):
        own.version_names.rename(CONTRACT, "a", "b:c")
    for name in ("missing", "a\0"):
        with pytest.raises(StoreError, match="you have no contract"):
            own.version_names.rename(CONTRACT, name, "c")


def test_a_deleted_name_is_hidden_and_can_be_restored(own):
    first, second = save(own, "a", "one", "two")
    own.versions.tag(first.id, "candidate")
    deleted = own.version_names.delete_name(CONTRACT, "a")
    assert (
        deleted.name,
        own.version_names.deleted_names(),
        own.version_names.deleted_names(VersionKind.SUITE),
    ) == ("a", (deleted,), ())
    assert (names(own), own.versions.history(CONTRACT, "a"), own.versions.find(CONTRACT, "a")) == (
        [],
        (),
        None,
    )
    # A reference by id still works, with the name that a person knows.
    assert (own.versions.version(second.id).name, own.versions.version(second.id).text) == ("a", "two")
    with pytest.raises(StoreError, match="you have no contract"):
        own.version_names.delete_name(CONTRACT, "a")
    own.version_names.restore_name(deleted.id)
    assert [version.id for version in own.versions.history(CONTRACT, "a")] == [second.id, first.id]
    assert own.versions.find(CONTRACT, "a", "candidate").id == first.id
    with pytest.raises(StoreError, match="there is no deletion"):
        own.version_names.restore_name(deleted.id)


def test_a_new_name_does_not_mix_with_the_deleted_one(own):
    [first] = save(own, "a", "one")
    deleted = own.version_names.delete_name(CONTRACT, "a")
    [second] = save(own, "a", "one")
    assert (second.number, second.parent_id) == (1, None)
    with pytest.raises(BadInput, match="this name is taken"):
        own.version_names.restore_name(deleted.id)
    own.version_names.restore_name(deleted.id, new_name="b")
    assert [version.id for version in own.versions.history(CONTRACT, "b")] == [first.id]
    assert [version.id for version in own.versions.history(CONTRACT, "a")] == [second.id]


def test_deleting_own_versions_leaves_the_shared_ones(store):
    [shared] = save(store.of(LOCAL_OWNER), "minimal", "library")
    ann = store.of(Owner(key="ann"))
    [mine] = save(ann, "minimal", "mine")
    deleted = ann.version_names.delete_name(CONTRACT, "minimal")
    assert [version.id for version in ann.versions.history(CONTRACT, "minimal")] == [shared.id]
    with pytest.raises(StoreError, match="you have no contract"):
        ann.version_names.delete_name(CONTRACT, "minimal")
    ann.version_names.restore_name(deleted.id)
    assert [version.id for version in ann.versions.history(CONTRACT, "minimal")] == [mine.id, shared.id]


def test_a_deleted_name_is_purged_after_30_days(store, own, clock):
    [first, _] = save(own, "a", "one", "used in a session")
    copy = own.versions.save(NewVersion(kind=CONTRACT, name="b", text="one more", parent_id=first.id))
    own.versions.tag(first.id, "candidate")
    text = SETUP.contract_text
    save(own, "a", text)
    session = store.of(LOCAL_OWNER).sessions.create_session(SETUP)
    own.version_names.delete_name(CONTRACT, "a")
    clock[0] += timedelta(days=29)
    store.purge()
    assert len(own.version_names.deleted_names()) == 1
    clock[0] += timedelta(days=1)
    store.purge()
    assert (own.version_names.deleted_names(), own.versions.version(first.id)) == ((), None)
    assert own.versions.find_text(CONTRACT, hash_of("one")) is None
    assert own.versions.find_text(CONTRACT, hash_of(text)).text == text
    assert store.of(LOCAL_OWNER).sessions.find_session(session.id)
    assert own.versions.version(copy.id).parent_id is None
