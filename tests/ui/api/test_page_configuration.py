"""The configuration that Gradio writes into the page and returns to programs."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.served import Server, served, write_script

WRITTEN = re.compile(r"window\.gradio_config = (\{.*?\});</script>")
LOGO = "/gradio_api/file="
"""How the address of the icon on the button that signs in begins, and of no other file of the page."""


@pytest.fixture(scope="module")
def login_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The page as on a Space that signs visitors in. The provider is only asked when somebody does."""
    folder = tmp_path_factory.mktemp("login")
    script = write_script(folder / "script.yaml", "Hello.")
    space = {"SPACE_ID": "someone/workbench", "SYSTEM": "spaces", "WORKBENCH_HOST": "127.0.0.1"}
    client = {"OAUTH_CLIENT_ID": "x", "OAUTH_CLIENT_SECRET": "x", "OAUTH_SCOPES": "openid profile"}
    provider = {"OPENID_PROVIDER_URL": "http://127.0.0.1:1"}
    yield from served(folder, f"scripted:{script}", **space, **client, **provider)


def configuration(server: Server, path: str, host: str) -> dict[str, Any]:
    with urlopen(Request(server.url + path, headers={"Host": host})) as response:
        text = response.read().decode()
    found = WRITTEN.search(text)
    return json.loads(found[1] if found else text)


@pytest.mark.parametrize(
    ("place", "logos"), [("own_server", 0), ("login_server", 1)], ids=["own machine", "Space with login"]
)
@pytest.mark.parametrize("path", ["/", "/config"])
@pytest.mark.slow
def test_each_response_has_the_address_of_its_request(
    request: pytest.FixtureRequest, place: str, logos: int, path: str
) -> None:
    server: Server = request.getfixturevalue(place)
    port = server.url.rpartition(":")[2]
    hosts = [f"localhost:{port}", f"127.0.0.1:{port}", f"localhost:{port}"]
    found = [configuration(server, path, host) for host in hosts]
    for host, config in zip(hosts, found, strict=True):
        assert config["root"] == f"http://{host}"
        assert json.dumps(config).count(f"http://{host}{LOGO}") == logos
    texts = [
        json.dumps(config, sort_keys=True).replace(f"http://{host}", "")
        for host, config in zip(hosts, found, strict=True)
    ]
    assert texts[0] == texts[1] == texts[2]
