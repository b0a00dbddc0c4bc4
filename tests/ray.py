"""What the tests that use Ray share: their marks, and a cluster."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

REASON = "Ray is not installed: pip install '.[scale]'"
# Workers have a low priority otherwise, so beside other tests they would hardly run.
os.environ.update(RAY_worker_niceness="0")


def on_ray(test):
    """Mark a test that uses Ray, and skip it where Ray is not installed. It takes seconds to start."""
    for mark in (
        pytest.mark.skipif(find_spec("ray") is None, reason=REASON),
        pytest.mark.scale,
        pytest.mark.slow,
        # Ray and what it imports warn of their own deprecations.
        pytest.mark.filterwarnings("default"),
    ):
        test = mark(test)
    return test


@contextmanager
def running_cluster() -> Generator[str]:
    """Run a cluster of one machine with two cores and yield its address.

    Its workers get the settings of this process, not those that a test sets. A process that starts Ray on this machine
    can't connect to the cluster afterwards, so a test of such a start does it in a process of its own.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    parts = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, **parts})
    try:
        yield cluster.address
    finally:
        cluster.shutdown()
