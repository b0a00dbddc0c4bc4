"""Checks of programs that describe the machine, its packages and services, or download a page."""

import re
from collections.abc import Mapping
from typing import Final

from workbench.toolbox.approval.programs.rule import (
    LOOK,
    PURE,
    VERSION,
    Check,
    Form,
    ProgramCall,
    RuleCondition,
    check_forms,
    check_need,
)
from workbench.toolbox.approval.reason import ApprovalReason

_VERSION: Final = Form("--version", need=PURE)
_CONTAINERS: Final = (
    _VERSION,
    Form(
        r"ps|images|info|stats --no-stream|(?:network|volume|image|container|context) ls|system df|compose (?:ps|ls|config|images)|logs|top|port"
        r"|inspect|compose logs",
        r"-[anqsft]+|--(?:all|quiet|no-trunc|tail|since|timestamps|filter)(?:=[\w=.-]+)?|(?!-)[\w{}. \t:|/=-]+|--format",
        LOOK,
        own=r"--filter(?:=[\w=.-]+)?",
    ),
    Form(
        r"build|compose (?:up|build|down|stop|start|pull|restart)",
        r"-t|-f|-d|--(?:build|no-cache|pull)|(?!-)[\w./:-]+",
    ),
)
_PS: Final = r"(?:(?:pid|ppid|pgid|pcpu|pmem|%cpu|%mem|comm|cmd|args|command|time|rss|vsz|stat|tty|user|uid|ni|pri|start|lstart|nlwp|wchan)=?,?)+"
"""Columns of `ps`. None of them is the environment, which `e` shows in `ps aux e` but not in `ps -e`."""
_LISTED: Final = r"(?!-)[\w.+*@/:-]+"
FORMS: Final[Mapping[str, tuple[Form, ...]]] = {
    **dict.fromkeys(("docker", "podman"), _CONTAINERS),
    "docker-compose": (_VERSION, Form("ps|logs|config|images", r"-n|--tail=?\w*|(?!-)[\w-]+", LOOK)),
    "kubectl": (
        Form(r"version(?: --client)?|cluster-info|config current-context|config get-contexts", need=LOOK),
        Form(r"get|describe|top|logs|explain|api-resources", r"-[nAow]+|--(?:all-namespaces|namespace|tail|since)(?:=[\w-]+)?|(?!-)[\w./,-]+", LOOK,
             never=r".*secret", own="-o"),
    ),
    "systemctl": (Form(
        r"(?:--user )?(?:--no-pager )?(?:status|is-active|is-enabled|is-failed|list-units|list-timers|show|list-unit-files|list-sockets)",
        r"--(?:no-pager|type=\w+|state=\w+|all|failed|user)|(?!-)[\w@.-]+", LOOK,
    ),),
    "journalctl": (Form("", r"-[uxenrkbp]+\d*|--(?:no-pager|since|until|unit|lines)(?:=[\w: -]+)?|(?!-)[\w.@: -]+", LOOK),),
    "service": (Form(r"[\w-]+ status", need=LOOK),),
    "apt": (_VERSION, Form("list|show|search|policy", r"--(?:installed|upgradable)|(?!-)[\w.+-]+", LOOK)),
    "apt-cache": (_VERSION, Form("show|search|policy|depends|rdepends|madison", _LISTED, LOOK)),
    "dpkg": (_VERSION, Form("-l|-L|-s|-S|--list|--get-selections|--print-architecture", _LISTED, LOOK)),
    "rpm": (_VERSION, Form("-q[ailf]*", _LISTED, LOOK)),
    "brew": (_VERSION, Form("list|info|search|outdated|deps|doctor|config", _LISTED, LOOK)),
    "conda": (_VERSION, Form("list|info|env list|search|config --show", r"(?!-)[\w.+=-]+", LOOK)),
    "gh": (_VERSION, Form(r"(?:pr|issue|repo|run|release|workflow) (?:list|view|status|diff|checks)",
                         r"--(?:json|limit|state|author|label)(?:=[\w,]+)?|(?!-)[\w/#.,-]+", RuleCondition.NO_NETWORK)),
    "ip": (Form(r"(?:-(?:4|6|br|brief) ){0,2}(?:a|addr|address|route|r|link|neigh)(?: show(?: [\w.]+)?)?", need=PURE),),
    "ifconfig": (Form(r"(?:-a|[a-z]\w+)?", need=PURE),),
    "ss": (Form("", r"-[tulpnasx46]+", PURE),),
    "netstat": (Form("", r"-[tulpnasr]+", PURE),),
    "man": (Form(r"(?:-k |\d )?\w[\w.+-]*", need=PURE),),
    "date": (Form("", r"\+[\s\S]*|-[uR]|-I\w*|--utc|--rfc-\w+(?:=\w+)?|--iso-8601(?:=\w+)?|-d|--date=[^/]*|(?!-|\d+(?:\.\d+)?$)[\w @:+,.-]+", PURE),),
    "top": (Form(r"-b -?n ?1|-bn1", need=PURE),),
    "crontab": (Form("-l", need=LOOK),),
    "ping": (Form(r"-c ?\d{1,2}", r"(?!-)[\w.-]+", RuleCondition.NO_NETWORK),),
    "dig": (Form(r"(?:\+short )?[\w.-]+(?: (?:A|AAAA|MX|TXT|NS|CNAME))?(?: \+short)?", need=RuleCondition.NO_NETWORK),),
    "nslookup": (Form(r"\w[\w.-]*", need=RuleCondition.NO_NETWORK),),
    "host": (Form(r"\w[\w.-]*", need=RuleCondition.NO_NETWORK),),
    "psql": (_VERSION, Form(r"-l|--list", need=RuleCondition.NO_NETWORK), Form(
        r"(?:-[UdhAt] ?[\w.-]* ?){0,3}-c", r"(?is)(?!.*(?:\\|\bprogram\b|\bcopy\b|pg_|lo_|dblink|drop|truncate|alter|grant))"
        r"(?:select\b[^;]*|insert into\b[^;]*|delete from \w+ where\b[^;]*|update \w+ set\b[^;]*\bwhere\b[^;]*);?", RuleCondition.NO_NETWORK,
    )),
    "openssl": (Form(r"version|rand -(?:hex|base64) \d{1,4}", need=PURE),),
    # `less +!command` runs a command.
    **dict.fromkeys(("less", "more"), (Form("", r"-[NSRFXids]+|(?!-|\+)[\w./ -]+", PURE),)),
    # A file of the project may name the folder of the toolchain.
    "rustup": (VERSION, Form(r"show|toolchain list|target list")),
    "helm": (_VERSION, Form(r"list|status|history", r"(?!-)[\w-]+", RuleCondition.NO_NETWORK)),
    "aws": (_VERSION, Form(r"s3 ls|sts get-caller-identity", r"(?!-)[\w:/.-]+", RuleCondition.NO_NETWORK)),
    "7z": (Form("l", r"(?!-)[\w./-]+", LOOK),),
    "mysql": (Form("--version|-V", need=PURE),),
    "redis-cli": (Form("ping|info|--version", need=RuleCondition.NO_NETWORK),),
    "nvidia-smi": (Form("", r"-L|--query-gpu=[\w.,]+|--format=[\w,]+", LOOK),),
    "mktemp": (Form("(?:-d)?", need=LOOK),),
    "history": (Form(r"\d*", need=PURE),),
    "jobs": (Form("(?:-l)?", need=PURE),),
    "ulimit": (Form("-[an]", need=PURE),),
    **dict.fromkeys(("umask", "alias", "wait"), (Form("", need=PURE),)),
    "ps": (Form(
        r"(?:-?[auxwfj]*[auxf][auxwfj]*|-(?:e|A)[fFlLjHMw]*)?(?: f| ww?| --forest| --no-headers| -H| -ww)*|(?:-[eA] )?-p \d+(?:,\d+)*"
        rf"|-(?:e|A) ?-?o {_PS}|-eo {_PS}|-o {_PS}|-p \d+ -o {_PS}|-C [\w.-]+", rf"--sort=[-+]?{_PS}", PURE, own="-o"),),
    # `vim -V` reads commands from its input.
    **dict.fromkeys(("gcloud", "pandoc", "gdb", "vim", "nano", "emacs", "code", "rsync"), (_VERSION,)),
    **dict.fromkeys(("ffmpeg", "ffprobe", "convert", "magick"), (Form("-version", need=PURE),)),
    "ssh": (Form("-V", need=PURE),),
    # Their settings or modules may be in the current folder.
    **dict.fromkeys(("ansible", "az"), (Form("--version"),)),
}  # fmt: skip
"""Known forms of calls by program. All other forms need approval."""
_CURL: Final = re.compile(
    r"-[sSLIfkv]+|--(?:silent|show-error|location|head|fail|compressed|max-time|retry|http1\.1)|-m|\d{1,3}|-o|-O|--output"
)
_WGET: Final = re.compile(r"-[qcN]+|-q?O-?|--(?:quiet|no-verbose|timeout=\d+|tries=\d+|spider)|-nv")
_URL: Final = re.compile(
    r"https?://(?!(?:[\w.-]*\.)?(?:internal|local|localdomain)\b)(?:(?:[\w-]+\.)+[a-z]{2,}|localhost)(?::\d{2,5})?(?:/[\w./%~+@=&?,:;-]*)?",
    re.I,
)
"""A public address with a host name. Numeric addresses are not accepted: one may be the cloud's metadata service."""


