"""Notes of the tool `memory` are stored for each owner."""

from contextlib import closing

from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.store import Store

ANN = Owner(key="ann")


def test_notes_are_stored_separately_for_each_owner(url: str) -> None:
    with closing(Store(url)) as store:
        store.memories.save_notes(ANN, ["likes tea\r\n", "🦉"])
        store.memories.save_notes(LOCAL_OWNER, ["mine"])
    with closing(Store(url)) as store:
        assert store.memories.notes(ANN) == ("likes tea\r\n", "🦉")
        assert store.memories.notes(LOCAL_OWNER) == ("mine",)
        assert store.memories.notes(Owner(key="bob")) == ()


def test_saving_replaces_all_notes(url: str) -> None:
    with closing(Store(url)) as store:
        store.memories.save_notes(ANN, ["a", "b", "c"])
        store.memories.save_notes(ANN, ["b"])
        assert store.memories.notes(ANN) == ("b",)
