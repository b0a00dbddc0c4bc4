"""`make check` finds the words and phrases of scripts/wording.txt, and nothing else."""

import subprocess
import sys

import pytest

from tests.docs.test_docs import CHECKOUT

PHRASES = (
    "Hermes Workbench stands at http://127.0.0.1:7860",
    "Sound.",
    "Hold a forced call to a grammar",
    "the row it becomes",
    "A loss is a defect",
    "the text ends inside; never repaired, never run",
    "Also with the tools told of so",
    "Take these too",
    "Public, where it is made now",
    "To choose from",
    "What a model would stumble over",
    "at least that is told",
    "The message stands behind the call.",
    "It is written anew.",
    "The call is sent once more.",
    "parted by commas",
    "an adapter laid over the model",
    "decoding is held to a grammar",
    "3 rows mended",
    "a turn that is gone on with",
    "the tool is no object",
    "there is one where it is none",
    "empty where none",
    "a contract of one's own",
    "whoever asked",
    "a run begun yesterday",
    "the former version",
    "a thing to say",
    "each of the 5 plays",
    "the verb `check`",
    "what seed 000 reads",
    '"""The edges."""',
    '"""Who writes."""',
    '"""In order."""',
    "def tell(told_rows): ...",
)
GOOD = (
    "There is no session with this name.",
    "x is None or (are_none := y is None)",
    "The field is no longer read.",
    "`M` stands for mebibytes.",
    "Hermes Workbench is running at http://127.0.0.1:7860",
    "No problems found",
    '"""Return the placeholders of a text, in order."""',
)


def check(path):
    return subprocess.run(
        [sys.executable, CHECKOUT / "scripts/check_wording.py", path],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("suffix", [".py", ".md", ".js"])
def test_each_phrase_is_found_in_code_docs_and_scripts(tmp_path, suffix):
    file = tmp_path / f"texts{suffix}"
    file.write_text("\n".join(PHRASES) + "\n", encoding="utf-8")
    result = check(file)
    assert result.returncode == 1, result.stderr
    found = {int(line.split(":")[1]) for line in result.stdout.splitlines() if line.startswith(str(file))}
    assert [phrase for number, phrase in enumerate(PHRASES, 1) if number not in found] == []


def test_good_texts_are_left_alone(tmp_path):
    file = tmp_path / "texts.md"
    file.write_text("\n".join(GOOD) + "\n", encoding="utf-8")
    result = check(file)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
