"""Check of `git`: subcommands that only read, and those that change the repository of the working folder."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from workbench.toolbox.approval.programs.rule import ProgramCall, RuleCondition, check_need
from workbench.toolbox.approval.reason import SENSITIVE, UNKNOWN_ARGUMENT, ApprovalReason
from workbench.toolbox.approval.repository import has_key, has_only_harmless_lines, settings_for
from workbench.toolbox.approval.shell.words import ShellWord

_SHOWN: Final = (
    r"-\d+|-u(?:no|all|normal)|-[psnuwbzrtSGLMCcqvaliEFiwhUx]{1,4}\d*|--(?:oneline|stat|graph|all|decorate|no-decorate|name-only|name-status|numstat|shortstat|"
    r"patch|no-patch|cached|staged|color|no-color|abbrev-commit|no-merges|merges|follow|reverse|first-parent|word-diff|"
    r"summary|check|short|branch|porcelain|long|no-pager|no-renames|ignore-all-space|ignore-space-change|minimal|no-ext-diff|"
    r"no-textconv|exit-code|quiet|full-history|tags|left-right|cherry-pick|cherry-mark|ignored|untracked-files|merge-base|raw|"
    r"relative|date-order|topo-order|not|binary|count)(?:=[\w.%-]{1,30})?|--(?:since|until|after|before|author|committer|grep|"
    r"format|pretty|date|max-count|skip|diff-filter|unified|abbrev|color-words|diff-algorithm|sort|ignore-revs-file)(?:=[\s\S]{0,300})?"
)
"""Options of subcommands that only show something. None of them names a program or a file to write."""
_ANY: Final = r"[^-][\s\S]*|--"
_LOOKS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("log", "show", "diff", "status", "shortlog", "whatchanged", "blame", "annotate", "show-branch", "range-diff",
                     "diff-tree", "diff-files", "diff-index", "rev-list", "cherry"), f"{_SHOWN}|{_ANY}"),
    "grep": rf"-[niwlLchHEFPvqo0]*[eABC]?\d*|--(?:cached|count|line-number|ignore-case|name-only|word-regexp|and|or|not)|{_ANY}",
    "ls-files": rf"-[cdmoiskuztv]+|--(?:cached|deleted|modified|others|ignored|stage|exclude-standard|full-name|error-unmatch)|{_ANY}",
    "ls-tree": rf"-[rtdlz]+|--(?:name-only|name-status|full-tree)|{_ANY}",
    "rev-parse": rf"--(?:short|abbrev-ref|show-toplevel|verify|git-dir|is-inside-work-tree|quiet|symbolic-full-name)(?:=\w*)?|{_ANY}",
    "describe": rf"--(?:tags|always|dirty|abbrev|all|long|exact-match|match)(?:=[\w.*-]*)?|{_ANY}",
    "branch": r"-[avrl]+|-vv|--(?:list|all|remotes|show-current|merged|no-merged|contains|verbose|sort|format|column)(?:=[\s\S]{0,100})?",
    "tag": r"-[ln]+\d*|--(?:list|sort|contains|merged|points-at|format)(?:=[\s\S]{0,100})?",
    "remote": r"-v|--verbose|get-url|origin|upstream",
    "stash": r"list|show|-p|--stat|stash@\{\d+\}",
    "config": r"--(?:get|list|get-all|show-origin|global|local|name-only)|-l|(?!alias|credential|http|url|git(?:hub|lab)|sendemail|smtp|imap|oauth)[a-z]+\.[\w.-]+",
    "reflog": rf"show|{_SHOWN}|HEAD\S*",
    "worktree": r"list",
    "submodule": r"status", "apply": r"--check|--stat|[\w./-]+\.(?:patch|diff)",
    "cat-file": rf"-[pte]|{_ANY}",
    "show-ref": rf"--(?:tags|heads|head|verify)|{_ANY}",
    "for-each-ref": rf"--(?:sort|format|count)(?:=[\s\S]{{0,200}})?|{_ANY}",
    "merge-base": rf"--(?:is-ancestor|all|fork-point)|{_ANY}",
    "name-rev": _ANY, "check-ignore": rf"-[vqn]+|{_ANY}", "count-objects": r"-[vH]+", "version": r"--build-options", "check-attr": rf"-a|{_ANY}",
}  # fmt: skip
_LISTS: Final = frozenset({"-l", "--list", "--contains", "--merged", "--no-merged", "--points-at"})
_CHANGES: Final[Mapping[str, str]] = {
    "branch": r"(?!-)[\w./*-]+", "tag": r"(?!-)[\w.*/-]+", "bisect": r"start|good|bad|reset|log|skip|[\w.~^]+", "help": r"(?!-)[a-z-]+|-a",
    "var": r"GIT_\w+",
    "add": rf"-[AupNvn]+|--(?:all|update|intent-to-add|dry-run|verbose)|{_ANY}",
    "mv": r"-[vkn]+|[^-][\s\S]*", "init": r"-q|--quiet|-b|--initial-branch=[\w/-]+|[\w-]+|\.",
    "restore": r"--staged|[^-][\s\S]*", "reset": r"--soft|--mixed|HEAD[~^\d]*|-q|--|[^-~^@][\w./-]*", "rm": r"--cached|-r|-q|--|(?!-)[\w./-]+",
}  # fmt: skip
"""Subcommands that change the index or add a name. They lose no work and run no hooks."""
_RUNS: Final[Mapping[str, str]] = {
    "commit": rf"-[amsvq]+|--(?:amend|no-edit|message|signoff|allow-empty|all|quiet|fixup|verbose)(?:=[\s\S]*)?|{_ANY}",
    "checkout": r"-b|-q|--quiet|-t|--track|-|(?!-)[\w/@-][\w./@{}-]*", "switch": r"-c|-q|--create|-|--detach|[\w][\w./@-]*",
    "merge": r"--(?:no-ff|ff-only|abort|continue|squash|no-edit|no-commit)|-m|[^-][\s\S]*",
    "rebase": r"--(?:abort|continue|skip)|(?!-)[\w./@~^-]+", "cherry-pick": r"--(?:abort|continue|no-commit)|-[nx]|[\w.~^/]+",
    "revert": r"--no-edit|--(?:abort|continue)|[\w.~^/]+",
}  # fmt: skip
"""Subcommands that run hooks of the repository."""
_STASH_WRITES: Final = re.compile(
    r"push|save|pop|apply|-m|-u|--include-untracked|--keep-index|stash@\{\d+\}|[\w][\w ./:-]*"
)
_TALKS: Final[Mapping[str, str]] = {
    "fetch": r"--(?:all|prune|tags|depth=\d+|quiet|verbose|dry-run|unshallow)|-[pqvt]+|[\w][\w./+-]*",
    "pull": r"--(?:rebase|ff-only|no-rebase|quiet|prune|autostash)|-[qvr]+|[\w][\w./-]*",
    "clone": r"--(?:depth=?\d*|quiet|single-branch|branch|recursive|shallow-submodules)|-[qb]|\d+|https://[\w.-]+/[\w./~-]+|[\w][\w./-]*",
    "push": r"-u|--set-upstream|--tags|--follow-tags|--dry-run|-v|(?![-+])[\w./-]+",
    "remote": r"show|origin|upstream",
    "ls-remote": r"--(?:heads|tags|exit-code|refs)|origin|https://[\w.-]+/[\w./~-]+",
}  # fmt: skip


def check_git(call: ProgramCall) -> list[ApprovalReason]:
    """Return every reason to ask about a call of `git`."""
    words = list(call.words)
    while words and words[0].text in ("--no-pager", "-P", "--no-optional-locks"):
        words.pop(0)
    start = "."
    if len(words) >= 2 and words[0].text == "-C" and words[0].is_fixed and call.paths.is_inside(words[1]):
        start = words[1].text
        del words[:2]
    if words and words[0].text in ("--version", "--help") and len(words) == 1:
        return []
    # Another repository's configuration may name programs.
    if not words or not words[0].is_fixed or not call.paths.is_inside(ShellWord(text=".")):
        return [call.unknown()]
    name, arguments = words[0].text, words[1:]
    if doubt := _lossy(call, name, arguments):
        return [doubt]
    return [*_by_settings(call, name, start), *_subcommand(call, name, arguments)]


def _by_settings(call: ProgramCall, name: str, start: str) -> list[ApprovalReason]:
    """Return the reasons that are in the settings of the repository, if it is on this machine."""
    if not (root := call.paths.place.root):
        return []
    try:
        settings = [
            text
            for folder in call.paths.folders
            for text in settings_for(Path(root, folder, start).resolve())
        ]
    except OSError:
        return [_unknown(call, name)]
    if name in ("config", "remote") and any(map(has_key, settings)):
        return [ApprovalReason(SENSITIVE, f"git {name}: an address with a key")]
    return (
        [] if all(map(has_only_harmless_lines, settings)) else check_need(RuleCondition.SANDBOX, call, name)
    )


def _subcommand(call: ProgramCall, name: str, arguments: list[ShellWord]) -> list[ApprovalReason]:
    if name == "stash" and not (arguments and _fits(arguments, _LOOKS["stash"], call)):
        keeps_work = not arguments or arguments[0].text in ("push", "save", "pop", "apply")
        is_known = keeps_work and all(
            word.is_fixed and _STASH_WRITES.fullmatch(word.text) for word in arguments
        )
        return check_need(RuleCondition.SANDBOX, call, "stash") if is_known else [_unknown(call, name)]
    texts = [word.text for word in arguments]
    if (name == "restore" and "--staged" not in texts) or (name == "checkout" and "--" in texts):
        # Single files only: for a folder, much unsaved work could be lost.
        is_single = all(re.fullmatch(r"--|[\w./-]*\w\.\w{1,8}", text) for text in texts)
        return (
            check_need(RuleCondition.CONTAINED, call, name)
            if is_single and all(call.paths.is_inside(word) for word in arguments)
            else [_unknown(call, name)]
        )
    if (
        name == "config"
        and len(texts) >= 2
        and texts[-2] in ("user.name", "user.email")
        and texts[:-2] in ([], ["--local"])
    ):
        return check_need(RuleCondition.CONTAINED, call, name)
    if name in ("branch", "tag") and _LISTS & set(texts):
        # The names are patterns or commits.
        arguments = [word for word in arguments if word.may_be_option]
    if name == "config" and sum(not text.startswith("-") for text in texts) > 1:
        return [_unknown(call, name)]
    if name == "bisect" and texts[:1] and texts[0] not in ("start", "good", "bad", "reset", "log", "skip"):
        return [_unknown(call, name)]
    if name == "clean":
        is_dry = all(re.fullmatch(r"-[dnxX]+|--dry-run", text) for text in texts) and any(
            "n" in text for text in texts
        )
        return [] if is_dry else [_unknown(call, name)]
    is_outside = name in ("add", "mv", "rm", "init", "restore", "reset") and not all(
        map(call.paths.is_inside, arguments)
    )
    if is_outside or (name == "rm" and "-r" in texts and "--cached" not in texts):
        return [_unknown(call, name)]
    if name == "apply" and not {"--check", "--stat"} & set(texts):
        return [_unknown(call, name)]
    if name == "tag" and texts[:1] in (["-a"], ["-m"]):
        arguments = [
            word
            for place, word in enumerate(arguments)
            if texts[place] != "-a" and (not place or texts[place - 1] != "-m")
        ]
        arguments = [word for word in arguments if word.text != "-m"]
    for table, need in (
        (_LOOKS, RuleCondition.NOTHING),
        (_CHANGES, RuleCondition.CONTAINED),
        (_RUNS, RuleCondition.SANDBOX),
        (_TALKS, RuleCondition.NO_NETWORK),
    ):
        if name in table and _fits(arguments, table[name], call, is_message=name in ("commit", "merge")):
            if table is _TALKS and name == "pull":
                return check_need(RuleCondition.SANDBOX, call, name) or check_need(need, call, name)
            return check_need(need, call, name)
    return [_unknown(call, name)]


def _fits(arguments: list[ShellWord], pattern: str, call: ProgramCall, *, is_message: bool = False) -> bool:
    """Whether all arguments match the pattern. With `is_message`, the text after `-m` may be anything."""
    previous = ""
    for word in arguments:
        is_text = is_message and re.fullmatch(r"-[asvq]*m|--message", previous) is not None
        previous = word.text
        if is_text:
            continue
        if not word.is_known or not re.fullmatch(pattern, word.text):
            return False
        if word.has_glob and word.may_be_option and "--" not in [each.text for each in arguments]:
            return False
        # A branch may well be called `auth`, a file `auth.json` may not.
        by_shape = "." in word.text and not word.text.startswith("-")
        if call.paths.reading(word, shows_content=by_shape) or word.text.startswith(("ext::", "fd::")):
            return False
    return True


def _unknown(call: ProgramCall, name: str) -> ApprovalReason:
    return ApprovalReason(UNKNOWN_ARGUMENT, f"git {name}"[:60])


def _lossy(call: ProgramCall, name: str, arguments: list[ShellWord]) -> ApprovalReason | None:
    """Return the reason for a subcommand that loses work, if its form is simple enough for a short key."""
    lost = "git history or work thrown away"
    texts = [word.text for word in arguments if word.is_fixed]
    if len(texts) != len(arguments) or not all(
        re.fullmatch(r"-[fdxn]+|--hard|--force|HEAD[~^\d]*", text) for text in texts
    ):
        return None
    if name == "reset" and "--hard" in texts:
        return ApprovalReason(lost, "", f"git reset --hard: {lost}")
    if name == "clean" and any("f" in text for text in texts):
        return ApprovalReason(lost, "", f"git clean: {lost}")
    return None