def check_machine(call: ProgramCall) -> list[ApprovalReason]:
    """Return every reason to ask about a call of a program in `FORMS`."""
    return check_forms(call, FORMS)


def check_download(call: ProgramCall) -> list[ApprovalReason]:
    """Allow `curl` and `wget` to get one public address and to write it to a file in the working folder."""
    options = _CURL if call.name == "curl" else _WGET
    doubts: list[ApprovalReason] = []
    addresses, is_output = 0, False
    for word in call.words:
        if not word.is_known or (word.has_glob and word.may_be_option):
            return [call.unknown()]
        if is_output:
            doubts.extend(doubt for doubt in (call.paths.writing(word, is_redirection=True),) if doubt)
            is_output = False
        elif _URL.fullmatch(word.text):
            addresses += 1
        elif options.fullmatch(word.text):
            is_output = word.text in ("-o", "--output", "-O", "-qO") and (call.name, word.text) != (
                "curl",
                "-O",
            )
        else:
            return [call.unknown(word)]
    if addresses != 1 or is_output:
        return [call.unknown()]
    return [*doubts, *check_need(RuleCondition.NO_NETWORK, call)]


CHECKS: Final[Mapping[str, Check]] = {
    **dict.fromkeys(FORMS, check_machine), "curl": check_download, "wget": check_download,
}  # fmt: skip
