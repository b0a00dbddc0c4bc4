"""Keep API keys of servers: in the keyring of the operating system, or in the memory of this process.

*Source:* the documentation of keyring 25, `get_password`, `set_password` and `errors`.
"""

from pathlib import Path
from typing import Any, Final, cast

from workbench.engines.remote.server import KeyPlace
from workbench.errors import BadInput
from workbench.settings import Secret
from workbench.settings.extras import install_command

SERVICE: Final = "hermes-workbench"
"""Name of the service in the keyring."""
_OTHER_PLACES: Final = "keep the key for this session, or name a variable that holds it"


class ServerKeys:
    """The API keys that a person entered, by the name of the server."""

    def __init__(self, folder: Path) -> None:
        """Read nothing yet.

        Args:
            folder: The data folder. Each has its own keys in the keyring.
        """
        self._folder = folder.absolute()
        self._known: dict[str, Secret] = {}

    def read(self, name: str, place: KeyPlace) -> Secret | None:
        """Return the key of a server. None if there is none, or the keyring cannot be read.

        The keyring is asked once for each server, because it may ask the user for its password.
        """
        if name not in self._known and place is KeyPlace.KEYRING:
            try:
                found = _keyring().get_password(SERVICE, self._user(name))
            except Exception:  # noqa: BLE001 - without a usable keyring there is no key
                return None
            if found:
                self._known[name] = Secret(found)
        return self._known.get(name)

    def save(self, name: str, key: Secret, place: KeyPlace) -> None:
        """Keep a key.

        Raises:
            BadInput: There is no keyring, or it refuses the key.
        """
        if place is KeyPlace.KEYRING:
            try:
                _keyring().set_password(SERVICE, self._user(name), key.reveal())
            except BadInput:
                raise
            except Exception as error:  # noqa: BLE001 - a backend raises whatever its service does
                problem = key.redact(f"the keyring of this machine cannot be used ({_line(error)})")
                raise BadInput("API key", problem, _OTHER_PLACES) from None
        self._known[name] = key

    def forget(self, name: str) -> None:
        """Remove a key from the memory, and from the keyring if it is there."""
        self._known.pop(name, None)
        try:
            if _keyring().get_password(SERVICE, self._user(name)) is not None:
                _keyring().delete_password(SERVICE, self._user(name))
        except Exception:  # noqa: BLE001 - without a keyring there is nothing to remove
            return

    def _user(self, name: str) -> str:
        return f"{name} ({self._folder})"


def _keyring() -> Any:
    try:
        import keyring
    except ImportError:
        command = install_command("keyring")
        raise BadInput(
            "API key", "the package keyring is not installed", f"`{command}`, or {_OTHER_PLACES}"
        ) from None
    return cast(Any, keyring)


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:100]
