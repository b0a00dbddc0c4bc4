"""No script of `sed` that runs unasked writes or runs anything, wherever its parts end for a real `sed`."""

import random
import shutil

import pytest

from tests.security.real_program import makes_a_file
from workbench.toolbox.approval.programs.editing import is_plain_sed

SED = shutil.which("sed")
PIECES = ["[", "]", "[^", "[]", "[[:alpha:]", "[[.a.]]", "[=", "\\]", "\\/", "a", "x", "b", "/", "#", ",", ";", "g", "e", "w f", "p", "y", "d", " "]  # fmt: skip
SHAPES = [
    "s/{}[{}/{}]/g;s#{}x/w f#y#", "s/{}[{}/{}]/;s%{}/e%y%", "/[{}/{}]/p;s#{}/w f{}#y#", "s,[{},{}],;s#{},w f{}#y#", "s/{}/{};s#{}/w f#{}#",
]  # fmt: skip
ORDINARY = [
    "s/[[:space:]]*$//", r"s/\[x\]/y/g", "s/[]]//", "s/[^]]*//", "s/[][]//g", r"s/[\/]/x/", "s|/[^/]*$||", "/[[]/d", "/a/,/[b-d]/p",
]  # fmt: skip


@pytest.mark.parametrize("script", ORDINARY)
def test_ordinary_scripts_run_unasked(script):
    assert is_plain_sed(script)


@pytest.mark.parametrize(
    "bracket", ["[{}]", "[^{}]", "[]{}]", "[^]{}]", "[[:alpha:]{}]", "[[.{}.]]", "[a{}]", r"[\]{}]"]
)
@pytest.mark.parametrize("sign", "/,#|")
def test_an_expression_whose_bracket_may_hide_its_end_is_asked_about(bracket, sign):
    for script in (
        f"s{sign}{bracket.format(sign)}{sign}g;s%x{sign}e%y%",
        f"s{sign}{bracket.format(sign)}{sign};s%x{sign}w f%y%",
    ):
        assert not is_plain_sed(script)


@pytest.mark.slow
@pytest.mark.skipif(SED is None, reason="sed is not installed")
def test_random_scripts_that_pass_write_nothing(tmp_path):
    generator = random.Random(7)
    passed, refused = set(), set()
    for _ in range(60_000):
        parts = ["".join(generator.choices(PIECES, k=generator.randint(0, 3))) for _ in range(4)]
        script = generator.choice(SHAPES).format(*parts)
        (passed if is_plain_sed(script) else refused).add(script)
    chosen = generator.sample(sorted(passed), min(len(passed), 150))
    assert len(chosen) > 100
    assert [script for script in chosen if is_writing(script, tmp_path)] == []
    # Otherwise the scripts would prove nothing.
    assert any(is_writing(script, tmp_path) for script in generator.sample(sorted(refused), 400))


def is_writing(script, folder):
    """Whether a real sed makes a file or runs its input."""
    return makes_a_file([SED, script], "x=/a;>f\nb,#]a\n", folder)
