"""Versions, tags and files, and who can see them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput, StoreError
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.records.versions import FROM_FILE, FileState, NewVersion, Version, VersionKind, hash_of
from workbench.store.store import OwnedStore, Store
from workbench.store.versions.versions import VersionStore

CONTRACT = VersionKind.CONTRACT
ANNA = Owner(key="anna", name="Anna")
BEN = Owner(key="ben", name="Ben")


@pytest.fixture
def opened(migrated_url: str) -> Iterator[Store]:
    with closing(Store(migrated_url)) as store:
        yield store


@pytest.fixture
def mine(opened: Store) -> OwnedStore:
    return opened.of(LOCAL_OWNER)


@pytest.fixture
def versions(mine: OwnedStore) -> VersionStore:
    return mine.versions


@pytest.fixture(scope="module")
def shared() -> Iterator[VersionStore]:
    """Versions in memory for many examples."""
    with closing(Store("sqlite://")) as store:
        yield store.of(LOCAL_OWNER).versions


def new(text: str, **changes: object) -> NewVersion:
    return replace(NewVersion(kind=CONTRACT, name="minimal", text=text), **changes)


def numbers(versions: VersionStore, name: str = "minimal") -> list[tuple[int, str]]:
    return [(version.number, version.text) for version in versions.history(CONTRACT, name)]


class TestSaving:
    def test_each_version_has_the_previous_one_as_its_parent(self, versions: VersionStore) -> None:
        first = versions.save(new("one", message="started"))
        second = versions.save(new("two"))
        assert (first.number, first.parent_id, first.message, first.text) == (1, None, "started", "one")
        assert (second.number, second.parent_id) == (2, first.id)
        assert second.text_hash == hash_of("two")
        assert numbers(versions) == [(2, "two"), (1, "one")]
        assert versions.version(first.id) == first

    def test_saving_the_same_text_returns_the_same_version(self, versions: VersionStore) -> None:
        first = versions.save(new("one"))
        assert versions.save(new("one", message="again")) == first
        assert numbers(versions) == [(1, "one")]

    def test_two_edits_of_the_same_version_are_both_saved(self, versions: VersionStore) -> None:
        base = versions.save(new("base"))
        left = versions.save(new("left", parent_id=base.id))
        right = versions.save(new("right", parent_id=base.id))
        assert (left.parent_id, right.parent_id) == (base.id, base.id)
        assert numbers(versions) == [(3, "right"), (2, "left"), (1, "base")]
        assert versions.save(new("left", parent_id=base.id)) == left

    def test_a_version_can_be_made_from_another_name(self, versions: VersionStore) -> None:
        base = versions.save(new("base"))
        copy = versions.save(new("base", name="mine", parent_id=base.id))
        assert (copy.name, copy.number, copy.parent_id) == ("mine", 1, base.id)
        with pytest.raises(StoreError, match="cannot be made from"):
            versions.save(new("x", kind=VersionKind.TOOLS, parent_id=base.id))
        with pytest.raises(StoreError, match="there is no version"):
            versions.save(new("x", parent_id="nowhere"))

    @pytest.mark.slow
    @given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
    def test_any_text_is_stored_unchanged(self, shared: VersionStore, text: str) -> None:
        saved = shared.save(new(text, message=text))
        assert shared.version(saved.id) == saved
        assert (saved.text, saved.text_hash) == (text, hash_of(text))

    @pytest.mark.parametrize(
        "bad", [new("\0"), new("x", message="\ud800"), new("x", name="../etc"), new("x", name="")]
    )
    def test_an_invalid_version_is_rejected(self, versions: VersionStore, bad: NewVersion) -> None:
        with pytest.raises(BadInput):
            versions.save(bad)
        assert versions.lines() == ()

    def test_concurrent_writers_get_different_numbers(self, versions: VersionStore) -> None:
        with ThreadPoolExecutor(8) as pool:
            saved = list(pool.map(lambda place: versions.save(new(f"text {place}")), range(24)))
        assert sorted(version.number for version in saved) == list(range(1, 25))
        assert len(versions.history(CONTRACT, "minimal", limit=99)) == 24


class TestFinding:
    def test_versions_are_found_by_number_tag_and_hash(self, versions: VersionStore) -> None:
        first, second = versions.save(new("one")), versions.save(new("two"))
        versions.tag(first.id, "production")
        for which in ("1", "v1", "production", first.text_hash, first.text_hash[:6].upper(), first.id[:12]):
            found = versions.find(CONTRACT, "minimal", which)
            assert found and found.id == first.id, which
        newest = versions.find(CONTRACT, "minimal")
        assert newest == second

    @pytest.mark.parametrize("which", ["3", "candidate", "abc", "ffff0000", "\0", "%", "____"])
    def test_an_unknown_reference_finds_nothing(self, versions: VersionStore, which: str) -> None:
        versions.save(new("one"))
        assert versions.find(CONTRACT, "minimal", which) is None
        assert versions.find(CONTRACT, "other") is None
        assert versions.find(VersionKind.TOOLS, "minimal") is None

    def test_the_list_has_each_name_with_its_newest_version(self, versions: VersionStore) -> None:
        for name in ("b", "a"):
            versions.save(new("one", name=name))
            versions.save(new("two", name=name))
        versions.save(new("[]", kind=VersionKind.TOOLS, name="a"))
        assert [(line.head.kind, line.head.name, line.head.number, line.version_count) for line in versions.lines()] == [
            ("contract", "a", 2, 2), ("contract", "b", 2, 2), ("tools", "a", 1, 1),
        ]  # fmt: skip
        assert [line.head.name for line in versions.lines(VersionKind.TOOLS)] == ["a"]

    def test_the_history_is_paged(self, versions: VersionStore) -> None:
        for place in range(5):
            versions.save(new(f"{place}"))
        assert [version.number for version in versions.history(CONTRACT, "minimal", limit=2, offset=1)] == [
            4,
            3,
        ]


class TestNames:
    def test_a_tag_can_be_moved_and_the_log_has_its_previous_target(self, mine: OwnedStore) -> None:
        versions = mine.versions
        first, second = versions.save(new("one")), versions.save(new("two"))
        assert versions.tag(first.id, "production").tags == ("production",)
        assert versions.tag(second.id, "production").tags == ("production",)
        assert versions.tag(second.id, "candidate").tags == ("candidate", "production")
        assert [version.tags for version in versions.history(CONTRACT, "minimal")] == [
            ("candidate", "production"),
            (),
        ]
        versions.tag(second.id, "production")
        moves = mine.audit.entries(subject="contract:minimal", action="version.tag")
        assert [(entry.detail["tag"], entry.detail["before"]) for entry in moves] == [
            ("candidate", None), ("production", first.id), ("production", None),
        ]  # fmt: skip

    def test_a_tag_can_be_removed(self, versions: VersionStore) -> None:
        first = versions.save(new("one"))
        versions.tag(first.id, "production")
        assert versions.untag(CONTRACT, "minimal", "production")
        assert not versions.untag(CONTRACT, "minimal", "production")
        assert versions.find(CONTRACT, "minimal", "production") is None

    def test_a_tag_that_looks_like_a_number_is_rejected(self, versions: VersionStore) -> None:
        first = versions.save(new("one"))
        with pytest.raises(BadInput):
            versions.tag(first.id, "v2")

    def test_restoring_creates_a_new_version_with_the_old_text(self, versions: VersionStore) -> None:
        first = versions.save(new("one"))
        second = versions.save(new("two"))
        third = versions.restore(first.id)
        assert (third.number, third.text, third.parent_id, third.message) == (
            3,
            "one",
            second.id,
            "restored v1",
        )
        assert versions.restore(first.id) == third
        assert versions.restore(second.id, message="back").message == "back"


class TestFiles:
    def take(self, versions: VersionStore, text: str, **options: bool) -> tuple[FileState, int]:
        state, head = versions.take_file(CONTRACT, "minimal", text, **options)
        return state, head.number

    def test_a_file_becomes_the_first_version_and_its_changes_the_next(self, versions: VersionStore) -> None:
        assert self.take(versions, "one") == (FileState.TAKEN, 1)
        assert self.take(versions, "one") == (FileState.SAME, 1)
        assert self.take(versions, "two") == (FileState.TAKEN, 2)
        assert self.take(versions, "one") == (FileState.TAKEN, 3)
        found = versions.history(CONTRACT, "minimal")
        assert {version.author for version in found} == {FROM_FILE}
        assert [version.text for version in found] == ["one", "two", "one"]

    def test_an_unchanged_file_does_not_replace_a_saved_version(self, versions: VersionStore) -> None:
        self.take(versions, "one")
        versions.save(new("mine"))
        assert self.take(versions, "one") == (FileState.BEHIND, 2)

    def test_if_both_changed_the_file_is_imported_only_on_request(self, versions: VersionStore) -> None:
        _, first = versions.take_file(CONTRACT, "minimal", "one")
        versions.save(new("mine"))
        assert self.take(versions, "theirs") == (FileState.DIVERGED, 2)
        assert self.take(versions, "theirs", is_deliberate=True) == (FileState.TAKEN, 3)
        newest = versions.find(CONTRACT, "minimal")
        assert newest and (newest.text, newest.parent_id) == ("theirs", first.id)

    def test_a_written_file_is_up_to_date(self, versions: VersionStore) -> None:
        self.take(versions, "one")
        versions.note_file(versions.save(new("mine")).id)
        assert self.take(versions, "mine") == (FileState.SAME, 2)
        assert self.take(versions, "edited") == (FileState.TAKEN, 3)

    def test_a_file_is_known_to_be_taken_while_the_newest_version_has_its_text(
        self, versions: VersionStore
    ) -> None:
        assert versions.taken_hashes(CONTRACT) == {}
        self.take(versions, "one")
        assert versions.taken_hashes(CONTRACT) == {"minimal": hash_of("one")}
        assert versions.taken_hashes(VersionKind.TOOLS) == {}
        saved = versions.save(new("mine"))
        assert versions.taken_hashes(CONTRACT) == {}
        versions.note_file(saved.id)
        assert versions.taken_hashes(CONTRACT) == {"minimal": hash_of("mine")}
        self.take(versions, "two")
        assert versions.taken_hashes(CONTRACT) == {"minimal": hash_of("two")}

    def test_a_version_comes_from_all_its_ancestors(self, versions: VersionStore) -> None:
        first, _ = versions.save(new("one")), versions.save(new("two"))
        side = versions.save(new("side", parent_id=first.id))
        assert [versions.comes_from(side.id, hash_of(text)) for text in ("side", "one", "two")] == [
            True, True, False,
        ]  # fmt: skip

    def test_programs_that_start_together_import_a_file_once(self, versions: VersionStore) -> None:
        with ThreadPoolExecutor(8) as pool:
            states = list(pool.map(lambda _: self.take(versions, "one"), range(16)))
        assert {number for _, number in states} == {1}
        assert numbers(versions) == [(1, "one")]


class TestTexts:
    def test_a_text_without_a_version_is_found_by_its_hash(self, versions: VersionStore) -> None:
        stored = versions.keep_text(CONTRACT, "used")
        assert versions.keep_text(CONTRACT, "used") == stored
        assert versions.find_text(CONTRACT, stored.hash) == stored
        assert versions.find_text(CONTRACT, stored.hash[:8].upper()) == stored
        assert versions.find_text(VersionKind.TOOLS, stored.hash) is None
        assert versions.find_text(CONTRACT, "") is None
        assert versions.lines() == ()


class TestOwners:
    def test_everybody_reads_the_shared_library_and_only_its_owner_writes_it(self, opened: Store) -> None:
        library, anna = opened.of(LOCAL_OWNER).versions, opened.of(ANNA).versions
        first = library.save(new("shared"))
        assert anna.find(CONTRACT, "minimal") == first
        own = anna.save(new("own"))
        assert (own.number, own.parent_id, own.is_shared, own.author) == (2, first.id, False, "Anna")
        assert numbers(anna) == [(2, "own"), (1, "shared")]
        assert numbers(library) == [(1, "shared")]
        later = library.save(new("shared later"))
        assert anna.find(CONTRACT, "minimal") == own
        assert later.number == 2

    def test_an_owner_s_tag_hides_the_shared_one(self, opened: Store) -> None:
        library, anna = opened.of(LOCAL_OWNER).versions, opened.of(ANNA).versions
        first, second = library.save(new("one")), library.save(new("two"))
        library.tag(first.id, "production")
        assert [version.tags for version in anna.history(CONTRACT, "minimal")] == [(), ("production",)]
        anna.tag(second.id, "production")
        assert [version.tags for version in anna.history(CONTRACT, "minimal")] == [("production",), ()]
        assert [version.tags for version in library.history(CONTRACT, "minimal")] == [(), ("production",)]
        found = anna.find(CONTRACT, "minimal", "production")
        assert found and found.id == second.id

    def test_another_owner_s_data_is_neither_read_nor_changed(self, opened: Store) -> None:
        anna, ben = opened.of(ANNA), opened.of(BEN)
        own = anna.versions.save(new("secret"))
        anna.versions.tag(own.id, "production")
        stored = anna.versions.keep_text(CONTRACT, "used")
        assert ben.versions.lines() == ben.versions.history(CONTRACT, "minimal") == ()
        assert ben.versions.version(own.id) is None
        for which in ("", "1", "production", own.id, own.text_hash):
            assert ben.versions.find(CONTRACT, "minimal", which) is None
        for text_hash in (own.text_hash, stored.hash):
            assert ben.versions.find_text(CONTRACT, text_hash) is None
        for attempt in (
            lambda: ben.versions.restore(own.id),
            lambda: ben.versions.tag(own.id, "mine"),
            lambda: ben.versions.comes_from(own.id, own.text_hash),
            lambda: ben.versions.note_file(own.id),
            lambda: ben.versions.save(new("x", parent_id=own.id)),
        ):
            with pytest.raises(StoreError, match="there is no version"):
                attempt()
        assert not ben.versions.untag(CONTRACT, "minimal", "production")
        assert ben.audit.entries() == ()
        assert anna.versions.find(CONTRACT, "minimal", "production") is not None

    def test_shared_texts_without_a_version_are_private(self, opened: Store) -> None:
        library, anna = opened.of(LOCAL_OWNER).versions, opened.of(ANNA).versions
        stored = library.keep_text(CONTRACT, "used")
        assert anna.find_text(CONTRACT, stored.hash) is None
        saved = library.save(new("saved"))
        found = anna.find_text(CONTRACT, saved.text_hash)
        assert found and found.text == "saved"


def test_versions_are_the_same_in_another_process(migrated_url: str) -> None:
    with closing(Store(migrated_url)) as store:
        saved: Version = store.of(LOCAL_OWNER).versions.save(new("one\r\n🦉"))
    with closing(Store(migrated_url)) as store:
        assert store.of(LOCAL_OWNER).versions.version(saved.id) == saved
