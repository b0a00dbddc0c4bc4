"""Keys of the gateway: random ones with a keyed hash, chosen ones with a slow hash, and floods of wrong ones."""

import asyncio
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import Headers
from typer.testing import CliRunner

from tests.aside import run_aside
from tests.gateway.serving import ANSWER, gateway_over
from workbench.app.api_keys import SECRET_FILE, check_key_hash, hash_key, new_key, server_secret
from workbench.app.passwords import hash_password
from workbench.cli.app import build_app
from workbench.errors import BadInput
from workbench.gateway.faults import RequestFault
from workbench.gateway.keys import GatewayKeys
from workbench.settings import read_settings

SECRET = b"5" * 64
HERE, THERE = "9.9.9.9", "9.9.9.10"


def bearer(key: str) -> Headers:
    return Headers({"authorization": f"Bearer {key}"})


async def name_or_status(keys: GatewayKeys, key: str, address: str = HERE) -> str | int:
    try:
        return await keys.name_of(bearer(key), address)
    except RequestFault as fault:
        return fault.status


def never(key: str, hashed: str) -> bool:
    raise AssertionError("scrypt is only for secrets that somebody chose")


def test_a_random_key_is_recognized_without_scrypt() -> None:
    ann, bob = new_key(), new_key()
    keys = GatewayKeys({"ann": hash_key(ann, SECRET), "bob": hash_key(bob, SECRET)}, SECRET, check=never)

    async def all_of() -> list[str | int]:
        tried = (
            bob,
            ann,
            new_key(),
            f"{ann}x",
            ann[:-1],
            ann.upper(),
            hash_key(ann, SECRET),
            "\xff",
            "ä" * 500,
        )
        return [await name_or_status(keys, key) for key in tried]

    assert run_aside(all_of()) == ["bob", "ann", *[401] * 7]
    assert len({new_key() for _ in range(100)}) == 100 and len(ann) > 40


def test_a_flood_of_wrong_keys_costs_nothing_where_all_keys_are_random() -> None:
    key = new_key()
    keys = GatewayKeys({"ann": hash_key(key, SECRET)}, SECRET, check=never)

    async def flood() -> str | int:
        for number in range(20_000):
            assert await name_or_status(keys, f"wrong{number}") == 401
        return await name_or_status(keys, key)

    started_s = time.process_time()
    assert run_aside(flood()) == "ann"
    assert time.process_time() - started_s < 5


def test_old_hashes_are_valid_beside_new_ones_and_are_checked_once_for_each_address() -> None:
    checked: list[str] = []

    def check(key: str, hashed: str) -> bool:
        checked.append(key)
        return key == "old secret"

    key = new_key()
    hashes = {"old": hash_password("old secret", n=2**4), "new": hash_key(key, SECRET)}
    keys = GatewayKeys(hashes, SECRET, check=check)

    async def used() -> None:
        for _ in range(3):
            for address in (HERE, THERE):
                assert await name_or_status(keys, "old secret", address) == "old"
                assert await name_or_status(keys, key, address) == "new"
                assert await name_or_status(keys, "wrong", address) == 401
        at_once = [name_or_status(keys, "old secret", "9.9.9.11") for _ in range(30)]
        assert await asyncio.gather(*at_once) == ["old"] * 30

    run_aside(used())
    assert checked == ["old secret", "wrong", "old secret", "old secret"]


def test_wrong_keys_are_counted_by_address_and_others_come_first() -> None:
    order, gate = list[str](), threading.Event()

    def check(key: str, hashed: str) -> bool:
        gate.wait(30)
        order.append(key)
        return key == "right"

    async def flooded() -> None:
        keys = GatewayKeys({"ann": hash_password("right", n=2**4)}, SECRET, check=check)
        gate.set()
        for number in range(3):
            assert await name_or_status(keys, f"before{number}") == 401
        gate.clear()
        flood = [asyncio.create_task(name_or_status(keys, f"flood{number}")) for number in range(100)]
        await asyncio.sleep(0)
        other = asyncio.create_task(name_or_status(keys, "right", THERE))
        await asyncio.sleep(0)
        gate.set()
        assert await other == "ann"
        assert order[3] in ("flood0", "flood99") and order[4] == "right"
        statuses = await asyncio.gather(*flood)
        assert 64 <= statuses.count(401) <= 65 and set(statuses) == {401, 429}
        assert await name_or_status(keys, "right", HERE) == "ann"

    run_aside(flooded())


