"""Notes of models: kept over restarts, each owner's apart."""

from contextlib import closing

from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.store import Store

ANN = Owner(key="ann")


def test_notes_outlive_the_process_and_stay_apart(url: str) -> None:
    with closing(Store(url)) as store:
        store.memories.save_notes(ANN, ["likes tea\r\n", "🦉"])
        store.memories.save_notes(LOCAL_OWNER, ["mine"])
    with closing(Store(url)) as store:
        assert store.memories.notes(ANN) == ("likes tea\r\n", "🦉")
        assert store.memories.notes(LOCAL_OWNER) == ("mine",)
        assert store.memories.notes(Owner(key="bob")) == ()


def test_saving_puts_the_notes_in_the_place_of_all(url: str) -> None:
    with closing(Store(url)) as store:
        store.memories.save_notes(ANN, ["a", "b", "c"])
        store.memories.save_notes(ANN, ["b"])
        assert store.memories.notes(ANN) == ("b",)
