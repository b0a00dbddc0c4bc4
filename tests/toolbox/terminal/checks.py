"""The checks that every environment must pass: each is a function of an opened environment."""

import threading
from dataclasses import dataclass, field

from tests.toolbox.terminal.sites import Site, new_number, sleeps, until
from workbench.toolbox.terminal.output import MAX_OUTPUT_BYTES
from workbench.toolbox.terminal.tool import MOST_BACKGROUND, Terminal


class NotHere(Exception):
    """Why a check does not apply to an environment."""


@dataclass
class Bench:
    """An opened environment, with short ways to use it."""

    site: Site
    terminal: Terminal = field(init=False)

    def __post_init__(self):
        self.environment = self.site.environment()
        self.terminal = Terminal(self.environment)

    def run(self, command, task="t", **arguments):
        return self.terminal.run({"command": command, **arguments}, task_id=task)

    def output(self, command, task="t", **arguments):
        return str(self.run(command, task, **arguments)["output"])

    def process(self, action, name="", task="t"):
        return self.terminal.process({"action": action, "process_id": name}, task_id=task)

    def new_folder(self):
        """Make an empty folder, go there, and return its path."""
        return self.output("cd; cd $(mktemp -d $HOME/work-XXXXXX); pwd").strip()

    @property
    def has_rooms(self):
        return bool(self.environment._backend.room_name("t", "x"))  # the checks look inside


def both_streams_and_the_exit_code(bench):
    assert bench.run("echo out; echo err >&2; exit 3") == {"output": "out\nerr\n", "exit_code": 3}


def streams_stay_in_order(bench):
    text = "for n in 1 2 3 4 5; do echo $n; echo $n >&2; done"
    assert bench.output(text).split() == [str(n) for n in range(1, 6) for _ in range(2)]


def an_unknown_program(bench):
    result = bench.run("no-such-program-here")
    assert result["exit_code"] == 127
    assert "no-such-program-here" in result["output"]


def a_syntax_error(bench):
    result = bench.run("if; then")
    assert result["exit_code"] != 0
    assert bench.output("echo fine") == "fine\n"


def quotes_and_lines(bench):
    assert bench.output("x='it'\"'\"'s'\necho \"$x\" '\"a  b\"' \\$HOME") == 'it\'s "a  b" $HOME\n'


def a_here_document(bench):
    assert bench.output("cat <<'END'\na $b\nEND") == "a $b\n"


def letters_of_all_languages(bench):
    assert bench.output("echo 'žluť 漢字 🙂'") == "žluť 漢字 🙂\n"


def bytes_that_are_not_text(bench):
    assert bench.output("printf 'a\\377b\\n'") == "a\ufffdb\n"


def no_output(bench):
    assert bench.run("true") == {"output": "", "exit_code": 0}


def nothing_waits_for_input(bench):
    assert bench.run("cat; echo read", timeout=20) == {"output": "read\n", "exit_code": 0}


def a_long_output_is_cut_in_the_middle(bench):
    output = bench.output("echo begin; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end")
    assert len(output) < MAX_OUTPUT_BYTES + 100
    assert output.startswith("begin\n") and output.endswith("end\n")
    assert "bytes left out" in output


def a_signal_ends_a_command(bench):
    assert bench.run("sh -c 'kill -9 $$'")["exit_code"] == 137


def files_stay(bench):
    bench.run("echo kept > kept.txt")
    assert bench.output("cat kept.txt") == "kept\n"


def temporary_files_stay(bench):
    bench.run("echo kept > /tmp/hermes-check-kept")
    assert bench.output("cat /tmp/hermes-check-kept; rm /tmp/hermes-check-kept") == "kept\n"


def tasks_have_their_own_files(bench):
    if bench.site.kind == "ssh":
        raise NotHere("all tasks work in the home folder of the user there")
    bench.run("cd; echo mine > of-this-task")
    assert bench.run("cd; cat of-this-task", "other")["exit_code"] != 0


