"""Checks of `jq` and `yq`: their expressions contain only known functions, so they load and run nothing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from workbench.toolbox.approval.programs.rule import Check, ProgramCall, ProgramRule, RuleCondition
from workbench.toolbox.approval.reason import ApprovalReason
from workbench.toolbox.approval.shell.words import ShellWord

_NAMES: Final = (
    "and or not true false null if then elif else end as reduce foreach def try catch empty error select map map_values keys keys_unsorted "
    "length utf8bytelength has in add any all flatten range floor sqrt pow log exp tostring tonumber tojson fromjson type infinite nan isnan "
    "isnormal sort sort_by group_by group min min_by max max_by unique unique_by reverse contains inside startswith endswith ltrimstr rtrimstr "
    "trim implode split splits join ascii_downcase ascii_upcase downcase upcase while until repeat recurse recurse_down "
    "transpose first last nth limit skip combinations walk paths path leaf_paths del delpaths to_entries from_entries with_entries entries "
    "test match capture scan sub gsub todate fromdate now date strftime strptime mktime gmtime values nulls booleans numbers strings "
    "arrays objects iterables scalars index rindex indices tag kind key style line column filename document_index di explode anchor alias "
    "round ceil abs input inputs getpath setpath pick csv tsv json sh html uri base64 base64d text format parent "
    "tocsv to_json to_yaml from_json from_yaml shuffle pivot omit array_to_map splits with"
)
_WORDS: Final = frozenset(_NAMES.split())
"""Functions and keywords that neither read files or variables of the environment, nor load modules, nor run programs."""
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_INSERTED: Final = re.compile(r"\\\(([^()\"\\]*)\)")
_NAME: Final = re.compile(r"(?<![\w$.])(?:@?[A-Za-z_][\w:]*)")
_FIELD: Final = re.compile(
    r"\.[A-Za-z_][\w-]*|[A-Za-z_]\w*(?=\s*:)|(?<=[{,])\s*(?!(?:str)?env(?:subst)?\b|(?:str)?load|eval|exec|system|halt|modulemeta)[A-Za-z_]\w*(?=\s*[,}])"
)
"""Names of fields. Between commas, as in `{a, b}` and `1, env, 2`, a name may also be a function."""
_VARIABLE: Final = re.compile(r"\$([A-Za-z_]\w*)")
_LONGEST: Final = 4_000
_FILE: Final = re.compile(r"[\w./-]+\.(?:ya?ml|json|xml|toml)")
_VALUED: Final[Mapping[str, frozenset[str]]] = {
    "jq": frozenset({"--indent"}),
    "yq": frozenset({"-o", "-p", "-I", "--indent", "--output-format", "--input-format"}),
}
"""Options whose value may be the next word."""
_ATTACHED: Final = re.compile(r"-[opI]=?\w{1,9}")
_PLAIN_VALUE: Final = re.compile(r"[\w. @+-]*")


def is_plain_expression(text: str) -> bool:
    """Whether an expression of `jq` or `yq` uses only known functions.

    >>> [is_plain_expression(text) for text in (".a[] | select(.b)", "load_str(\\"x\\")", "$ENV.PATH", "import \\"x\\" as x; .")]
    [True, False, False, False]
    """
    if len(text) > _LONGEST:
        return False
    inserted: list[str] = []
    for string in _STRING.findall(text):
        inserted.extend(_INSERTED.findall(string))
        if "\\(" in _INSERTED.sub("", string):
            return False
    code = _STRING.sub(' "" ', text)
    if re.search(r"[\"'`\\#]", code.replace('""', "")) or not all(map(is_plain_expression, inserted)):
        return False
    if any(not name[0].islower() for name in _VARIABLE.findall(code)):
        return False
    names = _NAME.findall(_FIELD.sub(" ", _VARIABLE.sub(" ", code)))
    return all(name.lstrip("@") in _WORDS for name in names)


def check_expression(call: ProgramCall) -> list[ApprovalReason]:
    """Check the options, the expression and the files."""
    words = list(_without_values(call))
    if words and call.name == "yq" and words[0].text in ("e", "eval", "ea", "eval-all"):
        words = words[1:]
    place = next((place for place, word in enumerate(words) if not word.text.startswith("-")), None)
    if place is None:
        return [call.unknown()]
    # `yq FILE` shows the whole file.
    if not (call.name == "yq" and _FILE.fullmatch(words[place].text)):
        expression = words.pop(place)
        if not expression.is_fixed or not is_plain_expression(expression.text):
            return [call.unknown(expression)]
        if call.name == "yq" and (doubt := call.paths.reading(expression)):
            return [doubt]
    return RULES[call.name].check(replace(call, words=tuple(words)))


def _without_values(call: ProgramCall) -> Iterator[ShellWord]:
    """Yield the words without options whose values are further words, if the values are plain."""
    remaining = iter(call.words)
    for word in remaining:
        count = 2 if word.text in ("--arg", "--argjson") else 1 if word.text in _VALUED[call.name] else 0
        values = [next(remaining, None) for _ in range(count)]
        if any(value is None or not _PLAIN_VALUE.fullmatch(value.text) for value in values):
            # The rule of the program refuses it.
            yield ShellWord(text="--a-value-that-is-not-plain")
        elif not count and not (call.name == "yq" and _ATTACHED.fullmatch(word.text)):
            yield word


RULES: Final[Mapping[str, ProgramRule]] = {
    "jq": ProgramRule(
        options="-aCcejMnRrsS --null-input --compact-output --raw-output --raw-input --slurp --sort-keys --exit-status --tab"
        " --color-output --monochrome-output --join-output --ascii-output",
        need=RuleCondition.NOTHING,
    ),
    "yq": ProgramRule(
        options="-CceMNnPry --prettyPrint --no-colors --colors --output-format[=] --input-format[=] --unwrapScalar[=] --null-input"
        " --indent[=] --no-doc",
        need=RuleCondition.NOTHING,
    ),
}  # fmt: skip
CHECKS: Final[Mapping[str, Check]] = dict.fromkeys(RULES, check_expression)
