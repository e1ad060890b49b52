# Every target does the set-up that it needs; all of it goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
# Installed again when what it is made of changes; the rules in C are built by that.
MADE_OF := pyproject.toml setup.py constraints.txt $(wildcard arbiter/envs/core/*.[ch])
RUN := .venv/run.stamp
DEV := .venv/dev.stamp
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# By a line in a .pth: what setuptools writes otherwise makes each start of Python, such as a bot's, take twice as long.
EDITABLE := --config-settings editable_mode=compat --editable

.PHONY: demo ready test quick test-thorough check check-and-dist check-scripts site dist bench bench-libraries bench-peers bench-web bench-uploads ladder models bots clean

demo: $(RUN) ## a round of Planning between real bots, and its report
	rm -f configs/demo.sqlite configs/demo.sqlite-* configs/demo.html
	$(BIN)/arbiter run-round configs/demo.yaml
	@$(BIN)/arbiter report configs/demo.yaml --output configs/demo.html --matches all

# Compiled modules are kept, whatever the shell says: each process of the tests would compile them all.
test: export PYTHONDONTWRITEBYTECODE =
test: export CXXFLAGS = -O2 -Wall -Wextra -Werror
test: $(DEV) bots ## all tests; ORDER=N for one of their random orders
	@# Tests call make, too: each as if by hand.
	env -u MAKEFLAGS -u MFLAGS $(BIN)/python -m pytest -n 4 $(if $(ORDER),--order $(ORDER))

# What plays seasons or asks a site; of these, `make quick OF=tests/season` has what starts no process either.
PLAYED := contest/integrity contest/requests contest/webhooks season trials/regression trials/review trials/tuning web
quick: export PYTHONDONTWRITEBYTECODE =
quick: $(DEV) ## the tests that start no process, need no browser and play no season; OF=tests/season for those of a part
	$(BIN)/python -m pytest -n 2 -m 'not process and not browser and not slow' $(or $(OF),$(PLAYED:%=--ignore=tests/%))

test-thorough: export ARBITER_TEST_PROFILE = thorough
test-thorough: test ## all tests, with all examples of hypothesis and all pages of the documentation; for the night

check: $(DEV) check-scripts site ## format, lint, types, layers, links
	@! git ls-files -ci --exclude-standard 2>/dev/null | grep . || { echo 'these are ignored, and yet committed: git rm --cached' >&2; exit 1; }
	@! git grep -nE '^(<<<<<<<|>>>>>>>) ' 2>/dev/null | grep . || { echo 'marks of a merge: choose a side' >&2; exit 1; }
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# With what the pages link to beside them, so that every link is checked.
site: $(DEV) ## the documentation as a site, in build/site
	@rm -rf build/pages && mkdir -p build/pages
	@tar -c --exclude build --exclude '*.sqlite*' *.md docs bots configs/ladder tests/bench/plain_bots.toml tests/sandbox/test_attacks.py | tar -x -C build/pages
	@# The site's Markdown knows no words behind the language of a block.
	@find build/pages -name '*.md' -exec sed -i -E 's/^(```[a-z]+) .*/\1/' {} +
	$(BIN)/mkdocs build --strict 2>build/site.log || { cat build/site.log >&2; exit 1; }

ready: export CXXFLAGS = -O2 -Wall -Wextra -Werror
ready: $(DEV) bots node_modules/.whole ## what the tests and the checks need

check-and-dist: check
	env -u MAKEFLAGS -u MFLAGS $(MAKE) dist

dist: $(DEV) ## sdist and wheel in dist/, tested
	rm -rf dist
	$(BIN)/python -m build --quiet --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m pytest -q --order 0 tests/packaging/distribution.py

check-scripts: $(DEV) node_modules/.whole ## types and lint of the pages' scripts, where npm is
	@if [ ! -e node_modules/.whole ]; then echo "nothing from npm: the pages' scripts are not checked" >&2; else \
	  set -e; mkdir -p build; $(BIN)/python -m tests.web.api_types >build/api.json; \
	  node_modules/.bin/openapi-typescript build/api.json --root-types --root-types-no-schema-prefix >build/api.d.ts; \
	  echo "export as namespace Api;" >>build/api.d.ts; \
	  node_modules/.bin/tsc; \
	  node_modules/.bin/oxlint --quiet arbiter/web/static; \
	fi

# Anew unless the last time was to the end: npm takes half a package for a whole one.
node_modules/.whole: package.json
	@rm -rf node_modules; if command -v npm >/dev/null; then \
	  npm install --silent --no-package-lock --no-audit --no-fund >&2 && touch $@ || true; \
	fi

bench: $(DEV) bots ## figures as one JSON object
	@$(BIN)/python -m tests.bench

bench-web: $(DEV) bots ## figures of a site: each page of a season of 2,000 players, then beside a season that is played; MINUTES=10 to see its memory over time
	@$(BIN)/python -m tests.bench.web --minutes $(or $(MINUTES),0.5)

bench-uploads: $(DEV) ## figures of a site's pages while sixty authors send programs at once
	@$(BIN)/python -m tests.bench.uploads

bench-peers: $(DEV) bots ## other packages and fastchess (in PATH, or FASTCHESS=PROGRAM) beside ours, each skipped by name where it cannot be had
	-@$(INSTALL) evalica >&2
	@test -x .venv/peers/bin/python || $(PYTHON) -m venv .venv/peers
	-@.venv/peers/bin/python -m pip install --quiet --disable-pip-version-check rlcard==1.2.0 >&2
	-@.venv/peers/bin/python -m pip install --quiet --disable-pip-version-check chefshatgym==2.4.0.4 >&2
	-@.venv/peers/bin/python -m pip install --quiet --disable-pip-version-check open_spiel==2.0.2 numpy==1.26.1 >&2
	-@.venv/peers/bin/python -m pip install --quiet --disable-pip-version-check confseq==0.0.11 >&2
	-@.venv/peers/bin/python -m pip install --quiet --disable-pip-version-check pgx==2.6.0 "jax<0.5" numpy==1.26.1 >&2
	-@.venv/peers/bin/python -m pip install --quiet --disable-pip-version-check --no-deps douzero==1.1.0 >&2
	@$(BIN)/python -m tests.bench.peers

bench-libraries: $(DEV) ## the programs of docs/howto/learning-libraries.md, each with its library; OF="skrl torchrl" for some
	@$(BIN)/python -m tests.bench.libraries $(OF)

models: $(DEV) ## seasons of language models on llama.cpp's server, which is built if missing; PROXY=1: through a litellm proxy, too
	@$(BIN)/python -m tests.bench.real_models $(if $(PROXY),--proxy)

ladder: export PATH := $(CURDIR)/$(BIN):$(PATH)
ladder: $(DEV) bots ## plays the ladders of opponents, rates them, writes docs/reference/ladder.md; GAMES="planning" alone
	$(BIN)/python -m tests.bench.ladder $(GAMES)

bots: ## the C++ bots and the attacks in C, where there is a compiler
	@if command -v c++ >/dev/null || command -v g++ >/dev/null; then \
	  $(MAKE) --no-print-directory -C bots/cpp >&2; \
	else echo "no C++ compiler: the C++ bots are left out" >&2; fi
	@if command -v cc >/dev/null; then \
	  $(MAKE) --no-print-directory -C bots/faulty >&2; \
	else echo "no C compiler: the attacks in C are left out" >&2; fi

clean: ## everything that was made
	rm -rf .venv build dist *.egg-info arbiter/envs/core/*.so bots/cpp/build bots/faulty/build configs/*.sqlite* configs/ladder/*.sqlite* configs/demo.html

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("arbiter needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv .venv

$(RUN): $(MADE_OF) | $(BIN)/python
	@echo "setting up .venv" >&2
	@$(INSTALL) $(EDITABLE) '.[envs,web]'
	@touch $@

$(DEV): $(MADE_OF) | $(BIN)/python
	@echo "setting up .venv for development" >&2
	@$(INSTALL) $(EDITABLE) '.[dev]'
	@touch $@ $(RUN)
