# Every target does its own set-up: a fresh clone needs only Python 3.11 or later, git and make.
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PACKAGES := modelcheck specs invariants traces spark
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup run test lint bench gallery clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv, with the command at .venv/bin/modelcheck

$(STAMP): pyproject.toml requirements/base.txt requirements/dev.txt requirements/spark.txt .ci/setup
	@./.ci/setup $(VENV)
	@touch $@

run: $(STAMP) ## check every model in specs/: toys, classics, and the ZooKeeper study
	@status=0; for folder in specs/toys specs/classics specs/zookeeper; do \
		echo "modelcheck check $$folder"; \
		$(BIN)/modelcheck check $$folder --jobs $(WORKERS) --pictures build/pictures || status=$$?; \
		echo; \
	done; exit $$status

lint: $(STAMP) ## ruff and mypy --strict over all packages
	$(BIN)/ruff check .
	$(BIN)/mypy --strict $(addprefix -p ,$(PACKAGES))

test: lint ## lint, then all tests
	$(BIN)/pytest -n $(WORKERS)

bench: $(STAMP) ## compare with TLC (TLC_JAR=path) and Spin, if they are there
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/zookeeper.py

gallery: $(STAMP) ## find the counterexamples of the ZooKeeper study again and draw them
	$(BIN)/python -m traces.gallery

clean: ## remove .venv, caches and build output
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
