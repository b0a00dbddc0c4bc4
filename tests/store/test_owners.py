"""No method of the store reads or writes another owner's data."""

import inspect
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import get_type_hints

import pytest

from tests.databases import FILE_NAME, put_database
from tests.postgres import TEMPLATE, Server
from tests.store import owned_versions
from tests.store.conftest import SQLITE
from tests.store.examples import GENERATION, SETUP, completion, user
from workbench.chat.message import Message, Role
from workbench.errors import ForeignSession, StoreError
from workbench.label.store.access import LabelScope
from workbench.records.corpus.material import NewImport, SessionFilter
from workbench.records.owner import LOCAL_OWNER, Owner, UserRole
from workbench.records.sessions import StoredMessage, StoredSession
from workbench.store.owner_scope import OwnerScope
from workbench.store.store import OwnedStore, Store

ANN, BOB, ADMIN = Owner(key="ann"), Owner(key="bob"), Owner(key="root", role=UserRole.ADMIN)
DIGEST = "d" * 64


@dataclass(frozen=True)
class World:
    """A store in which Ann has sessions."""

    store: Store
    session: StoredSession
    message: StoredMessage
    deleted: StoredSession
    shared: StoredSession
    key: str
    owner: Owner = ANN
    seen: Sequence[object] = ()
    """What Ann sees before anybody else did anything."""


@dataclass(frozen=True)
class Created:
    """A world, and a store whose database is replaced by a fresh copy before each test."""

    world: World
    store: Store
    put_copy: Callable[[], None]


@pytest.fixture(scope="module")
def created() -> Iterator[dict[str, Created]]:
    """A database with Ann's data for each kind, created by the first test that needs it."""
    worlds: dict[str, Created] = {}
    yield worlds
    for world in worlds.values():
        world.store.close()


@pytest.fixture
def world(created: dict[str, Created], kind: str, request: pytest.FixtureRequest) -> World:
    """Ann's data as they were created. The store is the same for all tests, so that each statement is compiled once."""
    if kind not in created:
        make = _create_file if kind == SQLITE else _create_on_server
        created[kind] = make(request)
    found = created[kind]
    # Without connections. It opens others to the copy.
    found.store.close()
    found.put_copy()
    return replace(found.world, store=found.store)


def _create_file(request: pytest.FixtureRequest) -> Created:
    folder: Path = request.getfixturevalue("tmp_path_factory").mktemp("world")
    template = put_database(folder / "template", has_versions=False)
    world = _make_world(f"sqlite:///{template}")
    copied = folder / "copy" / FILE_NAME

    def put_copy() -> None:
        shutil.rmtree(copied.parent, ignore_errors=True)
        copied.parent.mkdir()
        shutil.copyfile(template, copied)

    put_copy()
    return Created(world, Store(f"sqlite:///{copied}"), put_copy)


def _create_on_server(request: pytest.FixtureRequest) -> Created:
    server: Server = request.getfixturevalue("postgres")
    server.run(f"CREATE DATABASE world TEMPLATE {TEMPLATE}")
    world = _make_world(server.url("world"))

    def put_copy() -> None:
        server.run("DROP DATABASE IF EXISTS copy_of_world WITH (FORCE)")
        server.run("CREATE DATABASE copy_of_world TEMPLATE world")

    put_copy()
    return Created(world, Store(server.url("copy_of_world")), put_copy)


def _make_world(url: str) -> World:
    """Store Ann's data in an empty database. The store is closed at the end."""
    with closing(Store(url)) as store:
        ann = store.of(ANN)
        sessions = [ann.sessions.create_session(SETUP) for _ in range(3)]
        for session in sessions:
            ann.sessions.append(session.id, user("secret of ann"), parent_id=None)
        session, deleted, shared = (ann.sessions.find_session(session.id) for session in sessions)
        assert session and deleted and shared
        ann.sessions.delete_session(deleted.id)
        import_row(ann)
        key = ann.sharing.share(shared.id)
        message = ann.sessions.append(session.id, completion("answer"), parent_id=session.leaf_id)
        world = World(store, session, message, deleted, shared, key)
        owned_versions.give_versions(ann)
        owned_versions.give_labels(ann, owned_versions.target_of(world))
        owned_versions.give_recordings(ann)
        owned_versions.give_runs(ann)
        owned_versions.give_presets(ann)
        owned_versions.give_comparisons(ann, owned_versions.target_of(world))
        return replace(world, seen=_seen_by_ann(world))


def is_rejected(call: Callable[[OwnedStore, World], object]) -> Callable[[OwnedStore, World], None]:
    """Check that the call reports an unknown session, and does not reveal that another owner has it."""

    def check(own: OwnedStore, world: World) -> None:
        with pytest.raises(StoreError, match="there is no session"):
            call(own, world)

    return check


