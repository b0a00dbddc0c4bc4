"""A local server that accepts datasets like the hub; huggingface_hub's client connects to it."""

import base64
import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class HubServer:
    """Requests that the server got."""

    def __init__(self, address):
        self.address = address
        self.created = []
        self.files = {}
        self.tokens = set()
        self.messages = []


@contextmanager
def serving_hub(token):
    """Start a server that accepts one access token."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            hub.tokens.add(given)
            if given != token:
                return self._answer(401, {"error": "Invalid username or password."})
            if self.path == "/api/repos/create":
                fields = json.loads(body)
                hub.created.append(fields)
                name = f"{fields.get('organization', 'me')}/{fields['name']}"
                return self._answer(200, {"url": f"{hub.address}/datasets/{name}", "name": name, "id": "1"})
            if self.path == "/api/validate-yaml":
                return self._answer(200, {"errors": [], "warnings": []})
            if "/preupload/" in self.path:
                files = [
                    {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                    for file in json.loads(body)["files"]
                ]
                return self._answer(200, {"files": files})
            if "/commit/" in self.path:
                for line in body.splitlines():
                    entry = json.loads(line)
                    if entry["key"] == "header":
                        hub.messages.append(entry["value"]["summary"])
                    else:
                        hub.files[entry["value"]["path"]] = base64.b64decode(entry["value"]["content"])
                answer = {
                    "commitOid": "0" * 40,
                    "commitUrl": f"{hub.address}/datasets/me/set/commit/{'0' * 40}",
                }
                return self._answer(200, answer)
            return self._answer(404, {"error": self.path})

        def _answer(self, status, fields):
            data = json.dumps(fields).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub = HubServer(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
