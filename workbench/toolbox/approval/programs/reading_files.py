"""Programs that read files or say something about the machine; none of their permitted options writes or runs anything."""

from collections.abc import Mapping
from typing import Final

from workbench.toolbox.approval.programs.rule import ANY, Operands, Rule

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
_ECHOED_FREELY: Final = Rule(operands=Operands.TEXT)

RULES: Final[Mapping[str, Rule]] = {
    **{name: Rule() for name in _READS.split()},
    **dict.fromkeys(_TEXTS.split(), _ECHOED_FREELY),
    **{name: Rule(operands=Operands.TEXT) for name in _STATES.split()},
    "grep": Rule(
        text_first=True,
        text_options=frozenset({"-e", "--regexp"}),
        valued=frozenset({"-e", "-A", "-B", "-C", "-m", "-f"}),
        recursive=r"-[A-Za-z]*[rR][A-Za-z]*|--(?:dereference-)?recursive",
    ),
    "rg": Rule(
        options=_RG_OPTIONS,
        text_first=True,
        text_options=frozenset({"-e", "--regexp", "--files", "--type-list"}),
        recursive=ANY,
        valued=frozenset({"-e", "-A", "-B", "-C", "-g", "-t", "-T", "-m", "-j", "-M", "-d", "-r"}),
    ),
    "ag": Rule(
        options=r"-(?!-)[acHilLnoqQsvw0]+[ABCGm]?|--(?!pager)[a-z][\w-]*(?:=[^/~]*)?",
        text_first=True,
        recursive=ANY,
        valued=frozenset({"-A", "-B", "-C", "-G", "-m"}),
    ),
    "tree": Rule(
        options=r"-[adfispughDCLPI]+|--(?:dirsfirst|noreport|gitignore|prune|du|sort=\w{1,9}|filelimit=?\d*)",
        valued=frozenset({"-L", "-P", "-I"}),
    ),
    "sort": Rule(
        options=_SORT_OPTIONS + "|-o", valued=frozenset({"-k", "-t", "-o"}), outputs=frozenset({"-o"})
    ),
    "uniq": Rule(
        options=r"-[cdDuiz]+|-[fsw]\d*|--(?:count|repeated|unique|ignore-case|all-repeated)",
        most=1,
        valued=frozenset({"-f", "-s", "-w"}),
    ),
    "shuf": Rule(options=r"-[nezr]+\d*|-i", valued=frozenset({"-n", "-i"})),
    "cut": Rule(valued=frozenset({"-d", "-f", "-c", "-b"})),
    "tr": Rule(operands=Operands.TEXT),
    "diff": Rule(recursive=r"-[A-Za-z]*r[A-Za-z]*|--recursive"),
    "xxd": Rule(options=r"-[bcgplsu]+\d*|-", most=1, valued=frozenset({"-l", "-s", "-c", "-g"})),
    "which": Rule(operands=Operands.TEXT),
    "whereis": Rule(operands=Operands.TEXT),
    "type": Rule(operands=Operands.TEXT),
    "whatis": Rule(operands=Operands.TEXT),
    "hostname": Rule(options=r"-[fisIdAy]|--(?:fqdn|short|ip-address)", operands=Operands.NONE),
    "dmesg": Rule(options=r"-[TtHkLxe]+|--(?:human|ctime)", operands=Operands.NONE),
    "jq": Rule(text_first=True),
    "yq": Rule(options=r"-[rPeyjMC]+|-o=?\w*", text_first=True),
    "bc": Rule(options=r"-[lq]+|--mathlib", operands=Operands.NONE),
    "shasum": Rule(options=r"-a|\d+|-a\d+", valued=frozenset({"-a"})),
    "tldr": Rule(options=r"(?!)", operands=Operands.TEXT),
    "tput": Rule(operands=Operands.TEXT),
    "pdftotext": Rule(options=r"-layout|-raw", most=1),
    "exiftool": Rule(options=r"-[A-Z]\w{0,20}", most=1),
}
"""By program. What is not here, and has no check of its own, is asked about."""