def finds_nothing(call: Callable[[OwnedStore, World], object]) -> Callable[[OwnedStore, World], None]:
    """Check that the call returns None or something empty."""

    def check(own: OwnedStore, world: World) -> None:
        assert not call(own, world)

    return check


def own_only(own: OwnedStore, _world: World) -> None:
    created = own.sessions.create_session(SETUP)
    own.sessions.append(created.id, user("mine"), parent_id=None)
    assert [session.id for session in own.sessions.list_sessions(all_owners=True)] == [created.id]


def import_row(own: OwnedStore) -> str:
    messages = (Message(role=Role.USER, text="secret of a row"),)
    new = NewImport(setup=SETUP, messages=messages, format="openai", fields={}, file="rows.jsonl", number=1)
    return own.corpus.add_import(new, digest=DIGEST)


def import_own(own: OwnedStore) -> None:
    created = import_row(own)
    assert own.corpus.choose(SessionFilter()) == [created]


def shows_only_its_session(own: OwnedStore, world: World) -> None:
    """A share key shows its session, and no other key does."""
    found = own.sharing.find_shared(world.key)
    assert found
    assert (found.id, found.is_own, found.share_key) == (world.shared.id, False, None)
    assert own.sharing.find_shared(world.session.id) is None


CHECKS: dict[str, Callable[[OwnedStore, World], None]] = {
    "sessions.create_session": own_only,
    "sessions.find_session": finds_nothing(lambda own, w: own.sessions.find_session(w.session.id)),
    "sessions.list_sessions": finds_nothing(
        lambda own, w: (
            *own.sessions.list_sessions(),
            *own.sessions.list_sessions(all_owners=True),
            *own.sessions.list_sessions(is_deleted=True),
            *own.sessions.list_sessions(is_deleted=True, all_owners=True),
        )
    ),
    "sessions.save_setup": is_rejected(lambda own, w: own.sessions.save_setup(w.session.id, SETUP)),
    "sessions.begin_turn": is_rejected(
        lambda own, w: own.sessions.begin_turn(w.session.id, SETUP, user("x").message, text="x")
    ),
    "sessions.rename_session": is_rejected(lambda own, w: own.sessions.rename_session(w.session.id, "x")),
    "sessions.tag_session": is_rejected(lambda own, w: own.sessions.tag_session(w.session.id, ["x"])),
    "sessions.delete_session": is_rejected(lambda own, w: own.sessions.delete_session(w.session.id)),
    "sessions.restore_session": is_rejected(lambda own, w: own.sessions.restore_session(w.deleted.id)),
    "sessions.copy_session": is_rejected(lambda own, w: own.sessions.copy_session(w.session.id)),
    "sessions.append": is_rejected(
        lambda own, w: own.sessions.append(w.session.id, user("x"), parent_id=w.message.id)
    ),
    "sessions.append_all": is_rejected(
        lambda own, w: own.sessions.append_all(w.session.id, (user("x"),), parent_id=None)
    ),
    "sessions.save_unfinished": is_rejected(
        lambda own, w: own.sessions.save_unfinished(w.session.id, "x", GENERATION, parent_id=w.message.id)
    ),
    "sessions.path": is_rejected(lambda own, w: own.sessions.path(w.session.id, leaf_id=w.message.id)),
    "sessions.tree": is_rejected(lambda own, w: own.sessions.tree(w.session.id)),
    "sessions.open_leaf": is_rejected(lambda own, w: own.sessions.open_leaf(w.session.id, w.message.id)),
    "sessions.delete_message": is_rejected(
        lambda own, w: own.sessions.delete_message(w.session.id, w.message.id)
    ),
    "sessions.deleted_messages": is_rejected(lambda own, w: own.sessions.deleted_messages(w.session.id)),
    "sessions.restore_message": is_rejected(
        lambda own, w: own.sessions.restore_message(w.session.id, w.message.id)
    ),
    "sharing.share": is_rejected(lambda own, w: own.sharing.share(w.session.id)),
    "sharing.unshare": is_rejected(lambda own, w: own.sharing.unshare(w.shared.id)),
    "sharing.find_shared": shows_only_its_session,
    "sharing.shared_path": lambda own, w: _unshared(lambda: own.sharing.shared_path(w.session.id)),
    "sharing.shared_tree": lambda own, w: _unshared(lambda: own.sharing.shared_tree(w.session.id)),
    "sharing.copy_shared": lambda own, w: _unshared(lambda: own.sharing.copy_shared(w.session.id)),
    "corpus.choose": finds_nothing(
        lambda own, w: own.corpus.choose(SessionFilter(session_ids=(w.session.id,)))
    ),
    "corpus.count": finds_nothing(lambda own, w: own.corpus.count(SessionFilter())),
    "corpus.material": finds_nothing(lambda own, w: own.corpus.material(w.session.id)),
    "corpus.add_import": lambda own, w: import_own(own),
    "corpus.add_imports": lambda own, w: import_own(own),
    "corpus.now": lambda own, w: own.corpus.now(),
    "corpus.find_imports": finds_nothing(lambda own, w: own.corpus.find_imports([DIGEST])),
    "corpus.materials": lambda own, w: next(own.corpus.materials((w.session.id,)))[1] is None,
    **owned_versions.CHECKS,
}
"""What other owners get, by store class and method. A method without an entry fails the test below."""


