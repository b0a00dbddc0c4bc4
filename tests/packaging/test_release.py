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
DATA = "workbench/training/everyday/families"
ADAPTER = "workbench/engines/embedded_adapter/adapter.gguf"
LARGE_BYTES = 1 << 20
MOST_SDIST_BYTES = 16 << 20
MOST_WHEEL_BYTES = 25 << 19


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
    for command in (
        "python -m build",
        f"python -m build --wheel --outdir dist {DATA}",
        "twine check --strict dist/*",
        "check-wheel-contents dist/*.whl",
    ):
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
    """A folder with an sdist, and both wheels built from it, as `python -m build` makes them."""
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t"]
    subprocess.run([*build, "sdist", "-d", out], cwd=CHECKOUT, check=True, capture_output=True)
    unpacked = tmp_path_factory.mktemp("sdist")
    with tarfile.open(next(out.glob("*.tar.gz"))) as archive:
        archive.extractall(unpacked, filter="data")
    sources = next(unpacked.iterdir())
    for project in (sources, sources / DATA):
        subprocess.run([*build, "wheel", "-d", out], cwd=project, check=True, capture_output=True)
    return out


def wheel_of(built: Path, name: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(built.glob(f"{name}-*.whl")))


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
def test_the_wheels_from_the_sdist_have_the_files_of_the_package_and_no_tests(built: Path) -> None:
    package = {name for name in tracked_files() if name.startswith("workbench/")}
    data = {name for name in package if name.startswith(DATA)}
    names = set(wheel_of(built, "hermes_workbench").namelist())
    assert package - data <= names and not data & names
    for pattern in ("prompts/**/*.md", "tools_catalog/*.yaml", "tools_catalog/*.py"):
        for path in CHECKOUT.glob(pattern):
            assert f"workbench/shipped/{path.relative_to(CHECKOUT)}" in names
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"workbench"}
    folder = "hermes_workbench_training_data"
    found = {name for name in wheel_of(built, folder).namelist() if ".dist-info/" not in name}
    shipped = {name.replace(DATA, folder) for name in data if not name.endswith("pyproject.toml")}
    assert found == shipped | {f"{folder}/LICENSE"}


@pytest.mark.slow
def test_the_wheel_of_the_program_stays_small(built: Path) -> None:
    assert next(built.glob("hermes_workbench-*.whl")).stat().st_size < MOST_WHEEL_BYTES


def test_the_extra_train_requires_the_data_of_the_same_version() -> None:
    assert f"hermes-workbench-training-data=={__version__}" in PROJECT["optional-dependencies"]["train"]


@pytest.mark.slow
def test_the_installed_command_starts_and_names_the_package_that_everyday_tools_need(
    built: Path, tmp_path: Path
) -> None:
    entry_points = ConfigParser()
    metadata = f"hermes_workbench-{__version__}.dist-info/entry_points.txt"
    entry_points.read_string(wheel_of(built, "hermes_workbench").read(metadata).decode())
    assert {name: dict(entry_points[name]) for name in entry_points.sections()} == {
        "console_scripts": {"workbench": "workbench.__main__:main"}
    }
    venv.create(tmp_path, with_pip=True)

    def install(name: str) -> None:
        pip = [tmp_path / "bin" / "pip", "install", "-q", "--no-deps", "--no-index", "--find-links", built]
        subprocess.run([*pip, name], check=True, capture_output=True)

    def run(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [tmp_path / "bin" / "workbench", *arguments],
            cwd=tmp_path,
            env={"PYTHONPATH": str(packages), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    # The dependencies are those of the environment of the tests, which may have the data as well.
    packages = tmp_path / "packages"
    packages.mkdir()
    for path in Path(next(path for path in sys.path if path.endswith("site-packages"))).iterdir():
        if not path.name.startswith(("workbench", "hermes_workbench", "__editable__")):
            (packages / path.name).symlink_to(path)
    data = f"hermes-workbench-training-data=={__version__}"
    install(f"hermes-workbench=={__version__}")
    assert run("--version") == (0, f"workbench {__version__}\n", "")
    (tmp_path / "script.yaml").write_text("completions: [It is 31.]")
    chat = ("chat", "hi", "--contract", "full", "--tools", "weather", "--model", "scripted:script.yaml")
    status, answer, message = run(*chat)
    assert status == 0 and "It is 31." in answer, message
    assert (tmp_path / ".local/share/hermes-workbench/workbench.sqlite3").is_file()
    everyday = ("synth", "--generator", "everyday", "--count", "2", "--out", "rows.jsonl")
    status, _, message = run(*everyday)
    assert status == 2
    assert message == f"workbench: everyday tools: their families are not installed (pip install {data})\n"
    install(data)
    assert run(*everyday) == (0, "", "2 rows written to rows.jsonl\n")


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
