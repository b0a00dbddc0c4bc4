"""The API as JavaScript programs use it: @gradio/client with a real server."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.served import Server
from tests.toolbox.mcp.peers import npm_package

pytestmark = pytest.mark.long

BROKEN = '<tool_call>\n{"name": "get_flumbuster", "arguments": {"flumb": "cairo",}}\n</tool_call>'
PROGRAM = """
import { Client } from "@gradio/client";

const app = await Client.connect(process.argv[2]);
const [read] = (await app.predict("/parse", { text: process.argv[3] })).data;
const api = await app.view_api();
const messages = [];
for (const wrong of [{ txt: "x" }, { text: "", tools: [] }]) {
  const endpoint = "txt" in wrong ? "/parse" : "/chat";
  await app.predict(endpoint, wrong).catch((error) => messages.push(error.message));
}
console.log(JSON.stringify({ read: JSON.parse(read), names: Object.keys(api.named_endpoints), messages }));
process.exit(0);
"""


def test_a_program_calls_functions_and_sees_their_errors(own_server: Server, tmp_path: Path) -> None:
    npm_package(tmp_path, "@gradio/client")
    (tmp_path / "program.mjs").write_text(PROGRAM)
    done = subprocess.run(
        ["node", "program.mjs", own_server.url, BROKEN],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.strip().splitlines()[-1])
    assert [call["name"] for call in result["read"]["calls"]] == ["get_flumbuster"]
    assert [fix["code"] for fix in result["read"]["fixes"]] == ["trailing-comma"]
    assert {"/parse", "/chat", "/run"} <= set(result["names"])
    # The first message is the client's own, the second one is ours.
    assert result["messages"] == [
        "No value provided for required parameter: text",
        "text: the message is empty (write what to ask)",
    ]
