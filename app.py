"""Entry point for Hugging Face Spaces and for the container: read the settings and serve the page.

`python app.py --mcp` also serves agents over MCP.
"""

import sys

from workbench.errors import WorkbenchError
from workbench.settings import read_settings
from workbench.ui.serve import serve_page
from workbench.wiring import open_services

if __name__ == "__main__":
    try:
        with open_services(read_settings()) as services:
            serve_page(services, has_mcp="--mcp" in sys.argv[1:])
    except WorkbenchError as error:
        sys.stderr.write(f"Hermes Workbench: {error}\n")
        sys.exit(2)
