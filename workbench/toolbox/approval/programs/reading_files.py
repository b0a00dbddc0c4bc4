"""Rules of programs that read files or describe the machine. No permitted option writes or runs anything."""

from collections.abc import Mapping
from typing import Final

from workbench.toolbox.approval.programs.rule import ANY, Operands, ProgramRule

_READS: Final = (
    "cat tac nl head tail wc fold expand unexpand paste column rev stat du df basename dirname realpath readlink cmp "
    "comm join cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum base64 base32 od hexdump strings "
    "ls dir vdir lsblk lscpu lsusb lspci zcat bzcat xzcat zstdcat pr fmt tsort numfmt iconv nm size objdump readelf ldd "
    "namei vmstat mountpoint findmnt cloc tokei wdiff zgrep file uuidgen locate"
)  # fmt: skip
_TEXTS: Final = "echo true false : seq test [ expr sleep factor sum users"
_STATES: Final = (
    "pwd whoami id groups uname arch nproc free uptime ps pgrep tty locale getconf logname who w last clear printenv cal lsof "
    "lsmod iostat hostid sw_vers"
)
_SORT_OPTIONS: Final = (
    r"-[bdfghiMmnRrsuVzc]*(?:[kt](?:\S{1,20})?)?|--(?:reverse|unique|numeric-sort|human-numeric-sort|version-sort|"
    r"general-numeric-sort|month-sort|ignore-case|stable|check|dictionary-order|zero-terminated|random-sort|"
    r"ignore-leading-blanks|key=[\w.,]{1,20}|field-separator=.{1,2})"
)
_RG_OPTIONS: Final = (
    r"-(?!-)[acFHhIiLlnNoPpqSsUuvwxz0]*(?:[ABCegtTMmjdr](?:[^/~]{0,80})?)?|--(?!pre\b|pre=|hostname-bin|search-zip|config)[a-z][\w-]*"
    r"(?:=[\s\S]*)?"
)
_ECHOED_FREELY: Final = ProgramRule(operands=Operands.TEXT)

RULES: Final[Mapping[str, ProgramRule]] = {
    **{name: ProgramRule() for name in _READS.split()},
    **dict.fromkeys(_TEXTS.split(), _ECHOED_FREELY),
    **{name: ProgramRule(operands=Operands.TEXT) for name in _STATES.split()},
    "grep": ProgramRule(
        text_first=True,
        text_options=frozenset({"-e", "--regexp"}),
        valued=frozenset({"-e", "-A", "-B", "-C", "-m", "-f"}),
        recursive=r"-[A-Za-z]*[rR][A-Za-z]*|--(?:dereference-)?recursive",
    ),
    "rg": ProgramRule(
        options=_RG_OPTIONS,
        text_first=True,
        text_options=frozenset({"-e", "--regexp", "--files", "--type-list"}),
        recursive=ANY,
        valued=frozenset({"-e", "-A", "-B", "-C", "-g", "-t", "-T", "-m", "-j", "-M", "-d", "-r"}),
    ),
    "ag": ProgramRule(
        options=r"-(?!-)[acHilLnoqQsvw0]+[ABCGm]?|--(?!pager)[a-z][\w-]*(?:=[^/~]*)?",
        text_first=True,
        recursive=ANY,
        valued=frozenset({"-A", "-B", "-C", "-G", "-m"}),
    ),
    "tree": ProgramRule(
        options=r"-[adfispughDCLPI]+|--(?:dirsfirst|noreport|gitignore|prune|du|sort=\w{1,9}|filelimit=?\d*)",
        valued=frozenset({"-L", "-P", "-I"}),
    ),
    "sort": ProgramRule(
        options=_SORT_OPTIONS + "|-o", valued=frozenset({"-k", "-t", "-o"}), outputs=frozenset({"-o"})
    ),
    "uniq": ProgramRule(
        options=r"-[cdDuiz]+|-[fsw]\d*|--(?:count|repeated|unique|ignore-case|all-repeated)",
        most=1,
        valued=frozenset({"-f", "-s", "-w"}),
    ),
    "shuf": ProgramRule(options=r"-[nezr]+\d*|-i", valued=frozenset({"-n", "-i"})),
    "cut": ProgramRule(valued=frozenset({"-d", "-f", "-c", "-b"})),
    "tr": ProgramRule(operands=Operands.TEXT),
    "diff": ProgramRule(recursive=r"-[A-Za-z]*r[A-Za-z]*|--recursive"),
    "xxd": ProgramRule(options=r"-[bcgplsu]+\d*|-", most=1, valued=frozenset({"-l", "-s", "-c", "-g"})),
    "which": ProgramRule(operands=Operands.TEXT),
    "whereis": ProgramRule(operands=Operands.TEXT),
    "type": ProgramRule(operands=Operands.TEXT),
    "whatis": ProgramRule(operands=Operands.TEXT),
    "hostname": ProgramRule(options=r"-[fisIdAy]|--(?:fqdn|short|ip-address)", operands=Operands.NONE),
    "dmesg": ProgramRule(options=r"-[TtHkLxe]+|--(?:human|ctime)", operands=Operands.NONE),
    "jq": ProgramRule(text_first=True),
    "yq": ProgramRule(options=r"-[rPeyjMC]+|-o=?\w*", text_first=True),
    "bc": ProgramRule(options=r"-[lq]+|--mathlib", operands=Operands.NONE),
    "shasum": ProgramRule(options=r"-a|\d+|-a\d+", valued=frozenset({"-a"})),
    "tldr": ProgramRule(options=r"(?!)", operands=Operands.TEXT),
    "tput": ProgramRule(operands=Operands.TEXT),
    "pdftotext": ProgramRule(options=r"-layout|-raw", most=1),
    "exiftool": ProgramRule(options=r"-[A-Z]\w{0,20}", most=1),
}
"""Rules by program. Programs without a rule or a check need approval."""
