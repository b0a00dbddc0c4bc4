"""Rules of programs that read files or describe the machine, with the options that neither write nor run anything."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from workbench.toolbox.approval.programs.rule import Operands, ProgramRule, RuleCondition

_SUMS: Final = "-bctwz --check --binary --text --tag --quiet --status --zero"
_FILES: Final[Mapping[str, str]] = {
    "cat": "-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --show-nonprinting --squeeze-blank",
    "tac": "-br -s: --before --regex --separator=", "nl": "-p -b: -n: -s: -w: -v: -i: --body-numbering= --number-format=",
    "head": "-# -qvz -n: -c: --lines= --bytes= --quiet --verbose",
    "tail": "-# -fFqvrz -n: -c: -s: --lines= --bytes= --follow[=] --quiet --verbose --retry --pid=",
    "fold": "-bs -w: --width= --spaces --bytes", "expand": "-i -t: --tabs=", "unexpand": "-a -t: --tabs= --all",
    "paste": "-sz -d: --delimiters= --serial", "rev": "", "fmt": "-csu -w: --width=", "tsort": "",
    "column": "-tensx -s: -c: -o: -N: -H: --table --separator= --output-width=",
    "comm": "-123z --check-order --nocheck-order --total", "join": "-iz -1: -2: -a: -v: -t: -j: -e: --header --ignore-case",
    "cut": "-nsz -d: -f: -c: -b: --delimiter= --fields= --characters= --bytes= --complement --only-delimited",
    "base64": "-dDi -w: --decode --wrap= --ignore-garbage", "base32": "-di -w: --decode --wrap=",
    "od": "-abcdfilosvx -A: -t: -N: -j: -w: --format= --read-bytes= --skip-bytes= --address-radix=",
    "hexdump": "-bcCdoxv -n: -s: --canonical --length= --skip=", "zcat": "", "bzcat": "", "xzcat": "", "zstdcat": "",
    "strings": "-a -n: -t: --all --bytes= --radix=", "pr": "-tdnm -l: -w:",
    "diff": "-# -abBcdeEipqrstuwyZ -U: -C: -W: -I: -x: --brief --unified[=] --context[=] --recursive --side-by-side"
    " --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --report-identical-files --text --color[=]"
    " --suppress-common-lines --width= --exclude= --strip-trailing-cr --no-dereference --minimal --expand-tabs --show-c-function",
    "cmp": "-bls -n: -i: --print-bytes --silent --quiet --verbose --bytes=",
}  # fmt: skip
"""Pure readers that show what is in files."""
_NAMES: Final[Mapping[str, str]] = {
    "ls": "-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I: -w: -T: --all --almost-all --author --color[=] --classify[=] --directory"
    " --full-time --group-directories-first --human-readable --si --inode --ignore= --hide= --format= --indicator-style= --file-type"
    " --no-group --numeric-uid-gid --quote-name --reverse --recursive --size --sort= --time= --time-style= --width= --zero",
    "wc": "-clLmw --bytes --chars --lines --words --max-line-length", "basename": "-az -s: --multiple --suffix= --zero", "dirname": "-z --zero",
    "stat": "-LftxF -c: --format= --printf= --dereference --file-system --terse", "readlink": "-efmnqsvz --canonicalize",
    "realpath": "-emqsLPz --relative-to= --relative-base= --no-symlinks --canonicalize-existing --canonicalize-missing",
    "du": "-0abcDhHkLlmsSxP -d: -t: -B: --all --apparent-size --bytes --total --human-readable --max-depth= --summarize --separate-dirs"
    " --threshold= --exclude= --time[=] --si --one-file-system",
    "df": "-ahHiklmPTx -B: -t: --human-readable --inodes --portability --print-type --si --total --type= --all --local --output[=]",
    "file": "-bhikLNnrsv0 --brief --mime --mime-type --mime-encoding --dereference", "cksum": "-a: --algorithm=", "sum": "-rs", "namei": "-lmo",
    **dict.fromkeys(("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"), _SUMS),
    "shasum": "-bct -a: --algorithm= --check --binary --text", "md5": "-qr",
}  # fmt: skip
"""Pure readers that show at most names, sizes and checksums."""
_STATES: Final[Mapping[str, str]] = {
    "pwd": "-LP", "whoami": "", "uname": "-amnrsvpio --all", "arch": "", "nproc": "--all", "clear": "", "tty": "",
    "free": "-bkmghtwl --human --mega --giga --total", "uptime": "-ps --pretty --since", "logname": "", "hostid": "", "users": "", "who": "-abHmqrsTu",
    "w": "-hsfi", "lsmod": "", "sw_vers": "", "uuidgen": "-rt", "lsblk": "-abdfilmpStJ -o: --json", "lscpu": "-aeJp", "lsusb": "-tv",
    "lspci": "-knvm", "vmstat": "-asdw", "hostname": "-fisIdAy --fqdn --short --ip-address", "bc": "-lq --mathlib",
}  # fmt: skip
"""Pure readers that describe the machine and accept no operands."""
_WORDS: Final[Mapping[str, str]] = {
    "id": "-Ggnruz", "groups": "", "seq": "-# -w -s: -f: --separator= --equal-width", "sleep": "", "factor": "", "tr": "-cCdst --complement --delete --squeeze-repeats",
    "which": "-as", "whereis": "", "type": "-aptf", "whatis": "", "getconf": "", "locale": "-am", "cal": "-jmy13", "numfmt": "--to= --from= --suffix=",
    "pgrep": "-aflnoxvc --full --list-name --list-full --newest --oldest", "last": "-# -xFaRwi -n:", "locate": "-cil -n:", "tput": "", "mountpoint": "-q",
}  # fmt: skip
"""Pure readers whose operands are words, not files."""
_GREP: Final = (
    "-# -abcEFGhHiIlLnoPqrRsTvwxyzZ -A: -B: -C: -m: -e: -f: -d: -D: --regexp= --file= --count --ignore-case --no-ignore-case --line-number"
    " --with-filename --no-filename --recursive --dereference-recursive --include= --exclude= --exclude-dir= --color[=] --colour[=]"
    " --extended-regexp --fixed-strings --basic-regexp --perl-regexp --word-regexp --line-regexp --invert-match --files-with-matches"
    " --files-without-match --only-matching --quiet --silent --no-messages --max-count= --after-context= --before-context= --context[=]"
    " --text --null --byte-offset --line-buffered --binary-files= --initial-tab --null-data"
)
_RG: Final = (
    "-# -acFHhIiLlnNoPpqSsUuvwx0 -A: -B: -C: -e: -g: -t: -T: -m: -j: -M: -d: -r: --regexp= --files --type-list --type= --type-not= --glob="
    " --iglob= --hidden --no-ignore --no-ignore-vcs --ignore-case --smart-case --case-sensitive --line-number --no-line-number --count"
    " --count-matches --files-with-matches --files-without-match --fixed-strings --word-regexp --line-regexp --invert-match --only-matching"
    " --multiline --multiline-dotall --pcre2 --max-count= --max-depth= --after-context= --before-context= --context= --color= --heading"
    " --no-heading --with-filename --no-filename --json --stats --sort= --sortr= --text --trim --vimgrep --column --replace= --quiet"
    " --no-messages --passthru --null --pretty --unrestricted --max-columns= --max-filesize= --threads= --no-config"
)
_AG: Final = "-# -acHilLnoQsSuUvwz0 -A: -B: -C: -G: -m: --nocolor --color --nogroup --hidden --count --ignore= --depth= --literal --python --js"
_SORT: Final = (
    "-bcCdfghiMmnRrsuVz -k: -t: -o: -S: --reverse --unique --numeric-sort --human-numeric-sort --version-sort --general-numeric-sort"
    " --month-sort --ignore-case --stable --check --dictionary-order --zero-terminated --random-sort --ignore-leading-blanks --key= --field-separator="
)
_PATTERN_OPTIONS: Final = frozenset({"-e", "--regexp", "--files", "--type-list"})
_SEARCH: Final = ProgramRule(
    text_first=True, searches=True, text_options=_PATTERN_OPTIONS, need=RuleCondition.NOTHING, options=_GREP,
    recursive=frozenset({"-r", "-R", "-d", "--recursive", "--dereference-recursive"}), accepts_any_name=True,
)  # fmt: skip
_PURE: Final = RuleCondition.NOTHING

RULES: Final[Mapping[str, ProgramRule]] = {
    **{name: ProgramRule(options=options, accepts_any_name=name in ("cat", "head", "tail", "nl", "tac"), need=_PURE,
                         recursive=frozenset({"-r", "--recursive"}) if name == "diff" else frozenset())
       for name, options in _FILES.items()},
    **{name: ProgramRule(options=options, shows_content=False, accepts_any_name=True, need=_PURE,
                         recursive={"ls": frozenset({"-R", "--recursive"}), "du": frozenset({"-a", "--all"})}.get(name, frozenset()))
       for name, options in _NAMES.items()},
    **{name: ProgramRule(options=options, operands=Operands.NONE, need=_PURE) for name, options in _STATES.items()},
    **{name: ProgramRule(options=options, operands=Operands.TEXT, need=_PURE) for name, options in _WORDS.items()},
    **dict.fromkeys(("grep", "egrep", "fgrep"), _SEARCH), "zgrep": replace(_SEARCH, need=RuleCondition.CONTAINED),
    "rg": ProgramRule(options=_RG, text_first=True, searches=True, text_options=_PATTERN_OPTIONS, is_recursive=True, need=_PURE),
    "sort": ProgramRule(options=_SORT, outputs=frozenset({"-o"}), need=_PURE),
    "uniq": ProgramRule(
        options="-cdDuiz -f: -s: -w: --count --repeated --unique --ignore-case --all-repeated[=] --skip-fields= --skip-chars=", most=1, need=_PURE
    ),
    "shuf": ProgramRule(options="-ezr -n: -i: --head-count=", need=_PURE),
    "xxd": ProgramRule(options="-bupiE -l: -s: -c: -g:", most=1, need=_PURE),
    "tree": ProgramRule(
        options="-adfispughDCFQJ -L: -P: -I: --dirsfirst --noreport --gitignore --prune --du --sort= --filelimit=", shows_content=False, need=_PURE,
        is_recursive=True,
    ),
    "printenv": ProgramRule(options="-0", operands=Operands.TEXT),
    "dmesg": ProgramRule(options="-TtHkLxe --human --ctime", operands=Operands.NONE),
    "ag": ProgramRule(options=_AG, text_first=True, searches=True, is_recursive=True),
    "lsof": ProgramRule(options="-nPtlU -i: -p: -u: -c: -s:", operands=Operands.TEXT, need=_PURE),
    "iostat": ProgramRule(options="-cdhkmtxyz", operands=Operands.TEXT),
    "findmnt": ProgramRule(options="-lJn", operands=Operands.TEXT),
    "iconv": ProgramRule(options="-cls -f: -t: --from-code= --to-code= --list"),
    "nm": ProgramRule(options="-aABCDglnoprStuPz --demangle --dynamic --extern-only --undefined-only --defined-only --size-sort --numeric-sort", need=_PURE),
    "size": ProgramRule(options="-ABdoxt", need=_PURE),
    "objdump": ProgramRule(options="-aCdDfghprRstTwxz -j: -M: --disassemble --demangle --all-headers --no-show-raw-insn", need=_PURE),
    "readelf": ProgramRule(options="-aAdehlnrsStuVW --all --file-header --segments --sections --symbols --dynamic --wide --headers", need=_PURE),
    "wdiff": ProgramRule(options="-123 --no-deleted --no-inserted --no-common --statistics"),
    "cloc": ProgramRule(options="--by-file --quiet --json --csv --md --exclude-dir= --include-lang=", is_recursive=True, shows_content=False),
    "tokei": ProgramRule(options="-f -e: -t: --files --exclude=", is_recursive=True, shows_content=False),
    "tldr": ProgramRule(operands=Operands.TEXT, need=RuleCondition.NO_NETWORK),
}  # fmt: skip
"""Rules by program. Those that need nothing are the short list of pure readers, which run without a sandbox, too."""
