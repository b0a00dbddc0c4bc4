"""Models that Hugging Face's Inference Providers serve, through the hub's router, which speaks OpenAI's protocol."""

from collections.abc import Callable
from typing import Final

from workbench.engines.remote.engine import RemoteEngine
from workbench.engines.remote.openai_api import open_openai
from workbench.engines.remote.server import Server
from workbench.settings import Secret

ROUTER_URL: Final = "https://router.huggingface.co/v1"
"""Where the hub hands requests on to the providers. *Source:* Inference Providers, "OpenAI-compatible API"."""


def open_hf_inference(
    repository: str,
    *,
    name: str,
    token: Secret | None,
    timeout_s: float,
    wait: Callable[[float], None],
    base_url: str | None = None,
) -> RemoteEngine:
    """A model of the hub as an engine; nothing is sent yet.

    Args:
        repository: `OWNER/NAME`, which takes the provider that the account prefers, or `OWNER/NAME:PROVIDER`.
        name: As `--model` takes it.
        token: Of the account that pays; the router cannot be asked without.
        timeout_s: How long a provider may be silent.
        wait: Lets seconds pass.
        base_url: An endpoint of one's own that speaks the same protocol; None asks the router.
    """
    server = Server(
        name="hf-inference",
        base_url=base_url or ROUTER_URL,
        key=token,
        needs_key=base_url is None,
        key_variable="HF_TOKEN, or sign in: on a Space with Hugging Face, elsewhere by `hf auth login`",
        timeout_s=timeout_s,
    )
    return open_openai(server, repository, name=name, wait=wait)


def stored_token() -> Secret | None:
    """The token of this machine's user, as huggingface_hub finds it; None where there is none."""
    from huggingface_hub import get_token

    token = get_token()
    return Secret(token) if token else None
