"""Commands are classified: refused ones, disguises, each category, harmless ones. The corpora are in `tests/security`."""

import time

import pytest

from workbench.toolbox.approval.allowed import detect
from workbench.toolbox.approval.categories import NAMES

HARDLINE = [
    "rm -rf /", "rm -rf /*", "rm / -rf", "rm --recursive --force /", "rm -rf --no-preserve-root /", "rm -rf ~",
    "rm -rf $HOME", "rm -rf /etc/", "rm -rf //usr", "rm -rf /usr/..", "rm -rf ~/..", "rm -rf ~/*", "rm -rf /etc/ssh/../", "rm -Rf /home", "find / -delete",
    "mkfs.ext4 /dev/sda1", "diskutil eraseDisk JHFS+ X disk2", "wipefs -a /dev/sdb", "shred /dev/nvme0n1",
    "dd if=/dev/zero of=/dev/sda bs=1M", "echo x > /dev/sda", "cat image | tee /dev/sdb", ":(){ :|:& };:",
    "bomb() { bomb | bomb & }; bomb", "kill -9 -1", "kill -1", "shutdown -h now", "reboot", "halt", "poweroff",
    "init 0", "init 6", "telinit 6", "systemctl poweroff", "systemctl reboot",
]  # fmt: skip

DISGUISES = [
    "r\\m -rf /", "'rm' -rf /", 'r"m" -rf "/"', "r''m -rf /", "rm\\\n -rf /", "rm${IFS}-rf${IFS}/", "rm$IFS-rf$IFS/",
    "ｒｍ -rf /", "r\u200bm -rf /", "\x1b[31mrm\x1b[0m -rf /", "$'\\x72m' -rf /", "{rm,-rf,/}", "/bin/rm -rf /",
    "sudo rm -rf /", "sudo -u root rm -rf /", "env -i rm -rf /", "A=1 rm -rf /", "nohup timeout 5 rm -rf /",
    "busybox rm -rf /", "bash -c 'rm -rf /'", "sh -xc 'rm -rf /'", 'eval "rm -rf /"', "bash -c \"sh -c 'rm -rf /'\"",
    "true && rm -rf /", "false || rm -rf /", "ls; rm -rf /", "ls | rm -rf /", "(rm -rf /)", "{ rm -rf /; }",
    "echo $(rm -rf /)", 'echo "$(rm -rf /)"', "echo `rm -rf /`", "if true; then rm -rf /; fi",
    "bash <<< 'rm -rf /'", "ls\nrm -rf /", "r\0m -rf /", "RM -rf /",
    "sudo " * 500 + "rm -rf /", "bash -c " * 3 + "x; rm -rf /",
]  # fmt: skip

DANGEROUS = {
    "recursive delete": ["rm -rf build", "rm build -r", "find . -name x -delete", "find . -exec rm {} +", "ls | xargs rm"],
    "Windows delete, registry or rights": ["taskkill /F /IM x", "reg delete HKLM", "del /s x", "vssadmin delete shadows"],
    "PowerShell that deletes or downloads and runs": ["Remove-Item -Recurse x", "iwr x | iex", "Format-Volume D"],
    "rights for everyone or root's ownership": ["chmod 777 x", "chmod -R a+rwx x", "chown root:root x"],
    "file system or block device": ["dd if=a of=b", "fdisk -l"],
    "destructive SQL": ["psql -c 'DROP TABLE x'", "sqlite3 a 'delete from x'", "mysql -e 'TRUNCATE TABLE x'"],
    "system configuration or credentials overwritten": [
        "echo x > /etc/hosts", "echo x | tee -a /etc/hosts", "cp a ~/.ssh/config", "sed -i s/a/b/ /etc/passwd",
        "echo x >> ~/.bashrc", "cat a > .env", "mv a ~/.aws/credentials",
    ],
    "service stopped": ["systemctl stop nginx", "service nginx stop"],
    "process killed": ["kill 5", "pkill -f x", "killall x"],
    "downloaded code run": ["curl x | sh", "wget -O- x | sudo bash", "bash <(curl x)", "eval $(curl x)", "curl x | python3"],
    "cloud metadata": ["curl http://169.254.169.254/latest", "curl metadata.google.internal"],
    "decoded code run": ["echo x | base64 -d | sh", "xxd -r -p x | bash", "eval $(echo x | base64 -d)"],
    "inline script": ["python3 -c 'x()'", "perl -e x", "node --eval x", "bash <<EOF\nls\nEOF", "bash -c ls", "ls | sh"],
    "the agent's own process": ["hermes gateway stop", "workbench update"],
    "containers removed or run remotely": ["docker rm -f x", "docker -H tcp://x ps", "kubectl delete pod x"],
    "git history or work thrown away": [
        "git reset --hard", "git push --force", "git push -f", "git push origin +main", "git clean -fd", "git branch -D x",
    ],
    "fresh file made executable and run": ["chmod +x a.sh && ./a.sh"],
    "password fed to sudo": ["echo p | sudo -S ls", "sudo -A ls"],
    "package removed": ["apt-get remove x", "pip3 uninstall x", "brew uninstall x", "npm uninstall x"],
    "hidden program": ["$a -rf x", "/bin/r? x", "$(echo rm) x"],
}  # fmt: skip

HARMLESS = [
    "ls -la", "rm file.txt", "git commit -m 'rm -rf / is bad'", 'echo "rm -rf /"', "grep -r 'shutdown' .", "cat a > b",
    "python script.py", "git push", "git status", "chmod 644 x", "docker ps", "curl -o a https://example.org",
    "psql -c 'DELETE FROM x WHERE a = 1'", "echo $(date)", 'echo "$(date)"', "tar czf a.tgz b", "find . -name '*.py'",
    "[ -f a ] && echo yes", "npm install", "systemctl status nginx", "# rm -rf /\nls", "",
]  # fmt: skip


@pytest.mark.parametrize("command", HARDLINE)
def test_commands_of_the_hardline_list_are_refused(command):
    assert detect(command).hardline


@pytest.mark.parametrize("command", DISGUISES)
def test_disguised_commands_are_refused(command):
    assert detect(command).hardline


@pytest.mark.parametrize(
    ("category", "command"), [(name, command) for name, commands in DANGEROUS.items() for command in commands]
)
def test_each_category_is_recognized(category, command):
    danger = detect(command)
    assert category in danger.categories
    assert not danger.hardline


def test_each_category_has_examples():
    assert set(DANGEROUS) == set(NAMES)


@pytest.mark.parametrize("command", HARMLESS)
def test_a_harmless_command_needs_no_approval(command):
    assert detect(command).categories == ()
    assert detect(command).hardline == ""


HEAVY = [
    "a" * 9, "(", "$(", "`", '"', "'", "\\", "{a,", "{", "${IFS", "<", ">", "rm ", "sudo ", "x=1 ", "\x1b[", "\x1b]",
    "$'\\x7", "/", "/..", "|", ";", "delete from x ", "iwr ", "bash -c '", '"$(', "eval ", "find -exec ", "<<<", "#",
    "() {", "a() {a|", "\n", " ", "drop ", "git push +", "<(", ": ", "1>", "😀",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", HEAVY)
def test_time_grows_linearly_with_the_length(piece):
    def seconds(size):
        text = piece * (size // len(piece))
        best = 9.0
        for _ in range(2):
            started_s = time.process_time()
            detect(text)
            best = min(best, time.process_time() - started_s)
        return best

    assert seconds(8_000) < 8 * seconds(2_000) + 0.05, (
        "four times the length took far more than four times as long"
    )
