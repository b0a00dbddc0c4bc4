"""The same checks in every environment, and the table of them."""

import traceback

import pytest

from tests.toolbox.terminal.checks import CHECKS, Bench, NotHere
from tests.toolbox.terminal.sites import SITES, Missing

TABLE: dict[str, dict[str, str]] = {}
"""What each check said, by environment."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", SITES)
def test_an_environment_passes_all_checks(kind, tmp_path):
    row = TABLE.setdefault(kind, {})
    try:
        with SITES[kind](kind, tmp_path) as site:
            bench = Bench(site)
            try:
                for check in CHECKS:
                    row[check.__name__] = said_by(check, bench)
            finally:
                bench.terminal.close()
            assert site.records == []
    except Missing as reason:
        row.update({check.__name__: f"skipped: {reason}" for check in CHECKS})
        pytest.skip(str(reason))
    failed = {name: said for name, said in row.items() if said.startswith("FAILED")}
    assert not failed, "\n".join(f"{name}: {said}" for name, said in failed.items())


def said_by(check, bench):
    """Return `ok`, the reason why a check does not apply, or how it failed."""
    try:
        check(bench)
    except NotHere as reason:
        return f"skipped: {reason}"
    except Exception as error:  # noqa: BLE001 - the table shows it
        return (
            f"FAILED: {type(error).__name__}: {error} ({traceback.extract_tb(error.__traceback__)[1].line})"
        )
    return "ok"


@pytest.mark.slow
def test_the_table_has_39_checks_and_says_why_a_cell_is_skipped(capsys):
    assert len(CHECKS) >= 39
    with capsys.disabled():
        print(f"\n\n{table()}")
    for row in TABLE.values():
        assert set(row) == {check.__name__ for check in CHECKS}


def table():
    """Return the table as text: a line for each check, a column for each environment, and the reasons below."""
    reasons: list[str] = []

    def cell(said):
        if said in ("ok", ""):
            return said
        if said not in reasons:
            reasons.append(said)
        return f"[{reasons.index(said) + 1}]"

    width = max(len(check.__name__) for check in CHECKS)
    lines = [" " * width + "".join(f"{kind:>12}" for kind in TABLE)]
    for check in CHECKS:
        cells = (cell(row.get(check.__name__, "")) for row in TABLE.values())
        lines.append(
            f"{check.__name__.replace('_', ' '):<{width}}" + "".join(f"{text:>12}" for text in cells)
        )
    return "\n".join([*lines, *(f"[{number}] {reason}" for number, reason in enumerate(reasons, start=1))])
