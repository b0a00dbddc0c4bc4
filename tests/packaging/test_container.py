"""What the Dockerfile and the Space's files name is there."""

import re
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).parents[2]
DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()


def test_every_file_that_is_copied_exists_and_is_not_ignored():
    ignored = set((CHECKOUT / ".dockerignore").read_text().split())
    for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (CHECKOUT / source).exists(), source
            assert source not in ignored


def test_it_runs_as_a_user_with_a_health_check_and_a_volume():
    last = DOCKERFILE.split("FROM ")[-1]
    for line in ("USER workbench", "VOLUME /data", "HEALTHCHECK", "WORKBENCH_HOST=0.0.0.0"):
        assert line in last
    assert re.search(r"^FROM python:3\.\d+-slim$", DOCKERFILE, re.MULTILINE)


def test_the_space_s_front_matter_names_files_that_exist():
    front = yaml.safe_load((CHECKOUT / "README.md").read_text().split("---\n")[1])
    assert (CHECKOUT / front["app_file"]).is_file()
    assert len(front["short_description"]) <= 60


def test_every_core_dependency_stands_in_the_space_s_requirements():
    import tomllib

    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    wanted = {re.split(r"[<>=\[]", name)[0] for name in project["dependencies"]}
    given = {
        line.split("==")[0]
        for line in (CHECKOUT / "requirements.txt").read_text().splitlines()
        if "==" in line
    }
    assert wanted <= given