def a_room_that_died_is_opened_again(bench):
    if not bench.has_rooms:
        raise NotHere("nothing is started before a command")
    bench.run("true")
    backend = bench.environment._backend
    backend.close_room(bench.environment._rooms["t"])
    assert bench.output("echo again") == "again\n"


def the_folder_stays(bench):
    folder = bench.new_folder()
    assert bench.output("pwd") == f"{folder}\n"
    bench.run("mkdir below; cd below")
    assert bench.output("pwd") == f"{folder}/below\n"


def each_task_has_its_folder(bench):
    bench.run("cd /")
    assert bench.output("pwd", "other") != "/\n"
    assert bench.output("pwd") == "/\n"


def the_folder_of_the_call(bench):
    folder = bench.new_folder()
    assert bench.output("pwd", workdir="/") == "/\n"
    assert bench.output("pwd") == "/\n"
    assert bench.output("pwd", workdir=folder) == f"{folder}\n"


def a_folder_that_does_not_exist(bench):
    folder = bench.new_folder()
    assert bench.run("pwd", workdir="/no such")["exit_code"] == 1
    assert bench.output("pwd") == f"{folder}\n"


def a_folder_with_blanks_and_quotes(bench):
    folder = bench.new_folder()
    bench.run('mkdir "it\'s a folder"; cd "it\'s a folder"')
    assert bench.output("pwd") == f"{folder}/it's a folder\n"


def a_failed_command_keeps_the_folder(bench):
    folder = bench.new_folder()
    assert bench.run("mkdir x; cd x; false")["exit_code"] == 1
    assert bench.output("pwd") == f"{folder}/x\n"


def approval_knows_the_folder(bench):
    bench.run("cd; mkdir -p known; cd known")
    assert bench.terminal.place("t", "").folder.endswith("known")
    assert bench.terminal.place("t", "/etc").folder in ("/etc", "etc")


def our_keys_are_not_seen(bench):
    assert "hidden" not in bench.output("env")
    assert bench.output("echo [$HF_TOKEN$OPENAI_API_KEY]") == "[]\n"


def the_home_folder_can_be_written(bench):
    assert bench.output("cd; echo a > note; cat ~/note; rm ~/note") == "a\n"


def too_long_a_command_is_ended(bench):
    number = new_number()
    result = bench.run(f"echo started; sleep {number}", timeout=1)
    assert result["output"] == "started\n"
    assert "over 1 s" in result["error"]
    assert until(lambda: sleeps(number) == 0)
    assert bench.output("echo next") == "next\n"


def children_end_with_a_command_that_took_too_long(bench):
    number = new_number()
    bench.run(f"(sleep {number}; echo no) & (sleep {number}) & sleep {number}", timeout=1)
    assert until(lambda: sleeps(number) == 0)


def a_command_that_ignores_signals_is_killed(bench):
    number = new_number()
    assert "over 1 s" in bench.run(f"trap '' TERM HUP INT; sleep {number}", timeout=1)["error"]
    assert until(lambda: sleeps(number) == 0)


def a_child_in_the_background_delays_nothing(bench):
    number = new_number()
    assert bench.run(f"sleep {number} & echo done", timeout=20) == {"output": "done\n", "exit_code": 0}
    assert until(lambda: sleeps(number) == 0)


def a_child_in_its_own_session_is_ended(bench):
    if bench.run("command -v setsid")["exit_code"] != 0:
        raise NotHere("the program setsid is not there")
    number = new_number()
    bench.run(f"setsid sleep {number} >/dev/null 2>&1 & echo done")
    assert until(lambda: sleeps(number) == 0)


