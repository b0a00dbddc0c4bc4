"""What the gate adds to the ASGI scope of a request, and what is read from a request in several rooms."""

from typing import Any, Final, cast

from workbench.app.clients import network_of

OWNER: Final = "workbench.owner"
"""The key of who sent the request, as the gate knows them."""
USER: Final = "workbench.user"
"""The key of the account's name; only set if somebody is logged in."""
NONCE: Final = "workbench.nonce"
"""The key of the nonce that the page's scripts need in order to run."""
KEY_HEADER: Final = "x-workbench-key"
"""The header of an API call with a secret of at least 32 characters that identifies the caller."""


def address_of(request: object) -> str:
    """Return the network address of a request's sender, which the gate has determined. Empty if there is none.

    Args:
        request: A request of Gradio or Starlette.
    """
    return network_of(str(getattr(cast(Any, getattr(request, "client", None)), "host", "") or ""))
