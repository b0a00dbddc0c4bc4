"""Run other people's test suites and print one table: `python -m tests.conformance`."""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path

from tests.conformance.archives import Unavailable, unpacked
from tests.conformance.outcome import Completion, Judged, Known, Outcome, Row, Suite, judged, load_known
from tests.conformance.suites import SUITES
from tests.conformance.whole_and_streamed import STREAMED, stream_outcomes

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "conformance.md"
START, END = "<!-- The table: make conformance -->", "<!-- The end of the table -->"


def main() -> int:
    arguments = _arguments()
    chosen = [suite for suite in SUITES if arguments.suite in suite.name]
    known = load_known()
    try:
        for archive in dict.fromkeys(suite.archive for suite in chosen):
            unpacked(archive)
    except Unavailable as error:
        print(error, file=sys.stderr)
        return 2
    with ProcessPoolExecutor(max_workers=2) as pool:
        ran = list(pool.map(_run, chosen))
        results = [
            judged(suite, outcomes, known.get(suite.name, ()))
            for suite, outcomes in zip(chosen, ran, strict=True)
        ]
        if not arguments.no_streams:
            texts = {text for outcome in chain(*ran) for text in outcome.completions}
            results.append(_streams(pool, texts, known.get(STREAMED, ())))
    if arguments.show:
        for outcome in chain(*ran):
            if not outcome.agrees:
                print(f"{outcome.id}\n{outcome.details}\n")
    page = table([result.row for result in results], known)
    print(page)
    problems = list(chain(*(result.problems for result in results)))
    problems += [f"known.yaml has the unknown suite {name!r}." for name in known.keys() - _names()]
    print(*problems, sep="\n\n", file=sys.stderr)
    if arguments.write and not problems:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        PAGE.write_text(f"{before}{START}\n\n{page}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 1 if problems else 0


def table(rows: Sequence[Row], known: dict[str, list[Known]]) -> str:
    """Return the table of all suites in Markdown, followed by what is worse or better, and why."""
    lines = ["| suite | cases | agree | better | worse |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    for verdict in ("worse", "better"):
        lines += ["", f"### {verdict.capitalize()}", "", "| suite | cases | reason |", "|---|---|---|"]
        lines += [
            f"| {row.suite} | {len(entry.cases)} | {entry.reason} |"
            for row in rows
            for entry in known.get(row.suite, ())
            if entry.verdict == verdict
        ]
    return "\n".join([*lines, ""])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--suite", default="", help="run only suites whose name contains this text")
    parser.add_argument("--show", action="store_true", help="print all cases that do not agree")
    parser.add_argument("--no-streams", action="store_true", help="leave out the check of streams")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.name}")
    return parser.parse_args()


def _names() -> set[str]:
    return {suite.name for suite in SUITES} | {STREAMED}


def _run(suite: Suite) -> list[Outcome]:
    return list(suite.outcomes(unpacked(suite.archive)))


def _streams(pool: ProcessPoolExecutor, texts: set[Completion], known: Sequence[Known]) -> Judged:
    ordered = sorted(texts, key=repr)
    parts = [ordered[start::64] for start in range(64)]
    outcomes = list(chain(*pool.map(_streamed, parts)))
    suite = Suite(name=STREAMED, archive=SUITES[0].archive, cases=len(texts), outcomes=lambda _folder: ())
    return judged(suite, outcomes, known)


def _streamed(completions: Sequence[Completion]) -> list[Outcome]:
    return list(stream_outcomes(completions))


if __name__ == "__main__":
    sys.exit(main())