def background_processes_are_polled(bench):
    name = bench.run("echo up; sleep 1; echo down; exit 4", background=True)["process_id"]
    assert bench.process("poll", name)["status"] == "running"
    assert until(lambda: "up" in bench.process("poll", name)["output"])
    assert until(lambda: bench.process("poll", name)["status"] == "ended")
    assert bench.process("poll", name) == {"output": "up\ndown\n", "status": "ended", "exit_code": 4}
    assert bench.process("kill", name)["status"] == "ended"


def background_processes_are_killed(bench):
    number = new_number()
    name = bench.run(f"sleep {number}", background=True)["process_id"]
    assert until(lambda: sleeps(number) == 1)
    assert bench.process("list", task="other") == {"processes": []}
    assert bench.process("kill", name)["status"] == "ended"
    assert until(lambda: sleeps(number) == 0)
    assert "no such process" in bench.process("poll", name)["error"]


def a_background_process_outlives_the_thread_that_started_it(bench):
    number, results = new_number(), []
    thread = threading.Thread(
        target=lambda: results.append(bench.run(f"sleep {number}", background=True)["process_id"])
    )
    thread.start()
    thread.join()
    assert until(lambda: sleeps(number) == 1)
    assert bench.output("echo meanwhile") == "meanwhile\n"
    assert sleeps(number) == 1
    bench.process("kill", results[0])


def background_processes_are_limited(bench):
    names = [bench.run("sleep 300", background=True)["process_id"] for _ in range(MOST_BACKGROUND)]
    assert "kill one" in bench.run("sleep 300", background=True)["error"]
    for name in names:
        bench.process("kill", name)


def a_terminal_if_asked(bench):
    assert bench.output("test -t 1 && echo yes || echo no") == "no\n"
    if bench.environment.no_terminal:
        assert bench.environment.no_terminal in bench.run("true", pty=True)["error"]
        raise NotHere(bench.environment.no_terminal)
    assert bench.output("test -t 1 && test -t 0 && echo yes || echo no", pty=True).strip() == "yes"


def tasks_run_at_the_same_time(bench):
    results = {}

    def work(task):
        results[task] = bench.output(f"sleep 0.3; echo {task}", task)

    threads = [threading.Thread(target=work, args=(task,)) for task in ("t", "other", "third", "t")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {task: f"{task}\n" for task in ("t", "other", "third")}, results


def stopping_a_task_ends_only_its_commands(bench):
    mine, theirs = new_number(), new_number()
    bench.run(f"sleep {mine}", background=True)
    name = bench.run(f"sleep {theirs}", "other", background=True)["process_id"]
    assert until(lambda: sleeps(mine) == sleeps(theirs) == 1)
    bench.environment.stop("t")
    assert until(lambda: sleeps(mine) == 0)
    assert sleeps(theirs) == 1
    bench.process("kill", name, "other")


def nothing_runs_after_the_end(bench):
    number = new_number()
    other = Bench(bench.site)
    other.run(f"sleep {number}", background=True)
    assert until(lambda: sleeps(number) == 1)
    before = set(bench.site.records)
    other.terminal.close()
    assert until(lambda: sleeps(number) == 0)
    assert len(before - set(bench.site.records)) == 2, "its record and lock are deleted"


def a_killed_workbench_is_tidied_up_by_the_next_one(bench):
    number, alive = new_number(), new_number()
    name = bench.run(f"sleep {alive}", background=True)["process_id"]
    with bench.site.other_process(f"sleep {number}") as process:
        assert until(lambda: sleeps(number) == 1)
        bench.site.end_leftovers()
        assert sleeps(number) == 1, "a process that is alive keeps what it started"
        process.kill()
        process.wait()
        bench.site.end_leftovers()
    assert until(lambda: sleeps(number) == 0)
    assert sleeps(alive) == 1
    bench.process("kill", name)
    owner = bench.environment._record.owner
    assert {path.stem for path in bench.site.records} <= {owner}


CHECKS = tuple(
    value for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", "") == __name__ and name[0].islower()
)  # fmt: skip
"""All checks, in the order of this file."""
