# make run   the demo: bad status writes are refused, no cluster needed
# make test  everything that is checked before a change lands
# make lint  style, types, layers and dependencies only
# make e2e   what needs a real API server, with the tests that take long
# make bench what it costs to judge a review
# make bench-prefilter what a prefilter saves on a real API server
# make docs  what is made of the code: the reference, the CRDs, tables, dashboards and the PrometheusRule
.DEFAULT_GOAL := help
.PHONY: help run test lint e2e bench bench-prefilter docs clean

VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := $(CURDIR)/constraints.txt
# The build back end is pinned too: pip reads the first variable for it up to 25.2, the second one since.
export PIP_CONSTRAINT := $(CONSTRAINTS)
export PIP_BUILD_CONSTRAINT := $(CONSTRAINTS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The first interpreter that is new enough; PYTHON=... names another.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; break; }; done)

help:
	@sed -n 's/^# make/make/p' Makefile

$(VENV)/python:
	@test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer is missing" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "make: $(PYTHON) has no venv (on Debian: apt-get install python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/python pyproject.toml constraints.txt
	@echo "installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@echo "installing what the tests need into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

run: $(VENV)/installed
	@$(BIN)/statusguard demo

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .

test: lint
	$(BIN)/pytest -n 2 -m 'not slow' --cov --cov-report=
	$(BIN)/coverage report --include='rules/*' --fail-under=95
	$(BIN)/coverage report --include='webhook/*'

e2e: $(VENV)/installed-dev
	$(BIN)/pytest tests/e2e

docs: $(VENV)/installed-dev
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_library_table.py
	$(BIN)/python docs/make_native_table.py
	$(BIN)/python docs/make_monitoring.py
	$(BIN)/statusguard crds > manifests/crds/statusguard.dev.yaml

bench: $(VENV)/installed-dev
	$(BIN)/python benchmarks/judge.py
	$(BIN)/python benchmarks/lint.py
	$(BIN)/python benchmarks/serve.py

bench-prefilter: $(VENV)/installed-dev
	$(BIN)/python benchmarks/prefilter.py --rule fields
	$(BIN)/python benchmarks/prefilter.py --rule conditions

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
