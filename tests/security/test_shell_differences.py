"""Real shells run nothing that is hidden from the gate: whenever they run a hidden command, it needed approval.

Each command has a hidden call of `mark`, a program that leaves a marker. Commands that the gate lets pass unasked are
run in real shells, and the marker must not appear.
"""

import os
import random
import shutil
import subprocess
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties import examples
from workbench.toolbox.approval.allowed import detect
from workbench.toolbox.approval.reason import CommandEnvironment

SHELLS = [shell for shell in ("sh", "bash") if shutil.which(shell)]
PLACE = CommandEnvironment()
BARE = CommandEnvironment(is_contained=False, root="/no/such/folder")

HIDING = [
    "echo a#; {P}", "echo a#b#c\n{P}", "echo $#; {P}", "echo ${{#x}}; {P}", "echo \\#; {P}", "echo '#'; {P}", 'echo "#"; {P}', "ls #\n{P}",
    "echo a;# b\n{P}", "echo a\\\n#b; {P}", "cat <<E\nit's\nE\n{P}", 'cat <<E\n"\nE\n{P} #"', "cat <<'E'\n$(\nE\n{P}", "cat <<E\n$({P})\nE",
    "cat <<E\n`{P}`\nE", 'cat <<"E"\n`\nE\n{P}', "cat <<-E\n\tit's\n\tE\n{P}", "cat <<A <<B\n'\nA\n\"\nB\n{P}", "cat <<E; {P}\nx\nE",
    "cat <<E | sh\n{P}\nE", "sh <<E\n{P}\nE", "cat <<E\nE \nE\n{P}", "cat <<E\\E\nEE\n{P}", "cat <<''\nx\n\n{P}", "cat << E\nx\nE\n{P}",
    "echo ${{x:-$({P})}}", 'echo "${{x:-$({P})}}"', 'echo "${{x:=`{P}`}}"', "echo ${{x:+a}}${{y:-`{P}`}}", "echo ${{x-'$({P})'}}; {P}",
    'echo "$(echo "$({P})")"', "echo `echo \\`{P}\\``", 'echo "`{P}`"', "echo $(( $({P}) + 1 ))", "env -u A {P}", "env -i PATH=\"$PATH\" {P}",
    "env -S '{P}'", "A=1 {P}", "A= {P}", "A=$({P}) true", "A=$({P})", "export A=$({P})", "eval {P}", "eval '{P}'", "eval \"$(echo {P})\"",
    "command {P}", "exec {P}", "trap {P} EXIT", "trap '{P}' 0", "f() {{ {P}; }}; f", "function f {{ {P}; }}; f", "echo() {{ {P}; }}; echo",
    "ls & {P}", "ls &\n{P}", "ls &&{P}", "false||{P}", "ls|{P}", "ls |& {P}", "({P})", "{{ {P}; }}", "! {P}", "!{P}", "time {P}", "if {P}; then :; fi",
    "if :; then {P}; fi", "while {P}; do break; done", "until {P}; do :; done", "for i in 1; do {P}; done", "for i in $({P}); do :; done",
    "case x in x) {P};; esac", "case $({P}) in *) ;; esac", "ls > /dev/null; {P}", "ls >/dev/null 2>&1; {P}", "ls &> /dev/null {P}",
    "ls >& /dev/null; {P}", "> x {P}", "2>x {P}", "ls > $({P})", "cat < <({P})", "cat <({P})", "ls > >({P})", "cat <<< $({P})", "cat <<< \"`{P}`\"",
    "sh <<< '{P}'", "sh -c '{P}'", "sh -c \"sh -c '{P}'\"", "echo {P} | sh", "printf '{P}' | sh", "echo {P} | xargs -I% sh -c %", "xargs {P} < /dev/null",
    "find . -maxdepth 0 -exec {P} \\;", "find . -maxdepth 0 -exec sh -c {P} \\;", "awk 'BEGIN{{system(\"{P}\")}}'", "awk 'BEGIN{{\"{P}\" | getline}}'",
    "awk 'BEGIN{{print \"\" | \"{P}\"}}'", "echo x | sed 's/x/{P}/e'", "echo x | sed '1e {P}'", "tar cf /dev/null . --checkpoint=1 --checkpoint-action=exec={P}",
    "tar cf x.tar -I {P} .", "sort --compress-program={P} -S 1 x", "git -c alias.x='!{P}' x", "git -c core.pager={P} -p --version", "PAGER={P} git -p log",
    "timeout 5 {P}", "nice {P}", "nohup {P}", "setsid {P}", "taskset 1 {P}", "script -qc {P} /dev/null", "stdbuf -o0 {P}", "xargs -a /dev/null {P}",
    "[[ -f x && {P} ]]", "[[ -f x || {P} ]]", "[[ 'a[$({P})]' -eq 0 ]]", "test -v 'a[$({P})]'", "[ -v 'a[$({P})]' ]", "printf -v 'a[$({P})]' x",
    "x='a[$({P})]'; echo $((x))", "for x in 'a[$({P})]'; do echo $((x)); done", "echo ${{a[$({P})]}}", "read 'a[$({P})]' < /dev/null", "let 'a[$({P})]=1'",
    "'{P}'", '"{P}"', "\\{P}", "m''ark", 'm"a"rk', "m\\ark", "$'mark'", "$\"mark\"", "$'\\x6dark'", "{{mark,}}", "{{m,}}ark", "x=mark; $x", "x=mark; \"$x\"",
    "x=ark; m$x", "$(echo mark)", "`echo mark`", "m$(echo ark)", "mar? ", "ls\r\n{P}", "ls\r{P}", "ls\x0b{P}", "ls\x0c{P}", "ls\x00;{P}", "ls\x1b[0m;{P}", "ls\xa0;{P}",
    "ls\u2028{P}", "ls\\\n;{P}", "ls \\\n\n{P}", "echo '\\'; {P} #'", "echo \"\\\\\"; {P} #\"", "echo \\'; {P} #'", "echo 'a'\\''; {P} #'", "echo \"'\"; {P} #'",
    "echo '\"'; {P} #\"", "echo $'\\''; {P} #'", "echo \"$'\"; {P} #'", "echo \"${{x}}'\"; {P} #'", "echo \"$(echo ')'; {P})\"", "echo \"$(case x in x) {P};; esac)\"",
    "echo $(echo \\) ; {P})", "echo a{{b,c}}; {P}", "select x in a; do {P}; done", "coproc {P}; wait", "alias zz={P}\nzz", "set -- {P}; $1", "set -- {P}; \"$@\"",
    "cd . && {P}", "ls; exit; {P}", "ls\n\n\n{P}", ";{P}", "ls;; {P}", "echo ]] ; {P}", "echo then {P}; {P}", "((1)) && {P}", "(( $({P}) ))",
    "echo {P} > x.sh; sh x.sh", "echo {P} > x.sh; . ./x.sh", "printf '#!/bin/sh\\n{P}\\n' > x; chmod +x x; ./x", "echo 'import os; os.system(\"{P}\")' > x.py; python3 x.py",
    "cat > x.sh <<'E'\n{P}\nE\nbash x.sh", "echo {P} | tee x.sh; sh x.sh", "echo '.shell {P}' | sqlite3 x.db", "make -f - <<< 'x:;{P}'", "printf 'x:\\n\\t{P}\\n' | make -f -",
    "sqlite3 x.db '.shell {P}'", "python3 -c 'import os; os.system(\"{P}\")'", "python3 - <<'E'\nimport os; os.system('{P}')\nE", "echo x | less '+!{P}'", "git grep -O{P} x",
    "PATH=.:$PATH; {P}", "BASH_ENV=x bash -c {P}", "IFS=x; {P}", "watch -n1 -x {P}", "flock x {P}", "busybox sh -c {P}",
]  # fmt: skip
BEFORE = [
    "",
    "echo 'a'; ",
    "# note\n",
    "cd . && ",
    "echo a#b;",
    "ls > /dev/null\n",
    "if true; then echo; fi; ",
    "cat <<'Q'\n'\nQ\n",
]
AFTER = ["", " # '", "\n", '; echo "b"']


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("shells"))


