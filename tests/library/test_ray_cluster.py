"""Work on Ray: in order, with the errors of the work, and clear messages without Ray or a cluster."""

import os
import signal
import socket
import sys
import time
from itertools import count

import pytest

from tests.ray import on_ray
from workbench.errors import BadInput
from workbench.library.ray_cluster import map_numbers, started_ray


@on_ray
def test_batches_are_worked_on_in_order_and_again_if_their_worker_ends(tmp_path, cluster):
    is_killed = tmp_path / "killed"

    def squares(numbers):
        # The first batch takes the longest, and the worker of the second one is killed once.
        time.sleep(0.3 if 0 in numbers else 0)
        if 3 in numbers and not is_killed.exists():
            is_killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        for number in numbers:
            if number == 100:
                raise BadInput("row 100", "it is invalid", "remove it")
            yield number * number

    with started_ray(cluster) as ray:
        endless = map_numbers(ray, squares, ([first, first + 1, first + 2] for first in count(0, 3)))
        assert [next(endless) for _ in range(50)] == [number * number for number in range(50)]
        assert is_killed.exists()
        found = map_numbers(ray, squares, [[98, 99, 100], [101]])
        assert [next(found), next(found)] == [98 * 98, 99 * 99]
        with pytest.raises(BadInput, match=r"row 100: it is invalid \(remove it\)"):
            next(found)


@pytest.fixture
def closed_port():
    """A port of this machine where no program listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.mark.parametrize("address", ["127.0.0.1:{}", "ray://127.0.0.1:{}", "[::1]:{}"])
@on_ray
def test_an_address_without_a_listening_program_is_refused_at_once(closed_port, address):
    with pytest.raises(BadInput, match=r"Ray cannot be reached: .*that Ray is running there"):
        started_ray(address.format(closed_port)).__enter__()


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:99999"])
@on_ray
def test_a_malformed_address_is_refused(address):
    with pytest.raises(BadInput, match=f"--address {address}: Ray cannot be reached"):
        started_ray(address).__enter__()


def test_without_ray_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"--engine ray: Ray is not installed \(run pip install .*scale"):
        started_ray("").__enter__()
