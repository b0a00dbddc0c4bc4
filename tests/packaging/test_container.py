"""The Dockerfile and the files of the Space are complete and consistent."""

import re
import runpy
import tomllib
from contextlib import nullcontext
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).parents[2]
DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()


def test_every_copied_file_exists_and_is_not_ignored():
    ignored = set((CHECKOUT / ".dockerignore").read_text().split())
    for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE):
        for source in line.split()[:-1]:
            assert (CHECKOUT / source).exists(), source
            assert source not in ignored


def test_the_container_runs_as_a_user_with_a_health_check_and_a_volume():
    last = DOCKERFILE.split("FROM ")[-1]
    for line in ("USER workbench", "VOLUME /data", "HEALTHCHECK", "WORKBENCH_HOST=0.0.0.0"):
        assert line in last


def test_both_stages_use_one_base_image_that_a_release_pins_by_its_digest():
    base = re.search(r"^ARG BASE=(python:3\.\d+-slim)$", DOCKERFILE, re.MULTILINE)
    assert base and base.start() < DOCKERFILE.index("\nFROM ")
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["${BASE}", "${BASE}"]
    steps = (CHECKOUT / "CONTRIBUTING.md").read_text().split("## Releases")[1]
    assert f"imagetools inspect {base[1]} " in steps
    assert f'--build-arg BASE="{base[1]}@$digest"' in steps


def test_project_urls_are_missing_only_as_long_as_the_release_steps_say_so():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    steps = (CHECKOUT / "CONTRIBUTING.md").read_text().split("## Releases")[1]
    assert ("urls" in project) != ("The metadata has no project URLs" in steps)


def test_only_what_the_build_of_llama_cpp_reads_is_copied_before_it():
    before = DOCKERFILE.split("RUN python -m venv")[0]
    copied = re.findall(r"^COPY (.+)$", before, re.MULTILINE)
    assert copied == ["constraints.txt ./", "scripts/install_llama.sh scripts/install_llama.sh"]


def test_the_image_has_the_extra_for_agents_and_keeps_models_on_the_volume():
    assert "ARG EXTRAS=local,mcp\n" in DOCKERFILE
    assert '".[$EXTRAS]"' in DOCKERFILE
    assert "HF_HOME=/data/huggingface\n" in DOCKERFILE.split("FROM ")[-1]


def test_the_entry_point_can_serve_agents(monkeypatch):
    given = []
    monkeypatch.setattr("workbench.ui.serve.serve_page", lambda _services, **options: given.append(options))
    monkeypatch.setattr("workbench.wiring.open_services", lambda _settings: nullcontext())
    for arguments in (["app.py"], ["app.py", "--mcp"]):
        monkeypatch.setattr("sys.argv", arguments)
        runpy.run_path(str(CHECKOUT / "app.py"), run_name="__main__")
    assert given == [{"has_mcp": False}, {"has_mcp": True}]


def test_the_metadata_names_the_versions_of_python_authors_and_keywords():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    assert project["authors"] and project["keywords"]
    for version in ("3.11", "3.12", "3.13"):
        assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_the_front_matter_names_files_that_exist():
    front = yaml.safe_load((CHECKOUT / "README.md").read_text().split("---\n")[1])
    assert (CHECKOUT / front["app_file"]).is_file()
    assert len(front["short_description"]) <= 60


def test_the_front_matter_has_everything_that_a_space_needs():
    front = yaml.safe_load((CHECKOUT / "README.md").read_text().split("---\n")[1])
    for name in ("title", "emoji", "sdk", "sdk_version", "python_version", "license", "suggested_hardware"):
        assert front[name], name
    assert front["hf_oauth"] is True
    assert front["hf_oauth_scopes"] == ["inference-api", "contribute-repos"]
    assert front["models"] and front["tags"]


def test_the_how_to_names_the_limits_of_the_code():
    from workbench.records.limits import SPACE

    page = (CHECKOUT / "docs" / "how-to" / "deploy-to-a-space.md").read_text()
    for limit in (SPACE.max_tokens, SPACE.text_chars, SPACE.run_jobs, SPACE.import_rows):
        assert f" {limit:,} " in page, limit
    assert f" {(SPACE.import_bytes or 0) // 1_000_000} MB" in page


def test_every_core_dependency_is_in_the_requirements_of_the_space():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    dependencies = {re.split(r"[<>=\[]", name)[0] for name in project["dependencies"]}
    requirements = {
        line.split("==")[0]
        for line in (CHECKOUT / "requirements.txt").read_text().splitlines()
        if "==" in line
    }
    assert dependencies <= requirements
