"""What is published: the sdist, the wheel, their checks, and the workflow that does it."""

import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from workbench import __version__

CHECKOUT = Path(__file__).parents[2]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
WORKFLOW = CHECKOUT / ".github" / "workflows" / "release.yml"
ADAPTER = "workbench/engines/embedded_adapter/adapter.gguf"
LARGE_BYTES = 1 << 20
MOST_SDIST_BYTES = 16 << 20


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    return yaml.safe_load(WORKFLOW.read_text())["jobs"]


def commands(job: dict[str, Any]) -> str:
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_a_tag_is_published_only_after_lint_tests_and_build(jobs: dict[str, Any]) -> None:
    assert set(jobs["publish"]["needs"]) == {"lint", "test", "build"}
    assert jobs["publish"]["if"] == "github.ref_type == 'tag'"
    # YAML reads the key `on` as true.
    assert yaml.safe_load(WORKFLOW.read_text())[True]["push"]["tags"] == ["v*"]


def test_the_tests_run_on_every_version_of_python_that_the_metadata_names(jobs: dict[str, Any]) -> None:
    versions = jobs["test"]["strategy"]["matrix"]["python-version"]
    named = [f"Programming Language :: Python :: {version}" for version in versions]
    assert named == [name for name in PROJECT["classifiers"] if "Python :: 3." in name]
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_publishing_is_trusted_and_only_its_job_may_ask_for_an_identity(jobs: dict[str, Any]) -> None:
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["environment"]["name"] == "pypi"
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert "secrets." not in WORKFLOW.read_text()


def test_the_workflow_uses_targets_of_the_makefile_and_checks_what_it_builds(jobs: dict[str, Any]) -> None:
    assert "make check" in commands(jobs["lint"])
    assert "make test-quick" in commands(jobs["test"])
    for command in ("python -m build", "twine check --strict dist/*", "check-wheel-contents dist/*.whl"):
        assert command in commands(jobs["build"])


def test_a_tag_has_to_be_the_version_of_the_package(jobs: dict[str, Any]) -> None:
    check = next(step["run"] for step in jobs["build"]["steps"] if "tag" in step.get("name", ""))
    for tag, is_right in ((f"v{__version__}", True), ("v99.0.0", False), (__version__, False)):
        done = subprocess.run(
            ["bash", "-c", check],
            cwd=CHECKOUT,
            env={"GITHUB_REF_NAME": tag, "PATH": "/usr/bin:/bin"},
            check=False,
        )
        assert (done.returncode == 0) is is_right, tag


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist, and a wheel that was built from it, as `python -m build` makes them."""
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t"]
    subprocess.run([*build, "sdist", "-d", out], cwd=CHECKOUT, check=True, capture_output=True)
    unpacked = tmp_path_factory.mktemp("sdist")
    with tarfile.open(next(out.glob("*.tar.gz"))) as archive:
        archive.extractall(unpacked, filter="data")
    subprocess.run(
        [*build, "wheel", "-d", out], cwd=next(unpacked.iterdir()), check=True, capture_output=True
    )
    return out


def tracked_files() -> set[str]:
    done = subprocess.run(["git", "ls-files"], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is not a git checkout")
    return set(done.stdout.splitlines())


@pytest.mark.slow
def test_the_sdist_is_the_checkout_and_nothing_in_it_is_large(built: Path) -> None:
    file = next(built.glob("*.tar.gz"))
    with tarfile.open(file) as archive:
        sizes = {member.name.partition("/")[2]: member.size for member in archive if member.isfile()}
    tracked = {
        name for name in tracked_files() if (CHECKOUT / name).is_file() and not name.startswith(".ci/")
    }
    assert tracked <= set(sizes)
    assert not {name.split("/")[0] for name in sizes} & {
        ".ci",
        ".git",
        ".venv",
        "artifacts",
        "data",
        "node_modules",
    }
    assert {name for name, size in sizes.items() if size > LARGE_BYTES} == {ADAPTER}
    assert file.stat().st_size < MOST_SDIST_BYTES


@pytest.mark.slow
def test_the_wheel_from_the_sdist_has_the_files_of_the_package_and_no_tests(built: Path) -> None:
    names = set(zipfile.ZipFile(next(built.glob("*.whl"))).namelist())
    assert {name for name in tracked_files() if name.startswith("workbench/")} <= names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"workbench"}


@pytest.mark.slow
def test_the_installed_command_starts(built: Path, tmp_path: Path) -> None:
    wheel = next(built.glob("*.whl"))
    text = zipfile.ZipFile(wheel).read(f"hermes_workbench-{__version__}.dist-info/entry_points.txt").decode()
    entry_points = ConfigParser()
    entry_points.read_string(text)
    assert {name: dict(entry_points[name]) for name in entry_points.sections()} == {
        "console_scripts": {"workbench": "workbench.__main__:main"}
    }
    venv.create(tmp_path, with_pip=True)
    subprocess.run(
        [tmp_path / "bin" / "pip", "install", "-q", "--no-deps", "--no-index", wheel],
        check=True,
        capture_output=True,
    )
    # The dependencies are those of the environment of the tests.
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    done = subprocess.run(
        [tmp_path / "bin" / "workbench", "--version"],
        cwd=tmp_path,
        env={"PYTHONPATH": packages},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == (f"workbench {__version__}\n", 0), done.stderr


@pytest.mark.long
def test_twine_and_check_wheel_contents_find_nothing(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=True)
    install = [tmp_path / "bin" / "python", "-m", "pip", "install", "-q", "twine", "check-wheel-contents"]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"twine and check-wheel-contents could not be installed: {installed.stderr[-200:]}")
    for command in (
        ["twine", "check", "--strict", *built.iterdir()],
        ["check-wheel-contents", *built.glob("*.whl")],
    ):
        done = subprocess.run(
            [tmp_path / "bin" / command[0], *command[1:]],
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
