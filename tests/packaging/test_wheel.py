"""The wheel contains what the program needs, and nothing else of the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        out,
        CHECKOUT,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(out.glob("hermes_workbench-*.whl"))


def test_the_wheel_has_contracts_tools_migrations_styles_and_types(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for pattern in ("prompts/**/*.md", "tools_catalog/*.yaml", "tools_catalog/*.py"):
        for path in CHECKOUT.glob(pattern):
            assert f"workbench/shipped/{path.relative_to(CHECKOUT)}" in names
    for pattern in ("workbench/**/*.py", "workbench/**/*.css", "workbench/**/*.js"):
        for path in CHECKOUT.glob(pattern):
            assert str(path.relative_to(CHECKOUT)) in names
    assert "workbench/py.typed" in names


def test_the_wheel_has_no_tests_and_no_data(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"workbench"}


def test_an_installed_wheel_finds_its_contracts_and_tools(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    script = tmp_path / "script.yaml"
    script.write_text("completions: [It is 31.]")
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "import workbench; assert workbench.__file__.startswith(sys.path[0]), workbench.__file__\n"
        "from workbench.__main__ import main; main()"
    )
    arguments = ["chat", "hi", "--contract", "full", "--tools", "weather", "--model", f"scripted:{script}"]
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "site"), *arguments],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "It is 31." in done.stdout
    assert (tmp_path / ".local/share/hermes-workbench/workbench.sqlite3").is_file()
