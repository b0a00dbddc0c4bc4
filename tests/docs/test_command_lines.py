"""A reader who types the lines of a page, from its first to its last, comes through."""

import re
from textwrap import dedent

import pytest

from tests.docs.given import given_to
from tests.docs.test_docs import CHECKOUT, DOCS, PAGES, read
from tests.docs.test_examples import WITHOUT_MODEL

BLOCK = re.compile(r"^( *)```sh\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ELSEWHERE = {
    r"make (run|test) ": "what runs this test ran them",
    r"\. \.venv/bin/activate$": "this test has an environment",
    r"(CMAKE_ARGS=\S+ |LLAMA_INDEX=\S+ )?(pip install|make run)": "builds or fetches packages; make test did",
    r"(sh scripts/install_torch\.sh|\.venv/bin/pip) ": "fetches packages; make test did",
    r"createdb |export WORKBENCH_DATABASE_URL=": "tests/store runs all of it on a PostgreSQL of its own",
    r"export (WORKBENCH_AUTH|WORKBENCH_ADMINS|HF_TOKEN)=|workbench serve": "tests/e2e signs in on a page of its own",
    r"workbench chat .* --model hf-inference:": "asks Hugging Face; tests/engines/remote has a server for it",
    r"workbench train |workbench heldout |workbench (chat|run) .*\+runs/": "takes hours; tests/training makes some steps of it",
    r"workbench run \.venv/bfcl/": "takes minutes a line; tests/suite plays some of Berkeley's cases",
    r"workbench tools call greet ": "tests/toolbox drops the page's file into a catalog",
    r"workbench (check|convert) shards/ .*--engine ray": "tests/library and tests/cli run it where Ray is installed",
    r"curl -s http://127\.0\.0\.1:7860/gradio_api/": "tests/ui/api asks a page of its own",
    r"(hf|git) ": "makes and fills a Space, in an account of the reader's",
}
"""Lines that are not typed here, by how they begin, and why."""
NOT_HERE = re.compile(rf"(?:{'|'.join(ELSEWHERE)})")


def lines_of(page):
    """The lines of a page's blocks, in order."""
    return [line for _, block in BLOCK.findall(read(page)) for line in dedent(block).splitlines()]


WALKED = {
    page.relative_to(DOCS).with_suffix("").as_posix() if page.is_relative_to(DOCS) else page.stem: lines
    for page in PAGES
    if (
        lines := [
            line for line in lines_of(page) if not NOT_HERE.match(line) and not WITHOUT_MODEL.search(line)
        ]
    )
}


def test_each_reason_for_not_typing_a_line_is_needed():
    lines = [line for page in PAGES for line in lines_of(page)]
    for beginning in ELSEWHERE:
        assert any(re.match(beginning, line) for line in lines), beginning


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.model
@pytest.mark.parametrize("page", WALKED)
def test_a_page_is_walked_from_its_first_line_to_its_last(page, tmp_path, shell):
    with given_to(page, tmp_path, shell) as given:
        for line in WALKED[page]:
            # A line that sets something holds for those below it.
            if set_here := re.match(r"export (\w+)=(\S+)$", line):
                name, value = set_here.groups()
                given.variables[name] = given.words.get(value, value)
            elif "--fail-under" in line:
                given.run(f"{line}; test $? -le 1")
            else:
                given.run(line)


def test_every_line_of_every_page_is_typed_somewhere():
    for page in PAGES:
        for line in lines_of(page):
            known = (
                NOT_HERE.match(line)
                or WITHOUT_MODEL.search(line)
                or line.startswith(("workbench ", "export "))
            )
            assert known, f"{page.relative_to(CHECKOUT)}: {line}"
