"""Facts about the graphics card."""

import shutil
import subprocess


def card(query: str) -> str:
    """Return fields of `nvidia-smi --query-gpu`, such as `name,memory.used`. Empty without an NVIDIA GPU."""
    if not shutil.which("nvidia-smi"):
        return ""
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
