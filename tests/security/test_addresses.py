"""Whose address a request has: proxies that the settings trust, entries that clients make up, networks of one person."""

import logging
from ipaddress import ip_address
from types import SimpleNamespace

import pytest

from workbench.app.clients import TrustedProxies, network_of
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.ui.request_scope import address_of

TRUSTED = "10.0.0.0/8, 127.0.0.1, 2001:db8:aaaa::/48"


def sender(trusted: str, peer: str, *lines: str, on_space: bool = False) -> str:
    variables = {"WORKBENCH_TRUSTED_PROXIES": trusted, **({"SPACE_ID": "a/b"} if on_space else {})}
    proxies = TrustedProxies(read_settings(variables).trusted_proxies)
    headers = [(b"x-forwarded-for", line.encode("latin-1")) for line in lines]
    scope = {"type": "http", "headers": headers, "client": (peer, 1234) if peer else None}
    assert proxies.resolved(scope)["client"] == (proxies.sender_of(scope), 0)
    return proxies.sender_of(scope)


@pytest.mark.parametrize(
    ("peer", "lines", "address"),
    [
        # Without a trusted proxy, the header does not count.
        ("203.0.113.7", (), "203.0.113.7"),
        ("203.0.113.7", ("9.9.9.9",), "203.0.113.7"),
        ("127.0.0.2", ("9.9.9.9",), "127.0.0.2"),
        ("11.0.0.1", ("9.9.9.9",), "11.0.0.1"),
        ("2001:db8:bbbb::1", ("9.9.9.9",), "2001:db8:bbbb::1"),
        # The last entry that is not a trusted proxy counts. The entries before it come from the client.
        ("127.0.0.1", ("9.9.9.9",), "9.9.9.9"),
        ("127.0.0.1", ("1.1.1.1, 9.9.9.9",), "9.9.9.9"),
        ("127.0.0.1", ("1.1.1.1, 9.9.9.9, 10.16.3.4",), "9.9.9.9"),
        ("127.0.0.1", ("127.0.0.1, 9.9.9.9",), "9.9.9.9"),
        ("2001:db8:aaaa::1", ("9.9.9.9",), "9.9.9.9"),
        ("127.0.0.1", ("9.9.9.9, 2001:db8:aaaa:1::7",), "9.9.9.9"),
        ("10.1.2.3", ("192.168.0.7",), "192.168.0.7"),
        # If all entries are trusted, the request comes from the first one.
        ("127.0.0.1", ("10.1.1.1, 10.2.2.2",), "10.1.1.1"),
        # A proxy may append a line of its own.
        ("127.0.0.1", ("1.1.1.1", "9.9.9.9"), "9.9.9.9"),
        ("127.0.0.1", ("1.1.1.1, 9.9.9.9", "10.0.0.9"), "9.9.9.9"),
        # Ports, brackets, zones, blanks, IPv4 in IPv6.
        ("127.0.0.1", ("9.9.9.9:4711",), "9.9.9.9"),
        ("127.0.0.1", ("[2001:db8::7]:443",), "2001:db8::7"),
        ("127.0.0.1", ("[2001:db8::7]",), "2001:db8::7"),
        ("127.0.0.1", ("fe80::1%eth0",), "fe80::1"),
        ("127.0.0.1", (" 9.9.9.9 ,, ",), "9.9.9.9"),
        ("127.0.0.1", ("::ffff:9.9.9.9",), "9.9.9.9"),
        ("::ffff:127.0.0.1", ("9.9.9.9",), "9.9.9.9"),
        ("127.0.0.1", ("9.9.9.9, ::ffff:10.0.0.3",), "9.9.9.9"),
        # What is not an address was not written by a trusted proxy about its client.
        ("127.0.0.1", ("9.9.9.9, unknown",), "127.0.0.1"),
        ("127.0.0.1", ("9.9.9.9, nonsense, 10.0.0.3",), "10.0.0.3"),
        ("127.0.0.1", ("x" * 5000,), "127.0.0.1"),
        ("127.0.0.1", ("", " , "), "127.0.0.1"),
        ("127.0.0.1", ("9.9.9.9\0",), "127.0.0.1"),
        ("127.0.0.1", ("999.1.1.1",), "127.0.0.1"),
        ("127.0.0.1", ("09.9.9.9",), "127.0.0.1"),
        ("", ("9.9.9.9",), ""),
        ("testclient", ("9.9.9.9",), ""),
    ],
)
def test_the_sender_is_the_last_address_that_is_not_a_trusted_proxy(
    peer: str, lines: tuple[str, ...], address: str
) -> None:
    assert sender(TRUSTED, peer, *lines) == address


