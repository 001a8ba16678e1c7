# On a fresh machine `make demo` and `make test` do everything, set-up included.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: install install-train install-dev demo test test-nojit test-slow reference playthroughs lint docs clean

install: .venv/core
install-train: .venv/train
install-dev: .venv/dev

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || (echo "Python 3.11 or newer is needed; try make PYTHON=python3.12" && false)
	@echo "==> making a virtual environment in .venv"
	$(PYTHON) -m venv .venv

.venv/core: .venv/bin/python pyproject.toml constraints.txt
	@echo "==> installing kgb-env (a minute or two)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

.venv/train: .venv/core
	@echo "==> installing what learns"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[train]'
	@touch $@

.venv/dev: .venv/core
	@echo "==> installing the tools for tests"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,train]'
	@touch $@

demo: .venv/core
	$(BIN)/kgb tournament demo --out report/demo --workers 2

test: .venv/dev lint docs
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"
	$(MAKE) test-nojit

test-nojit: .venv/dev
	@echo "==> the same rules as plain Python"
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m nojit

# What takes long or needs more packages, such as a local Ray cluster.
test-slow: .venv/dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,train,ray,torchrl]'
	$(BIN)/python -m pytest -m slow

reference: .venv/dev
	$(BIN)/python -m tests.reference.agree --games 10000

playthroughs: .venv/dev
	$(BIN)/python -m tests.playthroughs

lint: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/codespell

docs: .venv/dev
	$(BIN)/python -m experiments.pages --check

clean:
	rm -rf .venv build dist report
