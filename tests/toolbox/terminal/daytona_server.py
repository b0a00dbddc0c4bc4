"""The part of Daytona's REST protocol that the terminal uses, on the loopback interface, for the real package `daytona`.

Paths and names of fields are those of `daytona_api_client` and `daytona_toolbox_api_client`, which are installed with
`daytona`. Other paths answer 404.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from tests.toolbox.terminal.cloud_machine import CloudMachine

BOUNDARY = "part-of-this-test"


class DaytonaServer:
    """Sandboxes that are machines of this test. `url` is where they are reached."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._numbers = count(1)
        self._machines = {}
        """By id of the sandbox."""
        self._requests = {}
        """What was asked for, by id of the sandbox."""
        self._processes = {}
        """By id of the sandbox and names of the session and its command."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def networks(self):
        """Whether sandboxes were asked for without network."""
        return {request["networkBlockAll"] for request in self._requests.values()}

    def close(self):
        for machine in self._machines.values():
            machine.end()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def answer(self, method, path, body, content_type):
        """Return the status and the JSON or bytes that answer a request."""
        for route, handler in ROUTES.items():
            wanted, _, pattern = route.partition(" ")
            if method == wanted and (found := re.fullmatch(pattern, path)):
                if not found.groupdict().keys() >= {"sandbox"}:
                    return handler(self, body)
                sandbox = self._find(found["sandbox"])
                if sandbox is None:
                    return 404, {"statusCode": 404, "message": "no such sandbox"}
                rest = [part for name, part in found.groupdict().items() if name != "sandbox"]
                return handler(self, sandbox, *rest, body)
        return 404, {"statusCode": 404, "message": f"{path} is not part of this test"}

    def create(self, body):
        request = json.loads(body)
        if self._find(request["name"]):
            return 409, {"statusCode": 409, "message": "the name is in use"}
        sandbox = f"id-{next(self._numbers)}"
        self._machines[sandbox] = CloudMachine(request["name"], self._folder / sandbox)
        self._requests[sandbox] = request
        return 200, self._described(sandbox)

    def get(self, sandbox, body):
        return 200, self._described(sandbox)

    def delete(self, sandbox, body):
        self._machines[sandbox].end()
        return 200, self._described(sandbox)

    def execute(self, sandbox, body):
        process = self._machines[sandbox].start(json.loads(body)["command"])
        return 200, {"exitCode": process.process.wait(), "result": ""}

    def create_session(self, sandbox, body):
        self._processes[sandbox, json.loads(body)["sessionId"]] = {}
        return 201, {}

    def delete_session(self, sandbox, session, body):
        del self._processes[sandbox, session]
        return 204, {}

    def execute_in_session(self, sandbox, session, body):
        request = json.loads(body)
        assert request["runAsync"]
        command = f"command-{next(self._numbers)}"
        self._processes[sandbox, session][command] = self._machines[sandbox].start(request["command"])
        return 202, {"cmdId": command}

    def command(self, sandbox, session, command, body):
        exit_code = self._processes[sandbox, session][command].exit_code
        return 200, {"id": command, "command": "", **({} if exit_code is None else {"exitCode": exit_code})}

    def logs(self, sandbox, session, command, body):
        output = self._processes[sandbox, session][command].output
        out, err = (output[name].decode("utf-8", "replace") for name in ("stdout", "stderr"))
        return 200, {"output": out + err, "stdout": out, "stderr": err}

    def upload(self, sandbox, body):
        parts = dict(parts_of(body))
        try:
            self._inside(sandbox, parts["files[0].path"].decode()).write_bytes(parts["files[0].file"])
        except OSError as error:
            return 400, {"errors": [str(error)]}
        return 200, {}

    def download(self, sandbox, body):
        path = json.loads(body)["paths"][0]
        try:
            data, kind, content_type = (
                self._inside(sandbox, path).read_bytes(),
                "file",
                "application/octet-stream",
            )
        except OSError as error:
            data = json.dumps({"message": str(error), "statusCode": 404, "code": "FILE_NOT_FOUND"}).encode()
            kind, content_type = "error", "application/json"
        quoted = path.replace("\\", "\\\\").replace('"', '\\"')
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{kind}"; filename="{quoted}"\r\n'
        tail = f"\r\n--{BOUNDARY}--\r\n".encode()
        return 200, head.encode() + f"Content-Type: {content_type}\r\n\r\n".encode() + data + tail

    def _find(self, name_or_id):
        for sandbox, machine in self._machines.items():
            if machine.is_running and name_or_id in (sandbox, machine.name):
                return sandbox
        return None

    def _inside(self, sandbox, path):
        """Return the path on this machine of an absolute path in a sandbox."""
        return self._machines[sandbox].tmp / Path(path).relative_to("/tmp")

    def _described(self, sandbox):
        machine, request = self._machines[sandbox], self._requests[sandbox]
        return {
            "id": sandbox, "organizationId": "o", "name": machine.name, "user": "daytona", "env": {},
            "labels": request["labels"], "public": False, "networkBlockAll": request["networkBlockAll"],
            "kvm": False, "target": "test", "cpu": 1, "gpu": 0, "memory": 1, "disk": 1,
            "state": "started" if machine.is_running else "destroyed", "toolboxProxyUrl": f"{self.url}/toolbox",
        }  # fmt: skip

    def _handler(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Transfer-Encoding") == "chunked":
                    body = b"".join(chunks_of(self.rfile))
                status, answer = server.answer(
                    self.command, urlsplit(self.path).path, body, self.headers.get("Content-Type")
                )
                is_json = isinstance(answer, dict)
                data = json.dumps(answer).encode() if is_json else answer
                content_type = "application/json" if is_json else f"multipart/form-data; boundary={BOUNDARY}"
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                if status != 204:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if status != 204:
                    self.wfile.write(data)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, format, *arguments):
                pass

        return Handler


def chunks_of(file):
    """Yield the chunks of a body with `Transfer-Encoding: chunked`."""
    while size := int(file.readline(), 16):
        yield file.read(size)
        file.readline()
    file.readline()


def parts_of(body):
    """Yield name and content of each part of a multipart body."""
    boundary = body.split(b"\r\n", 1)[0]
    for part in body.split(boundary)[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = re.search(rb' name="([^"]*)"', head)
        assert name is not None
        yield name[1].decode(), content.removesuffix(b"\r\n")


_BOX, _SESSION = "/toolbox/(?P<sandbox>[^/]+)", "(?P<session>[^/]+)"
ROUTES = {
    "POST /sandbox": DaytonaServer.create,
    "GET /sandbox/(?P<sandbox>[^/]+)": DaytonaServer.get,
    "DELETE /sandbox/(?P<sandbox>[^/]+)": DaytonaServer.delete,
    f"POST {_BOX}/process/execute": DaytonaServer.execute,
    f"POST {_BOX}/process/session": DaytonaServer.create_session,
    f"DELETE {_BOX}/process/session/{_SESSION}": DaytonaServer.delete_session,
    f"POST {_BOX}/process/session/{_SESSION}/exec": DaytonaServer.execute_in_session,
    f"GET {_BOX}/process/session/{_SESSION}/command/(?P<command>[^/]+)": DaytonaServer.command,
    f"GET {_BOX}/process/session/{_SESSION}/command/(?P<command>[^/]+)/logs": DaytonaServer.logs,
    f"POST {_BOX}/files/bulk-upload": DaytonaServer.upload,
    f"POST {_BOX}/files/bulk-download": DaytonaServer.download,
}