def _unshared(call: Callable[[], object]) -> None:
    with pytest.raises(StoreError, match="no longer valid"):
        call()


def _methods() -> Iterator[str]:
    ports = get_type_hints(OwnedStore)
    for field in fields(OwnedStore):
        for name, _ in inspect.getmembers(ports[field.name], inspect.isfunction):
            if not name.startswith("_"):
                yield f"{field.name}.{name}"


def test_every_method_of_every_store_class_has_a_check() -> None:
    assert sorted(_methods()) == sorted(CHECKS)


def test_no_store_class_inherits_from_another() -> None:
    classes = set(get_type_hints(OwnedStore).values())
    assert not [store for store in classes if classes & set(store.__mro__[1:])]
    bases = {base for store in classes for base in store.__mro__[1:]}
    assert bases <= {LabelScope, OwnerScope, object}


def test_the_objects_have_no_other_public_methods() -> None:
    with closing(Store("sqlite://")) as store:
        own = store.of(ANN)
        names = [
            f"{field.name}.{name}"
            for field in fields(OwnedStore)
            for name, _ in inspect.getmembers(getattr(own, field.name), callable)
            if not name.startswith("_")
        ]
    assert sorted(names) == sorted(CHECKS)


@pytest.mark.parametrize("owner", [BOB, LOCAL_OWNER], ids=["another", "nobody"])
@pytest.mark.parametrize("method", CHECKS)
def test_another_owner_reads_and_writes_nothing(world: World, method: str, owner: Owner) -> None:
    CHECKS[method](world.store.of(owner), world)
    assert _seen_by_ann(world) == world.seen


def _seen_by_ann(world: World) -> list[object]:
    ann = world.store.of(ANN)
    listed = [*ann.sessions.list_sessions(), *ann.sessions.list_sessions(is_deleted=True)]
    return [
        listed,
        [ann.sessions.find_session(session.id) for session in listed],
        [ann.sessions.path(session.id) for session in listed if not session.deleted_at],
        *owned_versions.seen_of_versions_and_labels(ann),
    ]


def test_an_admin_reads_everything_but_writes_only_their_own_sessions(world: World) -> None:
    admin, session = world.store.of(ADMIN), world.session
    assert admin.sessions.list_sessions() == ()
    imported = world.store.of(ANN).corpus.find_imports([DIGEST])[DIGEST]
    listed = {session.id for session in admin.sessions.list_sessions(all_owners=True)}
    assert listed == {session.id, world.shared.id, imported, owned_versions.RECORDED}
    assert not any(session.is_own for session in admin.sessions.list_sessions(all_owners=True))
    found = admin.sessions.find_session(session.id)
    assert found and not found.is_own
    assert [stored.message.text for stored in admin.sessions.path(session.id)] == ["secret of ann", "answer"]
    for write in (
        lambda: admin.sessions.append(session.id, user("x"), parent_id=None),
        lambda: admin.sessions.delete_session(session.id),
        lambda: admin.sessions.rename_session(session.id, "x"),
        lambda: admin.sharing.share(session.id),
    ):
        with pytest.raises(ForeignSession, match="belongs to somebody else") as refused:
            write()
        assert (refused.value.session_id, refused.value.title) == (session.id, found.title)
    copy = admin.sessions.copy_session(session.id)
    assert (copy.is_own, copy.copied_from) == (True, session.id)
    assert _seen_by_ann(world) == world.seen


def test_every_session_has_its_owner(file: Path) -> None:
    with closing(Store(f"sqlite:///{file}")) as store:
        for owner in (ANN, LOCAL_OWNER):
            store.of(owner).sessions.create_session(SETUP)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT owner FROM session ORDER BY owner").fetchall() == [
            (None,),
            ("ann",),
        ]
