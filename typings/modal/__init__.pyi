"""As much of modal as the terminal uses."""

from typing import Literal

from modal import container_process as container_process
from modal import exception as exception

class App:
    @staticmethod
    def lookup(name: str, *, create_if_missing: bool = False) -> App: ...

class Image:
    @staticmethod
    def from_registry(tag: str) -> Image: ...

class Sandbox:
    @staticmethod
    def create(
        *args: str,
        app: App,
        image: Image,
        name: str,
        timeout: int,
        idle_timeout: int,
        block_network: bool,
    ) -> Sandbox: ...
    @staticmethod
    def from_name(app_name: str, name: str) -> Sandbox: ...
    def exec(
        self, *args: str, text: Literal[False], pty: bool
    ) -> container_process.ContainerProcess[bytes]: ...
    def poll(self) -> int | None: ...
    def terminate(self) -> None: ...
