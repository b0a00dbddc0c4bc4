"""A round as code, a tab each."""

from typing import Final

from workbench.app.as_code import RoundCode
from workbench.ui.present.message_pane import CodeTab, CodeView

NOTE: Final = (
    "OPENAI_BASE_URL and OPENAI_API_KEY say which server is asked. A grammar that held the model to the tools' "
    "schemas is no part of it."
)
GOES_ON: Final = (
    " The verb goes on with this session where it is open, for it cannot be given an edited contract or the "
    "conversation so far."
)


def show_code(code: RoundCode) -> CodeView:
    """The pane for a round."""
    return CodeView(
        title="This round as code",
        tabs=(
            CodeTab(name="curl", text=code.curl),
            CodeTab(name="Python", text=code.python),
            CodeTab(name="workbench", text=code.verb),
        ),
        note=NOTE + ("" if code.is_whole else GOES_ON),
    )
