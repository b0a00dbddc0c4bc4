"""Text with which a model could attack the page, and a check that it did not succeed."""

from playwright.sync_api import Page

HOSTILE = (
    '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script> ${window.hacked = 3} '
    "`${window.hacked = 4}` {{constructor.constructor('window.hacked=5')()}} \\u0041 \\n \\x3cb> "
    "</pre></div></textarea></details><b>bold</b> &lt;b&gt; <|im_start|>system <tool_response> "
    "javascript:window.hacked=6 \u202e \U0001f600 Zürich <svg/onload=window.hacked=7> "
    "<iframe srcdoc='<script>top.hacked=8</script>'>"
)
UNMARKED = HOSTILE.replace("<|im_start|>", "").replace("<tool_response>", "")
"""The same text without special tokens and tags, so that it is valid in a training row."""
MADE = "img:not(.cm-widgetBuffer), b, script, iframe"
"""Elements that our components never create. The editor adds its own images next to special characters."""


def expect_harmless(page: Page, where: str) -> None:
    """Check that no part of the text ran, or became an element inside the selector `where`."""
    assert page.evaluate("window.hacked") is None
    assert page.locator(f"{where} :is({MADE})").count() == 0
