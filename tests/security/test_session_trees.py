"""Messages whose parents form a cycle are found and reported, and long or wide trees are read."""

from contextlib import closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.postgres import NoPostgres, running_server
from tests.security.damaged_store import CYCLE, fill
from tests.store.examples import SETUP
from workbench.app.branches import branches_of
from workbench.chat.message import Message, Role
from workbench.errors import StoreError
from workbench.records.corpus.material import ExportMessage, SessionMaterial
from workbench.records.owner import LOCAL_OWNER
from workbench.records.session_tree import check_tree, find_cyclic, path_ids
from workbench.records.sessions import TreeNode
from workbench.store.backup.backup import check
from workbench.store.store import Store
from workbench.toolspec.spec import OfferedTools

pytestmark = pytest.mark.slow


@pytest.mark.postgres
def test_postgresql_stops_at_a_cycle_too() -> None:
    try:
        with running_server() as server, server.database() as url:
            _cycle_on_postgres(url)
    except NoPostgres as error:
        pytest.skip(str(error))


def _cycle_on_postgres(url: str) -> None:
    with closing(Store(url)) as store:
        own = store.of(LOCAL_OWNER)
        session, ids = fill(own)
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            connection.execute(
                sa.text("UPDATE message SET parent_id = :leaf WHERE id = :root"),
                {"leaf": ids[3], "root": ids[0]},
            )
            connection.execute(
                sa.text("UPDATE message SET role = 'robot', calls = '5' WHERE id = :one"), {"one": ids[4]}
            )
        engine.dispose()
        for read in (own.sessions.path, own.sessions.tree):
            with pytest.raises(StoreError, match=r"form a cycle|robot"):
                read(session)
        problems = "\n".join(check(url).problems)
        assert CYCLE in problems
        assert "'robot' is not one of" in problems
        assert "column calls: its JSON is not an array" in problems


class TestTree:
    """Unit tests of walking trees."""

    @pytest.mark.parametrize(
        ("parents", "cyclic"),
        [
            ({"a": None, "b": "a"}, ""),
            ({"a": "gone", "b": "a"}, ""),
            ({"a": "a"}, "a"),
            ({"a": "b", "b": "a", "c": "b", "d": None}, "abc"),
            ({"x": None, "c": "b", "b": "a", "a": "c", "d": "a"}, "abcd"),
        ],
    )
    def test_cycles_and_the_messages_below_them_are_found(
        self, parents: dict[str, str | None], cyclic: str
    ) -> None:
        assert find_cyclic(parents) == frozenset(cyclic)
        if cyclic:
            with pytest.raises(StoreError, match="session 's', message"):
                check_tree(parents, "s")

    def test_a_long_chain_is_walked_once(self) -> None:
        parents: dict[str, str | None] = {str(i): str(i - 1) if i else None for i in range(100_000)}
        assert find_cyclic(parents) == frozenset()
        assert len(path_ids(parents, "99999", "s")) == 100_000

    def test_a_session_with_a_thousand_branches_is_shown(self) -> None:
        at = datetime(2024, 1, 1, tzinfo=UTC)
        nodes: list[tuple[str, str | None]] = [("0", None)]
        for step in range(1, 1101):
            nodes += [(str(step), str(step - 1)), (f"{step} beside", str(step - 1))]
        tree = [TreeNode(id=one, parent_id=parent, role=Role.USER, created_at=at) for one, parent in nodes]
        said = Message(role=Role.USER, text="hi")
        messages = [
            ExportMessage(id=one, parent_id=parent, original_id=one, message=said, made_with=None)
            for one, parent in nodes
        ]
        material = SessionMaterial(session_id="s", title="", setup=SETUP, leaf_id="1100", messages=messages)
        made = branches_of(tree, material, OfferedTools(), shown_id="1100")
        assert made.leaf_count == 1101
        assert max(branch.depth for branch in made.branches) == 1099
