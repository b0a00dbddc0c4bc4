"""An MCP server over standard streams that misbehaves in the way that its first argument says.

It needs nothing but Python's own library, so that it starts quickly. Its last argument is a word by which a test finds
it, and what it started, among the processes of the machine.
"""

import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
WORD = sys.argv[-1]
TOOL = {
    "name": "add",
    "description": "Add.",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}},
}


def send(**fields: object) -> None:
    write(json.dumps({"jsonrpc": "2.0", **fields}) + "\n")


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def forever(text: str) -> None:
    while True:
        write(text)


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def listing(cursor: object) -> dict[str, object]:
    """Return the answer to `tools/list`."""
    if MODE == "endless pages":
        return {"tools": [], "nextCursor": f"{cursor or ''}x"}
    if MODE == "circular pages":
        return {"tools": [TOOL], "nextCursor": "again"}
    if MODE == "many tools":
        return {
            "tools": [{**TOOL, "name": f"t{number}"} for number in range(400)],
            "nextCursor": f"{time.time()}",
        }
    if MODE == "odd tools":
        huge = {"type": "object", "description": "x" * 300_000}
        others = [
            {"name": "deep", "inputSchema": {"type": "object", "properties": deep(100)}},
            {"name": "huge", "inputSchema": huge},
            {**TOOL, "name": "wordy", "description": "word " * 50_000},
        ]
        return {"tools": [TOOL, *others]}
    if MODE == "wrong list":
        return {"tools": "none"}
    return {"tools": [TOOL]}


def call(number: object) -> None:
    """Answer `tools/call`."""
    if MODE == "dies in a call":
        os._exit(3)
    if MODE == "never answers a call":
        return
    if MODE == "big answer":
        send(id=number, result={"content": [{"type": "text", "text": "x" * 6_000_000}]})
    elif MODE == "deep answer":
        send(id=number, result={"content": [], "structuredContent": deep(100)})
    elif MODE == "wrong answer":
        send(id=number, result={"content": 5})
    elif MODE == "garbage in a call":
        forever("this is not a message\n")
    elif MODE == "floods in a call":
        forever(
            '{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}\n'
        )
    elif MODE == "changes its tools without end":
        forever('{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}\n')
    else:
        send(id=number, result={"content": [{"type": "text", "text": "3"}]})


def start() -> None:
    """Misbehave before listening."""
    if MODE in ("stubborn", "silent"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        for is_apart in (False, True):
            subprocess.Popen([sys.executable, "-c", code, WORD], start_new_session=is_apart)
    if MODE == "leaves a child behind":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", WORD])
    if MODE == "ends at once":
        sys.exit(3)
    if MODE == "garbage":
        forever("Traceback (most recent call last):\n")
    if MODE == "binary garbage":
        sys.stdout.buffer.write(bytes(range(256)) * 10_000)
        sys.stdout.buffer.flush()
        forever("\n\x00\x01\n")
    if MODE == "a line without end":
        forever("x" * 65_536)
    if MODE == "nested without end":
        forever("[" * 100_000 + "\n")
    if MODE == "greets":
        write("Welcome!\nVersion 1\n\n")
    if MODE == "noisy on standard error":
        for _ in range(20_000):
            sys.stderr.write("Traceback (most recent call last):\n" * 20)
    if MODE == "silent":
        time.sleep(600)


def main() -> None:
    start()
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize" and MODE == "refuses to begin":
            send(id=number, error={"code": -1, "message": "no " * 5_000})
        elif method == "initialize" and MODE == "ends in the greeting":
            sys.exit(0)
        elif method == "initialize":
            info = {"name": "test", "version": "1"}
            capabilities = {"tools": {"listChanged": True}}
            result = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info}
            send(id=number, result=result)
        elif method == "tools/list":
            send(id=number, result=listing((message.get("params") or {}).get("cursor")))
        elif method == "tools/call":
            call(number)
        elif number is not None:
            send(id=number, result={})
    if MODE == "stubborn":
        # Its input is closed, and it stays.
        time.sleep(600)


if __name__ == "__main__":
    main()
