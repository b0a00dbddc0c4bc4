"""Entry for Hugging Face Spaces and for the container: settings, wiring, page, launch; nothing else."""

from workbench.settings import read_settings
from workbench.ui.serve import serve_page
from workbench.wiring import open_services

if __name__ == "__main__":
    with open_services(read_settings()) as services:
        serve_page(services)
