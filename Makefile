# The only verbs. Everything runs in .venv, which the first one makes.
PYTHON ?= python3
BIN := .venv/bin
# Small matrices: a second BLAS thread slows them down, badly so on a busy machine.
export OPENBLAS_NUM_THREADS := 1

.PHONY: demo test fast docs bench dist clean

demo: .venv/core
	bash runs/demo.sh

test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture
	$(BIN)/python -m pytest -n 2

fast: .venv/dev
	$(BIN)/python -m pytest -n 2 -m "not slow"

docs: .venv/dev
	$(BIN)/python tools/build_docs.py

bench: .venv/dev
	for b in benchmarks/bench_*.py; do $(BIN)/python $$b || exit 1; done

dist: .venv/dev
	$(BIN)/python -m pip wheel -q --no-deps -w dist .

clean:
	rm -rf .venv dist build

.venv/core: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version) if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	touch $@

.venv/dev: .venv/core
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	touch $@
