"""All command lines of a page run without errors from top to bottom."""

import re
from textwrap import dedent

import pytest

from tests.docs.given import given_to
from tests.docs.test_docs import CHECKOUT, DOCS, PAGES, read
from tests.docs.test_examples import WITHOUT_MODEL

BLOCK = re.compile(r"^( *)```sh\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ELSEWHERE = {
    r"make (run|test) ": "has run before this test",
    r"\. \.venv/bin/activate$": "this test already has an environment",
    r"(CMAKE_ARGS=\S+ |LLAMA_INDEX=\S+ )?(pip install|make run)": "needs a network, for packages; make test installs them",
    r"(sh scripts/install_torch\.sh|\.venv/bin/pip) ": "needs a network, for packages; make test installs them",
    r"createdb |export WORKBENCH_DATABASE_URL=": "tests/store runs it with its own PostgreSQL",
    r"export (WORKBENCH_AUTH|WORKBENCH_ADMINS|HF_TOKEN)=|workbench serve": "needs a person who logs in; tests/e2e does",
    r"WORKBENCH_PORT=\d+ .*workbench serve &": "tests/app/servers starts three servers",
    r"workbench chat .* --model hf-inference:": "needs a network; tests/engines/remote has a server for it",
    r"workbench labels judge ": "asks a model; tests/cli has a scripted one",
    r"workbench mask ": "needs a tokenizer; tests/cli/rows asks TRL with one",
    r"workbench (train|average|heldout) |workbench (chat|run) .*\+runs/": "takes hours; tests/training runs a few steps",
    r"accelerate launch ": "needs eight GPUs; tests/training starts two processes",
    r"workbench run shop .*--model embedded": "takes four minutes; tests/suite asks scripted models",
    r"workbench run \.venv/bfcl/": "takes minutes per line; tests/suite runs some of BFCL's cases",
    r"workbench (check|convert|run|synth) .*--engine ray": "tests/library and tests/cli run it if Ray is installed",
    r"curl -s http://127\.0\.0\.1:7860/gradio_api/": "tests/ui/api uses its own page",
    r"python scripts/trained_suite\.py |workbench improve .*trained\.yaml": "asks the embedded model for half an hour; tests/app/improve asks scripted ones",
    r"python scripts/check_families\.py ": "tests/training runs it on the family of the page",
    r"workbench gateway .*--host |export WORKBENCH_GATEWAY_KEYS=": "needs a person's password; tests/gateway has one",
    r"ARCHITECTURE=\d+ scripts/gpu/build_llama\.sh": "builds for an hour, with CUDA",
    r"export LD_LIBRARY_PATH=": "needs PyTorch for CUDA",
    r"scripts/gpu/prove\.sh ": "writes models of 7 GB, for a GPU; tests/engines runs it at small size",
    r"make embedded-adapter ": "trains for hours; tests/training trains a few steps",
    r"workbench mcp ": "needs a network, for servers of other people; tests/cli adds and removes its own",
    r"(hf|git) ": "needs a network, and creates a Space in the reader's account",
}
"""Lines that are not run here, by their beginning, and the reason."""
FINDS = re.compile(r"^workbench diff | --fail-under ")
"""Lines that end with exit code 1 if they find something, as their pages say."""
WRITTEN = re.compile(r"(?:--out|-o) (\S+\.jsonl)\b")
"""Files of rows that a line writes."""
NOT_HERE = re.compile(rf"(?:{'|'.join(ELSEWHERE)})")


def lines_of(page):
    """Return the lines of the shell blocks of a page."""
    return [line for _, block in BLOCK.findall(read(page)) for line in dedent(block).splitlines()]


WALKED = {
    page.relative_to(DOCS).with_suffix("").as_posix() if page.is_relative_to(DOCS) else page.stem: lines
    for page in PAGES
    if (lines := [line for line in lines_of(page) if not WITHOUT_MODEL.search(line)])
}


def test_each_reason_for_not_running_a_line_is_needed():
    lines = [line for page in PAGES for line in lines_of(page)]
    for beginning in ELSEWHERE:
        assert any(re.match(beginning, line) for line in lines), beginning


def reason_of(line):
    """Return why a line is not run here."""
    return next(reason for beginning, reason in ELSEWHERE.items() if re.match(beginning, line))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.model
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", WALKED)
def test_the_command_lines_of_a_page_run_from_top_to_bottom(page, tmp_path, shell):
    lines = [line for line in WALKED[page] if not NOT_HERE.match(line)]
    if not lines:
        pytest.skip("; ".join(dict.fromkeys(map(reason_of, WALKED[page]))))
    with given_to(page, tmp_path, shell) as given:
        for line in lines:
            # A variable that a line sets is set for the lines below it.
            if set_here := re.match(r"export (\w+)=(\S+)$", line):
                name, value = set_here.groups()
                given.variables[name] = given.words.get(value, value)
            elif line.startswith("workbench gateway"):
                given.serve(line)
            elif FINDS.search(line):
                given.run(f"{line}; test $? -le 1")
            else:
                printed = given.run(line)
                assert not line.startswith("curl ") or '"error"' not in printed, printed
            for file in WRITTEN.findall(line):
                assert (tmp_path / file).stat().st_size > 0, f"{line}: {file} is empty"


def test_every_line_of_every_page_is_run_somewhere():
    for page in PAGES:
        for line in lines_of(page):
            known = (
                NOT_HERE.match(line)
                or WITHOUT_MODEL.search(line)
                or line.startswith(("workbench ", "export ", "curl "))
            )
            assert known, f"{page.relative_to(CHECKOUT)}: {line}"
