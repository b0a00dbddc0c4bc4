"""Checks of tools that run a project's code. They need approval unless they run in a sandbox or a container."""

import ast
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from workbench.toolbox.approval.programs.rule import (
    ARGUMENT,
    FILE,
    PURE,
    VERSION,
    WORD,
    Check,
    Form,
    ProgramCall,
    RuleCondition,
    check_forms,
    check_need,
)
from workbench.toolbox.approval.reason import ApprovalReason

_NODES: Final = (
    ast.Module,
    ast.Import,
    ast.alias,
    ast.Expr,
    ast.Call,
    ast.Attribute,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.operator,
    ast.unaryop,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.List,
    ast.Tuple,
    ast.Compare,
    ast.cmpop,
    ast.Subscript,
    ast.Slice,
)
_FUNCTIONS: Final = frozenset(
    {
        "print",
        "len",
        "sum",
        "min",
        "max",
        "sorted",
        "str",
        "int",
        "float",
        "round",
        "repr",
        "abs",
        "hex",
        "bin",
        "ord",
        "chr",
        "bool",
    }
)
_SHOWN_NAMES: Final = frozenset({"__version__", "__file__", "__name__", "__doc__"})
_LARGEST: Final = 10_000
_LONGEST: Final = 500


def prints_only(arguments: Sequence[str]) -> bool:
    """Whether the arguments of Python are `-c` and a script that only computes and prints.

    >>> prints_only(["-c", "import sys; print(sys.version)"])
    True
    >>> prints_only(["-c", "import os; os.system('ls')"])
    False
    """
    if len(arguments) != 2 or arguments[0] != "-c" or len(arguments[1]) > _LONGEST:
        return False
    try:
        tree = ast.parse(arguments[1])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(_is_plain(node) for node in ast.walk(tree))


