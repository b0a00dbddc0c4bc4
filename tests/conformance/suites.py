"""All suites, in the order of the table."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from tests.conformance import replicas, server_flags, vllm_plugin
from tests.conformance.archives import JSON_SCHEMA, LLAMA_CPP, OLDER_VLLM, SGLANG, VLLM, Archive
from tests.conformance.bfcl_scores import BFCL_SCORES
from tests.conformance.grammars import Row, rows_of_llama_cpp, rows_of_test_suite
from tests.conformance.json_repair_tests import JSON_REPAIR_ARGUMENTS
from tests.conformance.json_schema import run_suite
from tests.conformance.llama_chat import LLAMA_CHAT, LLAMA_CHAT_OTHERS
from tests.conformance.outcome import Outcome, Suite
from tests.conformance.templates import CHAT_TEMPLATES
from tests.conformance.vllm_tests import VLLM_SUITES


def _of_differences(
    differences: Callable[[Path], Iterable[tuple[str, str]]], folder: Path
) -> Iterator[Outcome]:
    """Make outcomes of cases with their differences, which are empty texts if there are none."""
    for case, difference in differences(folder):
        yield Outcome(id=case, agrees=not difference, details=difference)


def _verdicts(draft: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the required tests of a draft of the JSON Schema Test Suite."""
    for row in run_suite(folder / "json", (draft,)):
        yield row.case, "" if row.outcome == "agrees" else f"{row.outcome}: {row.detail}"


def _grammars_of_suite(draft: str, folder: Path) -> Iterator[tuple[str, str]]:
    return _of_grammars(rows_of_test_suite(folder / "json" / "tests" / draft))


def _grammars_of_llama_cpp(folder: Path) -> Iterator[tuple[str, str]]:
    tests = folder / "vendor" / "llama.cpp" / "tests"
    return _of_grammars(rows_of_llama_cpp(tests / "test-grammar-integration.cpp"))


def _of_grammars(rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """Yield the texts of schemas by number, with what is against the promise of a grammar."""
    for number, row in enumerate(rows):
        kept = row.verdict in ("agrees", "reported", "narrower")
        yield str(number), "" if kept else f"{row.verdict}: {row.case}\n{row.detail}"


def _own(
    name: str, archive: Archive, cases: int, differences: Callable[[Path], Iterable[tuple[str, str]]]
) -> Suite:
    """Return a suite of texts of our own, compared with somebody else's code."""
    return Suite(name=name, archive=archive, cases=cases, outcomes=partial(_of_differences, differences))


SCHEMA_TESTS = {
    "draft 2020-12": 1257,
    "draft 2019-09": 1227,
    "draft 7": 913,
    "draft 6": 829,
    "draft 4": 610,
}
"""How many required tests each draft has."""
SUITES: tuple[Suite, ...] = (
    *VLLM_SUITES,
    LLAMA_CHAT,
    LLAMA_CHAT_OTHERS,
    CHAT_TEMPLATES,
    *(
        _own(
            f"JSON Schema Test Suite, {draft}", JSON_SCHEMA, cases, partial(_verdicts, draft.replace(" ", ""))
        )
        for draft, cases in SCHEMA_TESTS.items()
    ),
    *(
        _own(
            f"Grammars of the JSON Schema Test Suite, {draft}",
            JSON_SCHEMA,
            SCHEMA_TESTS[draft],
            partial(_grammars_of_suite, draft.replace(" ", "")),
        )
        for draft in ("draft 2020-12", "draft 7")
    ),
    _own("Grammars of llama.cpp's schemas", LLAMA_CPP, 248, _grammars_of_llama_cpp),
    JSON_REPAIR_ARGUMENTS,
    BFCL_SCORES,
    _own("The plugin in vLLM, against the reader", VLLM, vllm_plugin.count(), vllm_plugin.outcomes),
    *(
        _own(
            f"The plugin in vLLM {older.version}, against the reader",
            older,
            vllm_plugin.count(),
            vllm_plugin.outcomes,
        )
        for older in OLDER_VLLM
    ),
    _own("The replica of vLLM's parser, against the parser", VLLM, replicas.count(), replicas.vllm_outcomes),
    _own(
        "The replica of SGLang's parser, against the parser",
        SGLANG,
        replicas.count(),
        replicas.sglang_outcomes,
    ),
    _own("Flags that are advised for vLLM", VLLM, 3, server_flags.vllm_outcomes),
    _own("Flags that are advised for SGLang", SGLANG, 3, server_flags.sglang_outcomes),
)
