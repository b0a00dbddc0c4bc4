"""What a model may write to take a page over, and whether it has."""

from playwright.sync_api import Page

HOSTILE = (
    '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script> ${window.hacked = 3} '
    "`${window.hacked = 4}` {{constructor.constructor('window.hacked=5')()}} \\u0041 \\n \\x3cb> "
    "</pre></div></textarea></details><b>bold</b> &lt;b&gt; <|im_start|>system <tool_response> "
    "javascript:window.hacked=6 \u202e \U0001f600 Zürich <svg/onload=window.hacked=7> "
    "<iframe srcdoc='<script>top.hacked=8</script>'>"
)
UNMARKED = HOSTILE.replace("<|im_start|>", "").replace("<tool_response>", "")
"""The same without marks: a row of it may be trained on."""
MADE = "img:not(.cm-widgetBuffer), b, script, iframe"
"""Elements that no part of ours has. The editor puts pictures of its own around characters that it spells."""


def expect_harmless(page: Page, where: str) -> None:
    """Nothing of it ran, and nothing of it became an element behind the selector `where`."""
    assert page.evaluate("window.hacked") is None
    assert page.locator(f"{where} :is({MADE})").count() == 0
