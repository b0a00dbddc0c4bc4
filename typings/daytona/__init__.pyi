"""As much of daytona as the terminal uses."""

from collections.abc import Mapping
from enum import Enum

class DaytonaError(Exception): ...
class DaytonaNotFoundError(DaytonaError): ...

class SandboxState(Enum):
    STARTED = "started"

class CreateSandboxFromImageParams:
    def __init__(
        self,
        *,
        image: str,
        name: str,
        labels: Mapping[str, str],
        network_block_all: bool,
        auto_stop_interval: int,
        auto_delete_interval: int,
        ttl_minutes: int,
    ) -> None: ...

class SessionExecuteRequest:
    def __init__(self, *, command: str, run_async: bool) -> None: ...

class SessionExecuteResponse:
    cmd_id: str

class Command:
    exit_code: int | None

class SessionCommandLogsResponse:
    output: str | None
    stdout: str | None

class Process:
    def exec(self, command: str, *, timeout: int) -> object: ...
    def create_session(self, session_id: str, *, request_timeout: float) -> None: ...
    def execute_session_command(
        self, session_id: str, req: SessionExecuteRequest, *, timeout: int
    ) -> SessionExecuteResponse: ...
    def get_session_command(self, session_id: str, command_id: str, *, request_timeout: float) -> Command: ...
    def get_session_command_logs(
        self, session_id: str, command_id: str, *, request_timeout: float
    ) -> SessionCommandLogsResponse: ...
    def delete_session(self, session_id: str, *, request_timeout: float) -> None: ...

class FileSystem:
    def upload_file(self, file: bytes, remote_path: str, timeout: int) -> None: ...
    def download_file(self, remote_path: str, timeout: int) -> bytes: ...

class Sandbox:
    state: SandboxState | None
    @property
    def process(self) -> Process: ...
    @property
    def fs(self) -> FileSystem: ...
    def refresh_data(self, *, request_timeout: float) -> None: ...
    def delete(self, timeout: float) -> None: ...

class Daytona:
    def create(self, params: CreateSandboxFromImageParams, *, timeout: float) -> Sandbox: ...
    def get(self, sandbox_id_or_name: str, *, request_timeout: float) -> Sandbox: ...