def test_many_addresses_cannot_fill_the_line() -> None:
    gate = threading.Event()

    def check(key: str, hashed: str) -> bool:
        gate.wait(30)
        return key == "right"

    async def flooded() -> None:
        keys = GatewayKeys({"ann": hash_password("right", n=2**4)}, SECRET, check=check)
        gate.set()
        for number in range(10):
            await name_or_status(keys, f"wrong{number}", f"8.8.8.{number}")
        gate.clear()
        flood = [
            asyncio.create_task(name_or_status(keys, f"flood{number}", f"8.8.8.{number % 10}"))
            for number in range(600)
        ]
        await asyncio.sleep(0)
        right = asyncio.create_task(name_or_status(keys, "right", HERE))
        await asyncio.sleep(0)
        gate.set()
        assert await right == "ann"
        for task in flood:
            task.cancel()
        await asyncio.gather(*flood, return_exceptions=True)
        assert await asyncio.wait_for(name_or_status(keys, "right", THERE), 30) == "ann"

    run_aside(flooded())


@pytest.mark.slow
def test_a_right_key_is_answered_while_forty_clients_send_wrong_ones(tmp_path: Path) -> None:
    key = new_key()
    hashes = {
        "root": hash_key(key, server_secret(tmp_path / "data")),
        "old": hash_password("chosen", n=2**8),
    }
    ended = threading.Event()

    def wrong(url: str, number: int) -> set[int]:
        statuses = set[int]()
        with httpx.Client(base_url=url, timeout=60) as client:
            for attempt in range(10_000):
                if ended.is_set():
                    break
                headers = {"Authorization": f"Bearer wrong-{number}-{attempt}"}
                statuses.add(client.get("/v1/models", headers=headers).status_code)
        return statuses

    with (
        gateway_over(tmp_path, ANSWER, gateway_keys=hashes, data=tmp_path / "data") as gateway,
        ThreadPoolExecutor(40) as pool,
    ):
        floods = [pool.submit(wrong, gateway.url, number) for number in range(40)]
        try:
            time.sleep(0.5)
            for right in (key, "chosen", key):
                answer = gateway.client.get("/v1/models", headers={"Authorization": f"Bearer {right}"})
                assert answer.status_code == 200, (right, answer.text)
        finally:
            ended.set()
        assert set.union(*(flood.result() for flood in floods)) <= {401, 429}


def test_the_secret_of_the_server_is_made_once_and_is_private(tmp_path: Path) -> None:
    secret = server_secret(tmp_path / "data")
    assert server_secret(tmp_path / "data") == secret != server_secret(tmp_path / "other")
    file = tmp_path / "data" / SECRET_FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for content in (b"", b"short", b"x" * 65):
        file.write_bytes(content)
        with pytest.raises(BadInput, match="does not hold a secret"):
            server_secret(tmp_path / "data")


@pytest.mark.parametrize(
    ("hashed", "problem"),
    [
        (hash_key("wb-x", b"6" * 64), "made with another data folder"),
        ("hmac.", "not valid"),
        ("hmac.12345678", "not valid"),
        (hash_key("wb-x", SECRET)[:-1], "not valid"),
        (hash_key("wb-x", SECRET) + ".x", "not valid"),
        ("hmacx", "not valid"),
        ("", "not valid"),
    ],
)
def test_a_hash_that_cannot_be_right_is_refused_at_the_start(hashed: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem) as refused:
        GatewayKeys({"ann": hashed}, SECRET)
    assert "WORKBENCH_GATEWAY_KEYS, key 'ann'" in str(refused.value)
    check_key_hash(hash_key("wb-x", SECRET), SECRET, "here")


def test_the_command_prints_the_key_and_the_setting_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    made = CliRunner().invoke(build_app(), ["auth", "key", "agent"])
    assert made.exit_code == 0
    name, _, hashed = made.stdout.strip().partition(":")
    key = made.stderr.strip().rpartition(" ")[2]
    keys = GatewayKeys({name: hashed}, server_secret(tmp_path), check=never)
    assert run_aside(name_or_status(keys, key)) == "agent"
    assert key not in made.stdout
    refused = CliRunner().invoke(build_app(), ["auth", "key", "a:b"])
    assert isinstance(refused.exception, BadInput)


def test_old_hashes_need_no_secret_in_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    variables = {
        "WORKBENCH_DATA": str(folder),
        "WORKBENCH_GATEWAY_KEYS": f"ann:{hash_password('old', n=2**4)}",
    }
    assert run_aside(name_or_status(GatewayKeys.of(read_settings(variables)), "old")) == "ann"
    assert not folder.exists()
    (folder / SECRET_FILE).mkdir(parents=True)
    variables["WORKBENCH_GATEWAY_KEYS"] = f"ann:{hash_key(new_key(), SECRET)}"
    with pytest.raises(BadInput, match=r"gateway\.secret.*set WORKBENCH_DATA"):
        GatewayKeys.of(read_settings(variables))
