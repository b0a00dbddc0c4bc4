"""What servers of the page import. Only the process from which they are forked imports this module."""

import os

# As `serve_page` sets them before these imports.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["FORWARDED_ALLOW_IPS"] = ""

import tests.served  # noqa: F401
import workbench.app.connections
import workbench.cli.app
import workbench.cli.serve
import workbench.ui.gate.app
import workbench.ui.gradio_parts.application
import workbench.ui.page  # noqa: F401
