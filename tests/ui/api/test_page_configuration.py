"""The configuration that Gradio writes into the page and returns to programs."""

import json
import re
from typing import Any
from urllib.request import Request, urlopen

from tests.served import Server

WRITTEN = re.compile(r"window\.gradio_config = (\{.*?\});</script>")


def configuration(server: Server, path: str, host: str) -> dict[str, Any]:
    with urlopen(Request(server.url + path, headers={"Host": host})) as response:
        text = response.read().decode()
    found = WRITTEN.search(text)
    return json.loads(found[1] if found else text)


def test_each_response_has_the_address_of_its_request(own_server: Server) -> None:
    port = own_server.url.rpartition(":")[2]
    hosts = [f"127.0.0.1:{port}", f"localhost:{port}", f"127.0.0.1:{port}"]
    for path in ("/", "/config"):
        found = [configuration(own_server, path, host) for host in hosts]
        assert [one.pop("root") for one in found] == [f"http://{host}" for host in hosts]
        assert found[0] == found[1] == found[2]
