"""The security headers of every response."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

from starlette.datastructures import MutableHeaders

from workbench.settings import Settings
from workbench.ui.gate.routes import RouteKind

HUB: Final = "https://huggingface.co"
"""Where a Space is shown in a frame."""
# What answers to scripts of other origins, set by Gradio for any of them.
_CORS: Final = "access-control-"
_PERMISSIONS: Final = ", ".join(
    f"{name}=()"
    for name in ("camera", "microphone", "geolocation", "payment", "usb", "serial", "midi", "display-capture")
)
_NOT_KEPT: Final = "no-store"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityHeaders:
    """What tells browsers how little the page needs, and who may show it in a frame."""

    frame_ancestors: tuple[str, ...]
    """Origins whose pages may show ours in a frame, besides itself."""
    script_hashes: tuple[str, ...]
    """Of inline scripts that Gradio adds to the page in the browser, as sources of the policy."""
    is_on_space: bool

    @classmethod
    def of(cls, settings: Settings, scripts: Sequence[str]) -> Self:
        """Make them for these settings; `scripts` are inline scripts that the page adds to itself."""
        return cls(
            frame_ancestors=(*((HUB,) if settings.is_on_space else ()), *settings.frame_ancestors),
            script_hashes=tuple(
                f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts
            ),
            is_on_space=settings.is_on_space,
        )

    def apply(self, headers: MutableHeaders, kind: RouteKind | None, nonce: str) -> None:
        """Set them on an answer, and take off what opens it to other origins."""
        for name in {name for name in headers if name.startswith(_CORS)}:
            del headers[name]
        headers["Content-Security-Policy"] = self._policy(kind, nonce)
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        headers["Permissions-Policy"] = _PERMISSIONS
        if not self.frame_ancestors:
            headers["X-Frame-Options"] = "SAMEORIGIN"
        if not self.is_on_space:
            # Signing in on a Space may open another window, which comes back.
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
            headers["Cross-Origin-Resource-Policy"] = "same-origin"
        if kind is not RouteKind.ASSET:
            headers.setdefault("Cache-Control", _NOT_KEPT)

    def _policy(self, kind: RouteKind | None, nonce: str) -> str:
        ancestors = " ".join(("frame-ancestors 'self'", *self.frame_ancestors))
        if kind not in (RouteKind.PAGE, RouteKind.LOGIN, RouteKind.LOGOUT, RouteKind.ASSET):
            # Files of visitors and answers of the API are never a page.
            return f"default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; {ancestors}"
        # Gradio's own components evaluate the scripts that come with them, so `unsafe-eval` must stay; a script in the
        # text of a model has no nonce, and neither has an `onerror`. Styles are set inline everywhere.
        scripts = " ".join(("'self'", "'unsafe-eval'", f"'nonce-{nonce}'", *self.script_hashes))
        return "; ".join(
            (
                "default-src 'self'",
                f"script-src {scripts}",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                "media-src 'self' data: blob:",
                "worker-src 'self' blob:",
                "connect-src 'self' data: blob:",
                "frame-src 'self'",
                "object-src 'none'",
                "base-uri 'self'",
                "form-action 'self'",
                ancestors,
            )
        )
