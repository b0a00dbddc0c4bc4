"""Read who is signed in with Hugging Face from the session of a request.

Gradio passes profiles to handlers only, and not to the checks before them.

*Gradio 6.31:* `oauth._add_oauth_routes`, `oauth.OAuthProfile`.
"""

import time
from collections.abc import Mapping
from typing import Any, cast

import gradio as gr


def profile_of(request: gr.Request) -> Mapping[str, Any] | None:
    """Return the profile of the signed-in user, or None if nobody is signed in or the sign-in has expired."""
    session = cast(Mapping[str, Any], getattr(request.request, "session", None) or {})
    info = cast(Mapping[str, Any], session.get("oauth_info") or {})
    expires_at = info.get("expires_at")
    if expires_at is not None and expires_at < time.time():
        return None
    return cast(Mapping[str, Any] | None, info.get("userinfo"))
