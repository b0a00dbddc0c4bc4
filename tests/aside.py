"""Coroutines of tests, run where they disturb no other."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Made = TypeVar("Made")


def run_aside(work: Coroutine[Any, Any, Made]) -> Made:
    """What `work` gives, run in a thread of its own: the main one may have Playwright's loop running."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()
