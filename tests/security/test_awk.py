"""Programs of awk that the gate lets pass write nothing and run nothing in a real awk, and ordinary ones pass."""

import random
import shutil
from pathlib import Path

import pytest

from tests.security.real_program import makes_a_file
from workbench.toolbox.approval.programs.awk import is_plain_awk

AWKS = sorted(
    {
        str(Path(path).resolve())
        for name in ("mawk", "gawk", "original-awk", "awk")
        if (path := shutil.which(name))
    }
)
PLAIN = [
    "{print $1}", "NR>=10 && NR<=20", "/error/ {n++} END {print n}", 'BEGIN{FS=","} {print $1 "," $3}', "!seen[$0]++", "{print ($1 > 3)}",
    "{for (i = NF; i > 0; i--) printf \"%s \", $i; print \"\"}", "function f(x) {return x * 2} {print f($1)}", "$2 ~ /^[a-z]+$/ {c++}; END {print c+0}",
    "{a[NR] = $0} END {while (NR) print a[NR--]}", "{if ($1 > 3) print \"a\"; else print \"b\"}", "/a/,/b/", "{n = split($0, parts, /,/); print n}",
    "BEGIN {do {i++} while (i < 3); print i}", "{print $NF; next}", "END {for ((i, j) in a) print i}", "(a, b) in c {print}", "{delete a[1]; print length}",
    "{print -1 \" \" -1}", "{gsub(/\\//, \"-\"); print}", "{x = $1 > 2 ? 1 : 0; print x}",
]  # fmt: skip
WRITING = [
    '{print > "f"}', '{print "a;}" > "f"}', '{print("a")("b") >> "f"}', '{print /a/ > "f"}', '{print a["}"] > "f"}', '{print "x" | "touch f"}',
    'BEGIN{system("touch f")}', 'BEGIN{"touch f" | getline}', '{printf "a" > "f"}', '/"/{print ";" > "f"}', '{print 1, (2 > 1) > "f"}',
]  # fmt: skip
PIECES = [
    "print", "printf", " ", "\n", ";", "{", "}", "(", ")", '"f"', '"a;"', '"}"', '"touch f"', ">", ">>", "|", "|&", "getline", "system", "/", "/a/", "/[/]/", "\\",
    "$1", "x", "[", "]", ",", "++", "--", "-", "!", "~", "=", "==", "?", ":", "1", "#", "BEGIN", "END", "if", "else", "in", "length", "close", "function g(x)", "g(1)",
    '"', "@", "&&", "||", "<", "do", "while", "for", "return", "next", "regex",
]  # fmt: skip
SHAPES = ["{{print {0}{1}{2}}}", "BEGIN{{{0}{1}{2}{3}}}", "{{print {0} > \"f\"{1}}}", "{{{0}print{1}>\"f\"}}", "{{x={0}/{1}; print {2}>\"f\"{3}}}",
          "{{{0}; \"touch f\" | {1}}}", "{0}{{print{1}}}{2}{{print > \"f\"}}", "BEGIN{{print {0}/{1} > \"f/\" {2}}}"]  # fmt: skip


@pytest.mark.parametrize("program", PLAIN)
def test_ordinary_programs_pass(program):
    assert is_plain_awk(program)


@pytest.mark.parametrize("program", WRITING)
def test_programs_that_write_or_run_something_do_not_pass(tmp_path, program):
    assert not is_plain_awk(program)
    assert any(is_writing(awk, program, tmp_path) for awk in AWKS)


def is_writing(awk, program, folder):
    """Whether a real awk makes a file."""
    return makes_a_file([awk, program], 'a "b\n1 2\n', folder)


@pytest.mark.slow
def test_random_programs_that_pass_write_nothing(tmp_path):
    generator = random.Random(5)
    passed, refused = set(), set()
    for _ in range(60_000):
        parts = ["".join(generator.choices(PIECES, k=generator.randint(0, 3))) for _ in range(4)]
        program = generator.choice(SHAPES).format(*parts)
        (passed if is_plain_awk(program) else refused).add(program)
    chosen = generator.sample(sorted(passed), min(len(passed), 80))
    print(f"{len(passed)} random programs pass; {len(chosen)} of them run")
    assert len(chosen) > 50
    assert [program for program in chosen for awk in AWKS if is_writing(awk, program, tmp_path)] == []
    # Otherwise the programs would prove nothing.
    tried = generator.sample(sorted(refused), 400)
    assert sum(is_writing(AWKS[0], program, tmp_path) for program in tried) > 0


@pytest.mark.parametrize("start", ["[]", "[^]"])
@pytest.mark.parametrize("action", ["print>$1", "print|$1", "print | $0"])
def test_a_bracket_that_begins_with_its_end_is_not_empty(start, action):
    # A real awk takes `[]/ ~ "]` for the bracket, and the rest of the text for an action.
    assert not is_plain_awk(f'/{start}/ ~ "]/{{{action}}}#"')