class Bench:
    """Runs commands in real shells that have the program `mark` on their path."""

    def __init__(self, folder):
        self.work, self.marker = folder / "work", folder / "marker"
        self.programs = folder / "programs"
        self.programs.mkdir()
        mark = self.programs / "mark"
        mark.write_text(f"#!/bin/sh\necho ran >> '{self.marker}'\n")
        mark.chmod(0o755)

    def is_marked(self, command):
        """Whether a real shell runs `mark` for this command."""
        for shell in SHELLS:
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir()
            (self.work / "x").write_text("x\n")
            environment = {
                "PATH": f"{self.programs}:{os.environ['PATH']}",
                "HOME": str(self.work),
                "LANG": "C.UTF-8",
            }
            try:
                subprocess.run(
                    [shell, "-c", command.replace("\0", "")], cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                    capture_output=True, timeout=20, check=False, start_new_session=True,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                continue
            if self.marker.exists():
                self.marker.unlink()
                return True
        return False


def is_asked(command, place=PLACE):
    danger = detect(command, place)
    return bool(danger.hardline or danger.categories)


def hidden(template):
    return template.format(P="mark") if "{P}" in template or "{{" in template else template


@pytest.mark.parametrize("place", [PLACE, BARE], ids=["contained", "bare"])
def test_every_hidden_command_that_a_shell_runs_needs_approval(bench, place):
    unasked = [command for command in map(hidden, HIDING) if not is_asked(command, place)]
    assert [command for command in unasked if bench.is_marked(command)] == []


def test_most_cases_really_run_the_hidden_command(bench):
    """Otherwise the cases would prove nothing."""
    chosen = random.Random(7).sample(HIDING, 40)
    ran = sum(bench.is_marked(hidden(template)) for template in chosen)
    print(f"{ran} of {len(chosen)} sampled cases run the hidden command")
    assert ran > len(chosen) / 2


@pytest.mark.slow
def test_combinations_of_cases_need_approval(bench):
    cases = [before + hidden(template) + after for before, template, after in product(BEFORE, HIDING, AFTER)]
    unasked = [command for command in cases if not is_asked(command)]
    print(f"{len(unasked)} of {len(cases)} combinations are not asked about, and run")
    assert [
        command
        for command in random.Random(1).sample(unasked, min(len(unasked), 150))
        if bench.is_marked(command)
    ] == []


PIECES = [
    "echo", "ls", "cat", "a", "#", "'", '"', "\\", "\n", " ", "$(", ")", "`", "${x:-", "}", "<<E", "<<'E'", "\nE\n", "mark", ";", "&", "|", "&&", "<", ">", "{ ", "; }",
    "[[ ", " ]]", "&> ", "x=", "for f in a", "; do ", "; done", "if true; then ", "; fi", "$x", "$((", "))", "$'", "<(", "(", "\t", ",", "*", "!", "x=mark;", "'a'", '"b"', "~",
]  # fmt: skip


def test_random_texts_need_approval_or_are_harmless(bench):
    generator = random.Random(11)
    unasked = set()
    for _ in range(12_000):
        command = "".join(generator.choices(PIECES, k=generator.randint(3, 9)))
        if "mark" in command and not is_asked(command):
            unasked.add(command)
    chosen = generator.sample(sorted(unasked), min(len(unasked), 250))
    print(
        f"{len(unasked)} random texts with the hidden command are not asked about; {len(chosen)} of them run"
    )
    assert len(chosen) > 50
    assert [command for command in chosen if bench.is_marked(command)] == []


@settings(
    max_examples=examples(150),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.text(alphabet=" \n\t'\"\\$(){}`;&|<>#=[]!*?~abE-/", max_size=12),
    st.text(alphabet=" \n'\"\\$(){}`;&|<>#=[]!", max_size=8),
)
def test_any_characters_around_a_command_need_approval_or_are_harmless(bench, before, after):
    for command in (f"{before}mark{after}", f"echo {before}mark{after}", f"echo a{before}\nmark{after}"):
        assert is_asked(command) or not bench.is_marked(command), command
