"""The processes of a run that `accelerate launch` or `torchrun` started.

Each process trains on its share of a step's texts, and all of them have the same weights. One of them, the main
process, writes files and reports.

*Source:* https://docs.pytorch.org/docs/stable/elastic/run.html, "Environment Variables".
"""

import os

from workbench.errors import BadInput


def process_count() -> int:
    """Return the number of processes on all machines; 1 without a launcher."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_main_process() -> bool:
    """Whether this process writes files and reports."""
    return int(os.environ.get("RANK", "0")) == 0


def batch_per_process(batch: int) -> int:
    """Return how many texts of each step a process gets.

    Args:
        batch: Texts per step, of all processes together.

    Raises:
        BadInput: The processes cannot share them evenly.
    """
    count = process_count()
    if batch % count:
        raise BadInput(
            f"--batch {batch}", f"{count} processes cannot share it evenly", f"use a multiple of {count}"
        )
    return batch // count