@pytest.mark.parametrize(
    ("peer", "line", "address"),
    [
        ("10.0.0.1", "1.1.1.1, 9.9.9.9", "9.9.9.9"),
        ("10.0.0.1", "9.9.9.9, 10.16.3.4", "9.9.9.9"),
        ("10.0.0.1", "9.9.9.9, 172.16.3.4, 100.64.0.1, 192.168.1.1", "9.9.9.9"),
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "10.1.2.3", "10.1.2.3"),
        ("fd00::5", "2a01:4f8:1:2:3:4:5:6", "2a01:4f8:1:2:3:4:5:6"),
        # Somebody who reaches the Space's process without its proxy makes up nothing.
        ("9.9.9.9", "1.1.1.1", "9.9.9.9"),
    ],
)
def test_on_a_space_private_networks_are_trusted_unless_the_setting_says_otherwise(
    peer: str, line: str, address: str
) -> None:
    assert sender("", peer, line, on_space=True) == address
    assert sender("198.51.100.1", peer, line, on_space=True) == str(ip_address(peer))
    assert sender("", peer, line) == str(ip_address(peer))


@pytest.mark.parametrize(
    "text", ["proxy", "10.0.0.1/8", "10.0.0.0/33", "10.0.0", "*", "10.0.0.0-10.0.0.9", "127.0.0.1:80", "::1/129", "http://10.0.0.1"]
)  # fmt: skip
def test_a_bad_value_says_what_is_wrong_and_gives_an_example(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_settings({"WORKBENCH_TRUSTED_PROXIES": f"127.0.0.1, {text}"})
    assert "WORKBENCH_TRUSTED_PROXIES" in str(refused.value)
    assert repr(text) in str(refused.value) and "example: 127.0.0.1, 10.0.0.0/8" in str(refused.value)


@pytest.mark.parametrize(
    "text", ["::1", "[::1]", " ::1 ,", "10.0.0.0/8,::/0", "::ffff:10.0.0.0/104", "0.0.0.0/0"]
)
def test_addresses_and_networks_of_both_kinds_are_read(text: str) -> None:
    assert read_settings({"WORKBENCH_TRUSTED_PROXIES": text}).trusted_proxies


def test_an_ipv4_network_written_as_ipv6_is_an_ipv4_network() -> None:
    assert sender("::ffff:10.0.0.0/104", "10.9.9.9", "9.9.9.9") == "9.9.9.9"


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2a01:4f8:1:2:3:4:5:6", "2a01:4f8:1:2::/64"),
        ("::ffff:9.9.9.9", "9.9.9.9"),
        ("testclient", ""),
        ("", ""),
    ],
)
def test_a_person_has_all_addresses_of_an_ipv6_network(address: str, network: str) -> None:
    assert network_of(address) == network
    assert address_of(SimpleNamespace(client=SimpleNamespace(host=address))) == network
    assert address_of(SimpleNamespace(client=None)) == ""


def test_a_proxy_that_is_missing_in_the_settings_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    proxies = TrustedProxies(())
    with caplog.at_level(logging.WARNING):
        for peer in ("8.8.8.8", "127.0.0.1", "127.0.0.1", "10.0.0.7"):
            proxies.sender_of(
                {"type": "http", "headers": [(b"x-forwarded-for", b"9.9.9.9")], "client": (peer, 1)}
            )
    [record] = caplog.records
    assert "set WORKBENCH_TRUSTED_PROXIES=127.0.0.1" in record.getMessage()
