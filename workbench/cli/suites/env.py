"""`workbench env`: export suites as environments for reinforcement learning."""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import typer

from workbench.app.runs.environments import export_suite
from workbench.chat.json_value import JsonObject
from workbench.cli.suites.files import suites_named, write_file
from workbench.errors import BadInput
from workbench.settings import read_settings
from workbench.suite.case import Suite
from workbench.suite.exchange.bfcl import ExportedSuite
from workbench.suite.exchange.environments import TARGETS
from workbench.suite.reward import shape_of
from workbench.toolbox.suite_environment import SuiteEnvironment

RESULT_ONLY: Final = '{"result": 1}'
"""The plainest reward, as JSON: a case passes or not."""
ContractOption = Annotated[
    str, typer.Option(metavar="NAME", help="Contract", show_default="WORKBENCH_CONTRACT")
]
RewardOption = Annotated[
    str,
    typer.Option(metavar="JSON", help="Weights of format, name, arguments, result and no_needless_call"),
]


def export(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Name or file of the suite")],
    to: Annotated[str, typer.Option(metavar="TRAINER", help=f"Trainer: {', '.join(TARGETS)}")],
    out: Annotated[str, typer.Option(metavar="FOLDER", help="Folder for the package")],
    contract: ContractOption = "",
    reward: RewardOption = RESULT_ONLY,
) -> None:
    """Export a suite as a package that a trainer installs.

    The reward is the score of the suite. Reports the cases that were skipped.
    """
    if to not in TARGETS:
        raise BadInput("--to", f"unknown trainer {to!r}", f"use one of {', '.join(TARGETS)}")
    weights = _weights(reward)
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        [loaded] = suites_named(services, [suite])
        exported = export_suite(services, loaded, to, contract=contract, weights=weights)
    for path in _write(exported, Path(out).expanduser()):
        print(path)


def suite_for_training(
    names: list[str], out: Path, *, reward: str, contract: str
) -> tuple[SuiteEnvironment, JsonObject]:
    """Export suites as one environment into the folder of a training. Return it, and facts for the receipt.

    Raises:
        BadInput: A suite, the contract or the reward cannot be used.
    """
    weights = _weights(reward)
    from workbench.wiring import open_services

    with open_services(read_settings()) as services:
        loaded = suites_named(services, names)
        cases = tuple(case for suite in loaded for case in suite.cases)
        joined = Suite(name="-".join(suite.name for suite in loaded), cases=cases)
        exported = export_suite(services, joined, "trl", contract=contract, weights=weights)
    paths = _write(exported, out / "environment")
    [cases_file] = [path for path in paths if path.name == "cases.jsonl"]
    suite = SuiteEnvironment(cases_file.parent)
    digest = sha256(cases_file.read_bytes()).hexdigest()
    facts: JsonObject = {
        "suites": [suite.name for suite in loaded],
        "rows": len(suite.rows),
        "reward": weights,
        "cases_sha256": digest,
    }
    return suite, facts


def _weights(reward: str) -> dict[str, float]:
    try:
        weights = json.loads(reward)
        shape_of(weights)
    except (ValueError, TypeError, AttributeError) as error:
        raise BadInput("--reward", str(error), f"write {RESULT_ONLY}") from error
    return weights


def _write(exported: ExportedSuite, folder: Path) -> list[Path]:
    for line in exported.left_out:
        print(f"skipped: {line}", file=sys.stderr)
    paths = [folder / file for file in exported.files]
    for path, text in zip(paths, exported.files.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(path), text)
    return paths


GROUP: Final = {
    "export": export,
}
"""The commands of `workbench env`."""
