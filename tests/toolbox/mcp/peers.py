"""Real MCP servers from PyPI and npm, each installed in an environment of its own."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

INSTALL_S = 280


def npm_package(folder: Path, *packages: str) -> Path:
    """Install npm packages and return the folder of their programs. Skips the test if this is impossible."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("node and npm are not installed")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}", encoding="utf-8")
    _install([npm, "install", "--silent", "--no-audit", "--no-fund", *packages], folder, packages)
    return folder / "node_modules" / ".bin"


def python_package(folder: Path, *packages: str) -> Path:
    """Install Python packages in an environment of their own and return its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    python = folder / "bin" / "python"
    _install([str(python), "-m", "pip", "install", "-q", *packages], folder, packages)
    return python


def python_folder(folder: Path, *packages: str) -> Path:
    """Install Python packages in a folder that can precede this environment's own packages in PYTHONPATH."""
    _install(
        [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), *packages], None, packages
    )
    return folder


def _install(command: list[str], folder: Path | None, packages: tuple[str, ...]) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    if done.returncode:
        pytest.skip(f"{', '.join(packages)} could not be installed: {done.stderr.strip()[-200:]}")
