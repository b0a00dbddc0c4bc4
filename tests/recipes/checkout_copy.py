"""A copy of the checkout in which a recipe of CONTRIBUTING.md is followed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[2]
_COPIED: Final = (
    "workbench", "tests", "docs", "prompts", "tools_catalog", "scripts", "app.py", "pyproject.toml", "Makefile",
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md",
)  # fmt: skip
_PATH: Final = re.compile(r"`([\w./-]+(?:/|\.(?:py|js|md|jsonl?|yaml)))`")


def text_of(recipe: str) -> str:
    """The section of CONTRIBUTING.md with the heading `recipe`."""
    contributing = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(rf"^### {re.escape(recipe)}\n(.*?)(?=^##)", contributing, re.MULTILINE | re.DOTALL)
    assert found, recipe
    return found[1]


class CheckoutCopy:
    """Files of a checkout; only those that the recipe names can be changed."""

    def __init__(self, root: Path, recipe: str) -> None:
        self.root = root
        self.named = tuple(_PATH.findall(text_of(recipe)))
        for name in _COPIED:
            if (CHECKOUT / name).is_dir():
                shutil.copytree(
                    CHECKOUT / name,
                    root / name,
                    ignore=shutil.ignore_patterns("__pycache__", "*.gguf", "*.png"),
                )
            else:
                shutil.copy(CHECKOUT / name, root / name)

    def write(self, path: str, text: str) -> None:
        """Add a file."""
        assert any(
            path == named or (named.endswith("/") and path.startswith(named)) for named in self.named
        ), f"the recipe does not say that {path} changes"
        (self.root / path).write_text(text, encoding="utf-8")

    def insert(self, path: str, text: str, *, before: str) -> None:
        """Add `text` before the only occurrence of `before` in a file."""
        present = (self.root / path).read_text(encoding="utf-8")
        assert present.count(before) == 1, f"{path} has {before!r} {present.count(before)} times"
        self.write(path, present.replace(before, text + before))

    def rewrite(self, folder: str, *arguments: str) -> None:
        """Run the tests that write the golden files in `folder` again."""
        assert folder in self.named
        self.run_tests(*arguments, WRITE_GOLDEN="1")

    def python(self, *arguments: str, **variables: str) -> str:
        """What Python prints, with the copy's packages and the environment `variables`; the run must succeed."""
        environment = {
            **os.environ,
            **variables,
            "PYTHONPATH": str(self.root),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root, env=environment, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    def run_tests(self, *arguments: str, **variables: str) -> int:
        """How many of the copy's tests passed; all must."""
        options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header")
        passed = re.search(r"(\d+) passed", self.python("-m", "pytest", *options, *arguments, **variables))
        assert passed
        return int(passed[1])
