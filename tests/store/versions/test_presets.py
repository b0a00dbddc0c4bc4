"""Presets are stored per owner, can be restored, and are shared by a link."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.store.examples import SETUP
from workbench.errors import BadInput
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.store import Store
from workbench.store.versions.presets import RESTORABLE_PRESETS

FULL = replace(SETUP, ephemeral="secret", variables={"tone": ' "two\nlines" ', "city": ""})


@pytest.fixture
def store(migrated_url):
    with closing(Store(migrated_url)) as opened:
        yield opened


@pytest.fixture
def presets(store):
    return store.of(LOCAL_OWNER).presets


def names(presets):
    return [preset.name for preset in presets.list_presets()]


def test_a_preset_is_stored_unchanged_and_found_by_name_or_id(presets):
    saved = presets.save_preset("  Ärger 🦉 ", FULL).preset
    assert (saved.name, saved.contract_name, saved.model) == ("Ärger 🦉", "minimal", SETUP.model)
    assert presets.find_preset("Ärger 🦉").setup == FULL
    assert presets.find_preset(saved.id).setup == FULL
    assert names(presets) == ["Ärger 🦉"]


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\0b", "x" * 101])
def test_an_unusable_name_is_refused(presets, name):
    with pytest.raises(BadInput, match="preset name"):
        presets.save_preset(name, SETUP)


def test_a_taken_name_is_refused_unless_it_is_replaced(presets):
    first = presets.save_preset("a", SETUP).preset
    presets.share_preset("a")
    with pytest.raises(BadInput, match="preset 'a': this name is taken"):
        presets.save_preset("a", FULL)
    second = presets.save_preset("a", FULL, replaces=True)
    assert second.replaced_id == first.id
    assert presets.find_preset("a").setup == FULL
    key = second.preset.share_key
    assert key
    restored = presets.restore_preset(first.id, in_place_of=second.preset.id)
    assert presets.find_preset("a").setup == SETUP
    assert restored.share_key == key
    assert names(presets) == ["a"]


def test_a_preset_is_renamed_deleted_and_restored(presets):
    first = presets.save_preset("a", SETUP).preset
    presets.save_preset("b", FULL)
    with pytest.raises(BadInput, match="'b': this name is taken"):
        presets.rename_preset(first.id, "b")
    presets.rename_preset("a", "c")
    assert names(presets) == ["b", "c"]
    presets.delete_preset("c")
    assert names(presets) == ["b"]
    with pytest.raises(BadInput, match="'c': there is no such preset"):
        presets.find_preset("c")
    presets.save_preset("c", FULL)
    with pytest.raises(BadInput, match="another preset has this name now"):
        presets.restore_preset(first.id)
    presets.rename_preset("c", "d")
    presets.restore_preset(first.id)
    assert names(presets) == ["b", "c", "d"]
    for unknown in (first.id, "nope", "a\0b"):
        with pytest.raises(BadInput, match="was not deleted"):
            presets.restore_preset(unknown)


def test_a_misspelled_name_is_corrected(presets):
    presets.save_preset("weather formal", SETUP)
    with pytest.raises(BadInput, match="did you mean 'weather formal'"):
        presets.find_preset("wether formal")


def test_presets_belong_to_their_owner(store, presets):
    saved = presets.save_preset("a", FULL).preset
    other = store.of(Owner(key="account:bob", name="bob")).presets
    assert names(other) == []
    other.save_preset("a", SETUP)
    for change in (other.find_preset, other.delete_preset, other.share_preset, other.unshare_preset):
        with pytest.raises(BadInput, match="no such preset"):
            change(saved.id)
    with pytest.raises(BadInput, match="no such preset"):
        other.rename_preset(saved.id, "mine")
    presets.delete_preset(saved.id)
    with pytest.raises(BadInput, match="was not deleted"):
        other.restore_preset(saved.id)


def test_a_link_shows_a_preset_to_others_without_its_ephemeral_text(store, presets):
    key = presets.share_preset(presets.save_preset("a", FULL).preset.id).share_key
    other = store.of(Owner(key="account:bob", name="bob")).presets
    shared = other.find_shared_preset(key)
    assert shared.setup == replace(FULL, ephemeral="")
    assert not shared.is_own
    assert shared.listed.share_key is None
    assert presets.find_shared_preset(key).setup == FULL
    assert presets.share_preset("a").share_key == key
    presets.unshare_preset("a")
    for gone in (key, "", "a\0b"):
        assert other.find_shared_preset(gone) is None
    assert presets.share_preset("a").share_key != key
    presets.delete_preset("a")
    assert other.find_shared_preset(presets.restore_preset(shared.listed.id).share_key)


def test_deleted_presets_are_purged_after_30_days_and_only_the_newest_can_be_restored(migrated_url):
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    with closing(Store(migrated_url, now=lambda: now[0])) as store:
        presets = store.of(LOCAL_OWNER).presets
        first = presets.save_preset("a", SETUP).preset
        for _ in range(RESTORABLE_PRESETS):
            now[0] += timedelta(seconds=1)
            presets.save_preset("a", SETUP, replaces=True)
        newest = presets.delete_preset("a")
        with pytest.raises(BadInput, match="was not deleted"):
            presets.restore_preset(first.id)
        now[0] += timedelta(days=31)
        with pytest.raises(BadInput, match="no longer be restored"):
            presets.restore_preset(newest.id)
        store.purge()
        now[0] -= timedelta(days=31)
        with pytest.raises(BadInput, match="was not deleted"):
            presets.restore_preset(newest.id)
