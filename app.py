"""Entry for Hugging Face Spaces and for the container: settings, wiring, page, launch; nothing else."""

from workbench.ui.page import serve_page

from workbench.settings import read_settings
from workbench.wiring import open_services

if __name__ == "__main__":
    with open_services(read_settings()) as services:
        serve_page(services)
