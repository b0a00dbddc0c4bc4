"""Refuse an upload in the way that Gradio expects, so that it removes the files that it has started to write.

Gradio removes them after a `MultiPartException`, and answers with status 413 only if it has exactly this message.

*Gradio 6.31:* `route_utils.GradioMultiPartParser.parse`, `routes.App.create_app`.
"""

from starlette.formparsers import MultiPartException


def upload_too_large() -> MultiPartException:
    """Return what to raise when an upload is too large."""
    return MultiPartException("The upload exceeded the maximum allowed size.")


def upload_cut_off() -> MultiPartException:
    """Return what to raise when an upload ends early."""
    return MultiPartException("The client left before the upload was complete.")
