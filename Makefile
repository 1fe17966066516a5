# Every target makes what it needs: the environment lives in .venv of this checkout.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SITE := $(VENV)/.site

# faces are not here: their tests look at words by nature; single tests of words are marked `words`
HASHED := games referee records crypto tournament transport tournoyons league kref arcade elections site test_hall.py test_bot.py

# what opens stores within its own process, and is run once more with all of them on PostgreSQL
STORED := records site referee tournament league arcade elections kref test_records_after.py

.PHONY: help serve play messages test hashed campaign gauntlet lint types bench pictures docs golden playthroughs schema lock dist clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

$(READY): pyproject.toml requirements.lock tools/environment
	@PYTHON="$(PYTHON)" tools/environment $(VENV)
	@touch $@

# who wants to play or to serve need not wait for what only developers need
$(SITE): pyproject.toml requirements.lock tools/environment
	@[ -e $(READY) ] || PYTHON="$(PYTHON)" tools/environment $(VENV) engines
	@mkdir -p $(VENV) && touch $@

play: $(SITE)  ## play a game in the terminal (make play GAME=reversi)
	@$(BIN)/arbitre play $(or $(GAME),tictactoe)

serve: $(SITE)  ## open the site on this machine (make serve PORT=8000)
	@$(BIN)/arbitre serve --data arbitre-data $(if $(PORT),--port $(PORT))

messages: $(READY)  ## say which words of the site lack a translation
	@$(BIN)/python tools/messages

test: $(READY)  ## run the tests
	@tools/system
	@tools/tests $(BIN)/python

hashed: $(READY)  ## run the tests of core, systems and site with a hash in place of every sentence
	@ARBITRE_HASHED=1 tools/tests $(BIN)/python $(addprefix tests/,$(HASHED))

campaign: $(READY)  ## run the long tests too, and rate the levels of the house
	@tools/system campaign
	@ARBITRE_PICTURES=1 tools/tests $(BIN)/python -m "" --hypothesis-profile=campaign -o faulthandler_timeout=7200
	@ARBITRE_ON_POSTGRESQL=1 tools/tests $(BIN)/python $(addprefix tests/,$(STORED))
	@$(BIN)/python -m tests.games.gauntlet

gauntlet: $(READY)  ## play levels of the house against those below, and write it down (make gauntlet PLAYERS=reversi)
	@$(BIN)/python -m tests.games.gauntlet $(PLAYERS)

lint: $(READY)  ## check style, and the types of JavaScript
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@tools/javascript

types: $(READY)  ## check types strictly
	@$(BIN)/mypy

bench: $(READY)  ## measure, side by side with peers, and write the table of the manual
	@$(BIN)/python -m bench

pictures: $(READY)  ## photograph every page into pictures/, in three windows, light and dark, both languages
	@tools/system
	@$(BIN)/python tools/pictures

docs: $(READY)  ## build the manual into site/
	@$(BIN)/python -m mkdocs build --strict --quiet && echo "the manual is in site/index.html"

golden: $(READY)  ## write the golden records of games and terminations that have none yet
	@$(BIN)/python -m tests.golden.make

playthroughs: $(READY)  ## write the golden playthroughs of all games anew
	@$(BIN)/python -m tests.playthrough

schema: $(READY)  ## write the schema of a new data folder anew, from the tables
	@$(BIN)/python -m tests.records.schema

dist: $(READY)  ## build the wheel and the archive of the source into dist/
	@$(BIN)/python -m hatchling build --clean

lock:  ## write down the newest versions of all dependencies that pyproject.toml allows (needs uv)
	@tools/lock

clean:  ## remove what the targets made
	rm -rf $(VENV) .venvs .node site build dist pictures test-output .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
