"""A shared report can be read by its key only, and runs no foreign script."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import httpx
import pytest

from tests.security.conftest import PASSWORDS
from tests.served import Server
from tests.store.runs.examples import PLAN, RESULT
from workbench.records.owner import LOCAL_OWNER, Owner
from workbench.store.runs.runs import RunStore
from workbench.store.store import Store

pytestmark = pytest.mark.slow

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


@contextmanager
def runs_of(server: Server, owner: Owner) -> Iterator[RunStore]:
    with closing(Store(f"sqlite:///{server.folder / 'data' / 'workbench.sqlite3'}")) as store:
        yield store.of(owner).runs


def test_a_report_is_found_by_its_key_until_it_is_revoked(laptop: Server) -> None:
    result = replace(RESULT, answer=HOSTILE, tags=(HOSTILE,), session_id="a" * 32)
    with runs_of(laptop, LOCAL_OWNER) as runs:
        run = runs.create_run(HOSTILE, PLAN)
        runs.save_result(run.id, result)
        key = runs.share_run(run.id)
        with httpx.Client(base_url=laptop.url) as client:
            shown = client.get(f"/report/{key}")
            assert (shown.status_code, shown.headers["content-type"]) == (200, "text/html; charset=utf-8")
            assert "<img" not in shown.text and "a" * 32 not in shown.text
            nonces = set(re.findall(r'<script nonce="([^"]+)"', shown.text))
            assert len(nonces) == 1
            policy = shown.headers["content-security-policy"]
            assert policy.startswith(f"default-src 'none'; script-src 'nonce-{nonces.pop()}';")
            # Every script has the nonce or is data, so none that a text brought runs.
            scripts = re.findall(r"<script[^>]*>", shown.text)
            assert all("nonce=" in tag or 'type="application/json"' in tag for tag in scripts)
            for wrong in (run.id, key[:-1], key + "0", "%00", "..%2f", "x" * 65):
                assert client.get(f"/report/{wrong}").status_code == 404, wrong
            runs.unshare_run(run.id)
            assert client.get(f"/report/{key}").status_code == 404
            again = runs.share_run(run.id)
            runs.delete_run(run.id)
            assert client.get(f"/report/{again}").status_code == 404


def test_with_accounts_a_reader_has_to_log_in_first(team: Server) -> None:
    with runs_of(team, Owner(key="account:ann")) as runs:
        key = runs.share_run(runs.create_run("mine", PLAN).id)
    with httpx.Client(base_url=team.url, headers={"Accept": "text/html"}) as client:
        form = client.get(f"/report/{key}")
        assert "mine" not in form.text
        action = re.search(r'action="([^"]+)"', form.text)
        assert action
        answer = client.post(
            action[1].replace("&amp;", "&"), data={"username": "bob", "password": PASSWORDS["bob"]}
        )
        assert (answer.status_code, answer.headers["location"]) == (303, f"/report/{key}")
        assert "mine" in client.get(f"/report/{key}").text
