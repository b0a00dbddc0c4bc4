"""Servers are added, edited and removed, listed with their state, and read again when the file changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engines.remote.scripted_server import refused, said, scripted_server
from tests.engines.remote.test_server_lists import KEY, listing, with_key
from tests.engines.test_all_models import models_for
from workbench.engines.all_models import AllModels
from workbench.engines.llama_loading import LoadOptions
from workbench.engines.models import LocalModels
from workbench.engines.remote.server import KeyPlace, Mode, Server, ServerKind
from workbench.engines.remote.server_book import GUEST_S, MOST_GUEST_SERVERS, ServerBook, ServerStatus
from workbench.engines.remote.servers_file import ServerDraft, ServersFile
from workbench.engines.remote.transport.guarded_client import INTERNAL
from workbench.errors import BadInput, ModelMissing, RemoteFailed
from workbench.settings import Secret


class MemoryKeyring:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.passwords: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, user: str) -> str | None:
        return self.passwords.get((service, user))

    def set_password(self, service: str, user: str, password: str) -> None:
        self.passwords[service, user] = password

    def delete_password(self, service: str, user: str) -> None:
        del self.passwords[service, user]


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    memory = MemoryKeyring()
    monkeypatch.setattr("workbench.engines.remote.server_keys._keyring", lambda: memory)
    return memory


@pytest.fixture
def without_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)


def file_in(folder: Path, **secrets: str) -> ServersFile:
    keys = {name: Secret(value) for name, value in secrets.items()}
    return ServersFile(folder, timeout_s=5.0, read_secret=keys.get)


def models_with(book: ServerBook) -> AllModels:
    loading = LoadOptions(context_tokens=0, threads=0, gpu_layers=0)
    local = LocalModels(loading=loading, find_cached=lambda _: None)
    return AllModels(local=local, default="embedded", sources=models_for()._sources, servers=book)


@contextmanager
def lab() -> Iterator[str]:
    with scripted_server(with_key("hermes")) as server:
        yield server.url


class TestStates:
    def test_servers_that_fail_are_listed_with_the_reason(self, tmp_path: Path):
        with scripted_server(listing("a")) as good, scripted_server(with_key("b")) as locked:
            text = (
                f"servers:\n  good: {{base_url: {good.url}}}\n  locked: {{base_url: {locked.url}, key_variable: LAB}}\n"
                "  down: {base_url: 'http://127.0.0.1:1/v1'}\n"
            )
            (tmp_path / "servers.yaml").write_text(text)
            book = ServerBook(file=file_in(tmp_path, LAB="wrong"))
            assert [state.status for state in book.states()] == [ServerStatus.NOT_ASKED] * 3
            book.lists.ask_all(book.all)
            states = {state.server.name: state for state in book.states()}
        assert states["good"].status is ServerStatus.LISTED
        assert (states["good"].models, states["good"].server.kind) == (("a",), ServerKind.VLLM)
        assert "the API key was refused" in states["locked"].reason
        assert "set LAB and restart" in states["locked"].reason
        assert states["down"].reason.startswith("no answer")

    def test_retry_asks_again_even_if_the_list_is_fresh(self):
        with scripted_server(listing("a"), listing("a", "b")) as server:
            book = ServerBook(fixed={"lab": Server(name="lab", base_url=server.url)})
            book.retry("lab")
            book.retry("lab")
            assert book.states()[0].models == ("a", "b")

    def test_what_one_key_lists_is_not_shown_for_another_key(self):
        with scripted_server(with_key("secret")) as server:
            book = ServerBook(fixed={"lab": Server(name="lab", base_url=server.url, key=KEY)})
            book.retry("lab")
            other = Server(name="lab", base_url=server.url, key=Secret("other"))
            assert book.lists.known(other).names == ()


class TestFile:
    def test_it_is_read_again_when_it_changes(self, tmp_path: Path):
        book = ServerBook(file=file_in(tmp_path))
        assert not book.all
        (tmp_path / "servers.yaml").write_text("servers:\n  new: {base_url: 'http://127.0.0.1:1/v1'}\n")
        assert [server.name for server in book.all] == ["new"]
        models = models_with(book)
        assert models.engine("openai:new/x").name == "openai:new/x"

    def test_while_it_is_broken_the_last_servers_stay_and_the_problem_is_known(self, tmp_path: Path):
        path = tmp_path / "servers.yaml"
        path.write_text("servers:\n  lab: {base_url: 'http://127.0.0.1:1/v1'}\n")
        book = ServerBook(file=file_in(tmp_path))
        path.write_text("servers:\n  lab: {base_urls: x}\n")
        assert [server.name for server in book.all] == ["lab"]
        assert "base_urls" in book.file_problem
        path.write_text("servers: {}\n")
        assert (list(book.all), book.file_problem) == ([], "")

    def test_a_change_of_a_server_is_used_by_the_next_engine(self, tmp_path: Path):
        path = tmp_path / "servers.yaml"
        path.write_text("servers:\n  lab: {base_url: 'http://127.0.0.1:1/v1'}\n")
        models = models_with(ServerBook(file=file_in(tmp_path)))
        first = models.engine("openai:lab/x")
        assert models.engine("openai:lab/x") is first
        path.write_text("servers:\n  lab: {base_url: 'http://127.0.0.1:22/v1'}\n")
        assert models.engine("openai:lab/x").device == "http://127.0.0.1:22/v1"

    @pytest.mark.parametrize("indent", ["  ", "    "])
    def test_adding_editing_and_removing_keep_everything_else(self, tmp_path: Path, indent: str):
        path = tmp_path / "servers.yaml"
        before = f"# mine\nservers:\n{indent}old:\n{indent}  base_url: http://127.0.0.1:1/v1  # slow\n{indent}  mode: raw\n"
        path.write_text(before)
        with lab() as url:
            book = ServerBook(file=file_in(tmp_path))
            book.save(ServerDraft(name="new", base_url=url, key=KEY))
            state = next(state for state in book.states() if state.server.name == "new")
            assert (state.status, state.models) == (ServerStatus.LISTED, ("hermes",))
            assert KEY.reveal() not in path.read_text()
            book.save(ServerDraft(name="newer", base_url=url), replaces="new")
            assert [server.name for server in book.all] == ["newer", "old"]
            assert book.named["newer"].key == KEY
            book.remove("newer")
        assert path.read_text() == before
        book.save(ServerDraft(name="old", base_url="http://127.0.0.1:2/v1"), replaces="old")
        assert (book.named["old"].mode, book.named["old"].base_url) == (Mode.RAW, "http://127.0.0.1:2/v1")

    def test_a_new_address_does_not_get_the_old_key(self, tmp_path: Path):
        book = ServerBook(file=file_in(tmp_path))
        with lab() as url:
            book.save(ServerDraft(name="lab", base_url=url, key=KEY))
        with scripted_server(listing("x")) as other:
            book.save(ServerDraft(name="lab", base_url=other.url), replaces="lab")
            assert all(
                "authorization" not in {name.lower() for name in sent.headers} for sent in other.requests
            )

    @pytest.mark.parametrize(
        ("name", "url", "words"),
        [
            ("", "http://h/v1", "must have 1 to 40"),
            ("a/b", "http://h/v1", "must have 1 to 40"),
            ("a+raw", "http://h/v1", "must have 1 to 40"),
            ("lab", "http://h/v1", "there is a server of this name"),
            ("new", "h/v1", "not an address"),
            ("new", "file:///etc/passwd", "not an address"),
            ("new", "http://[::1/v1", "not an address"),
            ("new", "http://h:99999/v1", "not an address"),
            ("new", "http://user:pass@h/v1", "enter the key as API key"),
            ("new", "http://h/v1?key=x", "enter the key as API key"),
        ],
    )
    def test_names_and_addresses_are_checked(self, tmp_path: Path, name: str, url: str, words: str):
        (tmp_path / "servers.yaml").write_text("servers:\n  lab: {base_url: 'http://127.0.0.1:1/v1'}\n")
        with pytest.raises(BadInput, match=words):
            ServerBook(file=file_in(tmp_path)).save(ServerDraft(name=name, base_url=url))


class TestKeys:
    def test_a_key_in_the_keyring_survives_a_restart_and_is_in_no_file(
        self, tmp_path: Path, keyring: MemoryKeyring
    ):
        with lab() as url:
            book = ServerBook(file=file_in(tmp_path))
            book.save(ServerDraft(name="lab", base_url=url, key=KEY, key_place=KeyPlace.KEYRING))
            assert book.states()[0].status is ServerStatus.LISTED
            again = ServerBook(file=file_in(tmp_path))
            again.retry("lab")
            assert again.states()[0].status is ServerStatus.LISTED
        assert all(
            KEY.reveal().encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
        )
        again.remove("lab")
        assert keyring.passwords == {}

    def test_a_key_of_the_session_is_gone_after_a_restart_and_the_state_says_what_to_do(self, tmp_path: Path):
        with lab() as url:
            ServerBook(file=file_in(tmp_path)).save(ServerDraft(name="lab", base_url=url, key=KEY))
            again = ServerBook(file=file_in(tmp_path))
            again.retry("lab")
            (state,) = again.states()
        assert "it needs an API key" in state.reason
        assert "edit the server 'lab' on the Models tab, and enter its API key" in state.reason

    def test_a_variable_is_named_and_read(self, tmp_path: Path):
        with lab() as url:
            book = ServerBook(file=file_in(tmp_path, LAB_KEY=KEY.reveal()))
            draft = ServerDraft(name="lab", base_url=url, key_place=KeyPlace.VARIABLE, key_variable="LAB_KEY")
            book.save(draft)
            assert book.states()[0].status is ServerStatus.LISTED
        assert "key_variable: LAB_KEY" in (tmp_path / "servers.yaml").read_text()

    def test_without_the_package_the_other_places_are_named(self, tmp_path: Path, without_keyring: None):
        draft = ServerDraft(name="lab", base_url="http://h/v1", key=KEY, key_place=KeyPlace.KEYRING)
        with pytest.raises(
            BadInput, match=r"the package keyring is not installed .*keep the key for this session"
        ):
            ServerBook(file=file_in(tmp_path)).save(draft)
        assert not (tmp_path / "servers.yaml").exists()


class TestGuests:
    @pytest.fixture
    def book(self, tmp_path: Path) -> ServerBook:
        (tmp_path / "servers.yaml").write_text(
            "servers:\n  paid: {base_url: 'http://127.0.0.1:1/v1', key_variable: K, models: [small]}\n"
        )
        return ServerBook(file=file_in(tmp_path, K="sk"))

    @pytest.fixture
    def public(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Take the loopback servers of these tests for public ones."""
        monkeypatch.setattr(
            "workbench.engines.remote.transport.guarded_client._require_public", lambda *addresses: None
        )

    def test_a_guest_uses_and_sees_only_their_own_server(self, book: ServerBook, public: None):
        with lab() as url:
            book.of("ann").save(ServerDraft(name="mine", base_url=url, key=KEY))
            models = models_with(book)
            ann, bob = (models.with_paths(is_permitted=False, guest=name) for name in ("ann", "bob"))
            assert [state.server.name for state in book.of("ann").states()] == ["mine"]
            assert "openai:mine/hermes" in ann.names()
            assert ann.engine("openai:mine/hermes").device == url
            assert not book.of("bob").states()
            assert "openai:mine/hermes" not in bob.names()
            with pytest.raises(ModelMissing, match="add your own server"):
                bob.engine("openai:mine/hermes")
            assert "mine" not in book.named
        assert "mine" not in (book._file.path.read_text() if book._file else "")

    def test_a_guest_cannot_use_the_key_of_this_machine_by_another_mode(self, book: ServerBook):
        models = models_with(book).with_paths(is_permitted=False, guest="ann")
        assert models.engine("openai:paid/small+raw").name == "openai:paid/small+raw"
        for name in ("openai:paid/huge", "openai:paid/huge+raw", "openai:paid/huge+chat"):
            with pytest.raises(BadInput, match="no such model here"):
                models.engine(name)

    @pytest.mark.parametrize(
        "host",
        ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.64.0.1",
         "[::ffff:127.0.0.1]", "[fd00::1]", "[fe80::1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[::7f00:1]", "[::ffff:0:7f00:1]", "[fec0::2]", "[5f00::1]",
         "[2002:7f00:1::]", "2130706433", "0x7f.1",
         "224.0.0.1"],
    )  # fmt: skip
    def test_internal_addresses_are_refused_before_anything_is_sent(self, book: ServerBook, host: str):
        book.of("ann").save(ServerDraft(name="mine", base_url=f"http://{host}:9/v1", key=KEY))
        (state,) = book.of("ann").states()
        assert INTERNAL in state.reason

    def test_a_name_that_changes_its_address_after_it_was_checked_gets_nothing(
        self, book: ServerBook, monkeypatch: pytest.MonkeyPatch
    ):
        """DNS rebinding: the check sees a public address, the connection goes to this machine."""
        monkeypatch.setattr(
            "workbench.engines.remote.transport.guarded_client._addresses", lambda host: ["93.184.216.34"]
        )
        with lab() as url, scripted_server(said("Noon.")) as server:
            book.of("ann").save(ServerDraft(name="mine", base_url=server.url, key=KEY))
            assert INTERNAL in book.of("ann").states()[0].reason
            assert server.requests == []
            models = models_with(book).with_paths(is_permitted=False, guest="ann")
            with pytest.raises(RemoteFailed, match="not a public one"):
                models.check("openai:mine/x")
            assert url

    def test_servers_of_guests_are_limited_and_forgotten(self, tmp_path: Path, public: None):
        now = [0.0]
        book = ServerBook(file=file_in(tmp_path), clock=lambda: now[0])
        with scripted_server(refused(503, "loading")) as server:
            for number in range(MOST_GUEST_SERVERS):
                book.of("ann").save(ServerDraft(name=f"s{number}", base_url=server.url))
            with pytest.raises(BadInput, match="the limit"):
                book.of("ann").save(ServerDraft(name="more", base_url=server.url))
            book.of("ann").save(ServerDraft(name="s0", base_url=server.url, key=KEY), replaces="s0")
            assert len(book.of("ann").states()) == MOST_GUEST_SERVERS
        now[0] = GUEST_S + 1
        assert not book.of("ann").states()

    def test_without_an_identity_nothing_can_be_added(self, book: ServerBook):
        with pytest.raises(BadInput, match="cannot add a server here"):
            book.of("").save(ServerDraft(name="mine", base_url="https://example.org/v1"))

    def test_a_refused_name_gives_no_hints_for_operators(self):
        models = models_for().with_paths(is_permitted=False, guest="ann")
        with pytest.raises(Exception, match="add your own server on the Models tab") as caught:
            models.engine("openai:x")
        assert "WORKBENCH_" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "mode"),
    [("openai:lab/a", Mode.CHAT), ("openai:lab/a+raw", Mode.RAW), ("openai:rawer/a", Mode.RAW),
     ("openai:rawer/a+chat", Mode.CHAT), ("openai:lab/a+b", Mode.CHAT)],
)  # fmt: skip
def test_chat_or_raw_is_chosen_by_the_name_of_the_model(name: str, mode: Mode):
    servers = {
        "lab": Server(name="lab", base_url="http://127.0.0.1:1/v1"),
        "rawer": Server(name="rawer", base_url="http://127.0.0.1:1/v1", mode=Mode.RAW),
    }
    models = models_for(servers=servers)
    assert models.engine(name).capabilities.is_chat_only is (mode is Mode.CHAT)
    assert models.status(name).writes_tools is (mode is Mode.CHAT)