def _is_plain(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return name in _FUNCTIONS
        case ast.Call():
            return False
        case ast.Attribute(attr=name):
            return not name.startswith("_") or name in _SHOWN_NAMES
        case ast.Name(id=name):
            return not name.startswith("_")
        case ast.alias(name=name, asname=None):
            # Only modules of the standard library that do nothing when they are imported.
            return name in sys.stdlib_module_names and name not in (
                "antigravity",
                "this",
                "idlelib",
                "turtledemo",
            )
        case ast.BinOp(op=ast.Pow() | ast.LShift() | ast.Mult()):
            return (
                isinstance(node.right, ast.Constant)
                and isinstance(node.right.value, int)
                and node.right.value < _LARGEST
            )
        case _:
            return isinstance(node, _NODES)


_UNBUFFERED: Final = r"(?:-[uBO] )?"
_MODULES: Final = (
    "pytest|unittest|mypy|ruff|black|isort|flake8|pylint|pyright|coverage|compileall|py_compile|doctest|build|venv|tox|nox"
    "|json\\.tool|bandit|cProfile|pydocstyle|sphinx|mkdocs|pre_commit"
)
_PACKAGE_OWN: Final = r"--(?:pre|save|save-dev|save-exact)"
_PACKAGE: Final = r"(?:-[rUeqcD]|--(?:upgrade|quiet|no-cache-dir|no-deps|dry-run|pre|dev|save-dev|group=\w+)|\.(?:\[[\w,-]+\])?|\w[\w.\[\],=<>~!-]*|\.?/?requirements[\w./-]*)"
_PLUGINS: Final = r"\+|-(?:p|c|o|r)(?!ov)\b|--(?:pdbcls|debugger|override-ini|rootdir|confcutdir|plugin|config-?file|rulesdir|resolve-plugins|load-plugins|init-hook|python-executable|eval|config=.*\()"
_SELECTED: Final = rf"{ARGUMENT}|(?!-)[\w ()\[\].:,/@=+-]*"
# Interpreters and compilers say their version without looking at the project. Other tools load plugins, wrappers or a
# toolchain that files of the project name. The short form differs: `python -v` reads a program, `ninja -v` builds.
_ANSWER: Final = Form("--version", need=PURE)
_ANSWER_SHORT: Final = Form("--version|-v", need=PURE)
_PYTHON: Final = (
    Form("--version|-V", need=PURE),
    Form("--help|-h"),
    Form(rf"{_UNBUFFERED}-m pip (?:list|show|freeze|check|--version|config list)", WORD),
    Form(r"-m pip install", _PACKAGE, own=_PACKAGE_OWN),
    Form(
        rf"{_UNBUFFERED}-m (?:{_MODULES})",
        _SELECTED,
        never=_PLUGINS,
    ),
    Form(rf"{_UNBUFFERED}{FILE}\.py", rf"{ARGUMENT}|(?!-)[\w .,:/@+-]*"),
)
_PIP: Final = (
    Form("--version|-V", need=PURE),
    VERSION,
    Form(
        r"list|show|freeze|check|index versions|config list|cache dir|debug|inspect",
        rf"{WORD}|--(?:outdated|format=\w+)",
    ),
    Form(r"install|download|wheel", _PACKAGE, own=_PACKAGE_OWN),
)
_NPM: Final = (
    VERSION,
    Form(
        r"ls|list|outdated|view|info|audit|why|explain|config (?:get|list)|root|bin|prefix|search|fund|doctor|licenses list",
        r"[\w@./=-]+",
        never="fix",
    ),
    Form(""),
    Form("init", "-y|--yes"),
    Form(
        r"install|i|ci|add",
        r"-[DSE]|--(?:save-dev|save|save-exact|no-audit|no-fund|frozen-lockfile|immutable|dev|legacy-peer-deps"
        r"|production|omit=dev)|@?\w[\w./@^~-]*",
        own=_PACKAGE_OWN,
    ),
    Form(
        r"test|t|start|build|lint|format|run(?:-script)? [\w:.-]+|dev|typecheck|check",
        rf"--|{ARGUMENT}",
        never=r"--script-shell|--prefix",
    ),
)
_MAKE: Final = (
    _ANSWER,
    VERSION,
    Form(
        "",
        r"-[jkBsn]\d*|-C|\d{1,2}|\w[\w.-]*|(?:V|VERBOSE|DEBUG|CI|J|NO_COLOR)=\w*",
        never=r".*(?:install|distclean|reset)",
    ),
)
_CARGO: Final = (
    VERSION,
    Form(r"tree|metadata|search|locate-project|pkgid", r"(?!-)[\w=.-]+"),
    Form(
        r"build|test|check|run|clippy|fmt|bench|doc|fetch|update|new|init|nextest run|b|t|r|c|add|clean",
        rf"--|{ARGUMENT}",
        never="--config",
    ),
)
_GO: Final = (
    VERSION,
    Form(r"version|env|list|doc", r"(?!-)[\w./=-]+|-json|-m|-f=?|-deps"),
    Form(
        r"build|test|run|vet|fmt|generate|get|mod (?:tidy|download|init|verify|graph|why)|install",
        r"-[\w=./-]+|[\w./@-]+",
        never=r"--?(?:exec|toolexec|vettool|overlay|ldflags|gcflags)",
        own="-o",
    ),
)
_CHECKER: Final = (VERSION, Form("", ARGUMENT, never=_PLUGINS.replace("-(?:p|c|o|r)(?!ov)\\b|", "")))
_TESTER: Final = (VERSION, Form("", rf"--|{_SELECTED}", never=_PLUGINS))
_COMPILER: Final = (
    VERSION,
    Form(
        "",
        r"-(?!wrapper|fplugin|fpass|fuse|specs|B|X|Wl|plugin|load)[\w=+./-]+|(?!/|@|-)[\w./+-]+",
        own=r"-o[\w./+-]*",
    ),
)
_SCRIPT: Final = (
    _ANSWER,
    VERSION,
    Form(rf"{FILE}\.(?:js|mjs|cjs|ts|tsx|rb|php|lua|r|R|jl|pl|java|jar|kts|ex|exs|groovy)", ARGUMENT),
    Form(rf"-jar {FILE}|--test|test|-cp [\w./:*-]+ [\w.$]+|artisan (?:test|list|route:list)", ARGUMENT),
)
_RUNNERS: Final = rf"pytest|ruff|mypy|pyright|black|isort|flake8|python {FILE}\.py"
_BUILDER: Final = (
    VERSION,
    Form(
        "",
        r"-[qB]|--(?:no-restore|no-daemon|quiet|stacktrace)|:?[a-z]\w*:?\w*|exec|rspec|deps\.get",
        never=r".*(?:publish|deploy|release)",
    ),
)

FORMS: Final[Mapping[str, tuple[Form, ...]]] = {
    **dict.fromkeys(("python", "python3", "python3.10", "python3.11", "python3.12", "python3.13", "py"), _PYTHON),
    **dict.fromkeys(("pip", "pip3"), _PIP),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _NPM),
    **dict.fromkeys(("make", "gmake", "ninja", "just", "task"), _MAKE),
    "cargo": _CARGO,
    "go": _GO,
    **dict.fromkeys(("pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "phpunit", "rspec", "ctest"), _TESTER),
    **dict.fromkeys(
        ("flake8", "mypy", "pylint", "eslint", "prettier", "tsc", "markdownlint", "golangci-lint", "stylelint", "biome", "pre-commit",
         "mkdocs", "sphinx-build", "rubocop", "cspell", "webpack", "vite"),
        _CHECKER,
    ),
    **dict.fromkeys(
        ("ruff", "black", "isort", "pyright", "shellcheck", "gofmt", "rustfmt", "clang-format", "hadolint", "yamllint", "bandit", "codespell",
         "coverage"),
        (VERSION, Form("", ARGUMENT, never=_CHECKER[1].never + r"|-[pP]\b|run$")),
    ),
    **dict.fromkeys(("gcc", "g++", "clang", "clang++", "cc", "c++", "javac"), (_ANSWER_SHORT, *_COMPILER)),
    "rustc": _COMPILER,
    **dict.fromkeys(("ts-node", "tsx"), _SCRIPT[1:]),
    # The file may name the program that answers.
    "ldd": (Form("", FILE),),
    **dict.fromkeys(("node", "ruby", "php", "lua", "julia", "perl"), (_ANSWER_SHORT, *_SCRIPT)),
    **dict.fromkeys(("deno", "Rscript"), _SCRIPT),
    "java": (Form("-version", need=PURE), *_SCRIPT),
    "cmake": (_ANSWER, VERSION, Form("", r"\.\.?|-[BSjG]|-D[A-Z][A-Z0-9_]*(?<!COMMAND)(?<!LAUNCHER)(?<!COMPILER)(?<!PROGRAM)=(?:ON|OFF|\w+)|[\w./]+|-[BS][\w./-]+|-j\d+|--(?:build|target|parallel|config|preset)|-DCMAKE_BUILD_TYPE=\w+", own="--(?:config|preset)")),
    "npx": (VERSION, Form(r"tsc|eslint|prettier|jest|vitest|playwright test|webpack|vite build|tailwindcss|mocha|next build|prisma generate",
                          ARGUMENT, never=_CHECKER[1].never)),
    "uv": (
        VERSION, Form(r"pip (?:list|show|freeze|check)|tree|python list", r"(?!-)[\w.-]+"),
        Form(rf"sync|lock|venv|run (?:{_RUNNERS})", ARGUMENT), Form(r"pip install|add", _PACKAGE, own=_PACKAGE_OWN),
    ),
    "poetry": (
        VERSION, Form(r"show|env info|check|env list", r"(?!-)[\w.-]+"),
        Form(rf"install|lock|update|build|run (?:{_RUNNERS})", ARGUMENT), Form("add", _PACKAGE),
    ),
    **dict.fromkeys(("mvn", "gradle", "dotnet", "swift", "mix", "bundle", "composer", "sbt", "flutter", "dart"), _BUILDER),
    **dict.fromkeys(("bash", "sh"), (Form("--version", need=PURE), Form(rf"-n {FILE}", need=PURE), Form(rf"(?:-[xeu]+ )?{FILE}\.sh", ARGUMENT))),
    **dict.fromkeys(("rails", "rake"), (VERSION, Form(r"test|spec|routes|about|-T|stats", ARGUMENT))),
    "terraform": (VERSION, Form(r"plan|fmt|fmt -check|validate|show|output|state list|providers")),
    "sqlite3": (
        # Without a query, it reads commands from its input, and some of them run programs.
        Form(
            rf"(?:-(?:header|column|json|csv|readonly) ){{0,3}}{FILE} (?:\.tables|\.schema(?: \w+)?"
            r"|(?i:select (?!.*(?:load_extension|readfile|writefile|edit|fts3_tokenizer)\b)[^;]*;?))"
        ),
    ),
}  # fmt: skip
"""Known forms of calls by program. All other forms need approval."""


def check_project(call: ProgramCall) -> list[ApprovalReason]:
    """Return every reason to ask about a call of a tool in `FORMS`."""
    texts = call.texts()
    if FORMS[call.name] is _PYTHON and texts is not None and prints_only(texts):
        # A module in the working folder may have the name of a standard module and replace it.
        return check_need(RuleCondition.SANDBOX, call)
    return check_forms(call, FORMS)


def check_own_program(call: ProgramCall) -> list[ApprovalReason]:
    """Check a program in the working folder, such as `./gradlew build`."""
    return (
        check_forms(call, {call.name: (Form("", ARGUMENT),)})
        if call.words
        else check_need(RuleCondition.SANDBOX, call)
    )


CHECKS: Final[Mapping[str, Check]] = dict.fromkeys(FORMS, check_project)
