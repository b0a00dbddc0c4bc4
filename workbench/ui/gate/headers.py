"""The security headers of every response."""

from dataclasses import dataclass
from typing import Final, Self

from starlette.datastructures import MutableHeaders

from workbench.settings import Settings
from workbench.ui.gate.routes import RouteKind

HUB: Final = "https://huggingface.co"
"""The site that shows Spaces in a frame."""
# Headers that let other origins read responses. Gradio sets them for any origin.
_CORS: Final = "access-control-"
_PERMISSIONS: Final = ", ".join(
    f"{name}=()"
    for name in ("camera", "microphone", "geolocation", "payment", "usb", "serial", "midi", "display-capture")
)
_NO_STORE: Final = "no-store"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityHeaders:
    """Headers that restrict what the page may do in a browser, and who may show it in a frame."""

    frame_ancestors: tuple[str, ...]
    """Origins, in addition to our own, whose pages may show ours in a frame."""
    is_on_space: bool

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Create the headers for these settings."""
        return cls(
            frame_ancestors=(*((HUB,) if settings.is_on_space else ()), *settings.frame_ancestors),
            is_on_space=settings.is_on_space,
        )

    def apply(self, headers: MutableHeaders, kind: RouteKind | None, nonce: str) -> None:
        """Set the headers on a response, and remove the CORS headers."""
        for name in {name for name in headers if name.startswith(_CORS)}:
            del headers[name]
        headers["Content-Security-Policy"] = self._policy(kind, nonce)
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        headers["Permissions-Policy"] = _PERMISSIONS
        if not self.frame_ancestors:
            headers["X-Frame-Options"] = "SAMEORIGIN"
        if not self.is_on_space:
            # Signing in on a Space may open another window, which returns to this one.
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
            headers["Cross-Origin-Resource-Policy"] = "same-origin"
        if kind is not RouteKind.ASSET:
            headers.setdefault("Cache-Control", _NO_STORE)

    def _policy(self, kind: RouteKind | None, nonce: str) -> str:
        ancestors = " ".join(("frame-ancestors 'self'", *self.frame_ancestors))
        if kind is RouteKind.REPORT:
            # A report loads nothing; only its own scripts run. Inline styles are its design. The form is that of the
            # login, which is shown at the report's address.
            return (
                f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; base-uri 'none'; "
                f"form-action 'self'; {ancestors}"
            )
        if kind not in (RouteKind.PAGE, RouteKind.LOGIN, RouteKind.LOGOUT, RouteKind.ASSET):
            # Visitors' files and API responses are never shown as a page.
            return f"default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; {ancestors}"
        # Gradio evaluates the scripts of events, so `unsafe-eval` is needed. A script or an `onerror` in a model's
        # text has no nonce. Gradio sets inline styles everywhere.
        return "; ".join(
            (
                "default-src 'self'",
                f"script-src 'self' 'unsafe-eval' 'nonce-{nonce}'",
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
