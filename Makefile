# Echo: `make run` starts it, `make test` tests it; both set up what is missing. `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

TAGS     := desktop,production,webkit2_41
BIN      := build/bin
CACHE    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/echo-companion
TOOLS    := $(CACHE)/tools
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X main.version=$(VERSION)
SOURCES  := $(shell find app backend main.go go.mod go.sum -name '*_test.go' -prune -o -type f -print 2>/dev/null)
PAGES    := $(shell find frontend -path frontend/node_modules -prune -o -path frontend/dist -prune -o -path frontend/e2e -prune -o -path frontend/test-results -prune -o -type f -print 2>/dev/null)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /  \1\t/' | expand -t16

.PHONY: run
run: setup models build ## set up what is missing, build, and start Echo
	@echo "==> Starting Echo"
	@$(BIN)/echo-companion

.PHONY: build
build: $(BIN)/echo-companion $(BIN)/echo-engine ## build/bin/echo-companion (the app) and build/bin/echo-engine

.PHONY: test
test: ## set up what is missing, then run all tests
	@build/setup.sh test
	@build/test.sh

.PHONY: setup
setup: ## install the Debian packages that are missing
	@build/setup.sh run

.PHONY: models
models: ## fetch the speech models that are missing
	@build/models.sh

$(BIN)/echo-companion: $(SOURCES) frontend/dist/index.html
	@echo "==> Building the app (the first time takes minutes)"
	@CGO_ENABLED=1 go build -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $@ .

$(BIN)/echo-engine: $(shell find backend/engine backend/speech/frame -type f 2>/dev/null) build/engine.sh
	@echo "==> Building echo-engine"
	@build/engine.sh

frontend/node_modules/.package-lock.json: frontend/package.json frontend/package-lock.json
	@echo "==> Installing the frontend's packages"
	@cd frontend && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

frontend/dist/index.html: $(PAGES) frontend/node_modules/.package-lock.json
	@echo "==> Building the frontend"
	@cd frontend && npm run --silent build
	@touch $@

.PHONY: generate
generate: ## write the TypeScript types from backend/protocol
	@go generate ./backend/protocol

.PHONY: tools
tools: $(TOOLS)/golangci-lint $(TOOLS)/gofumpt

$(TOOLS)/golangci-lint $(TOOLS)/gofumpt: build/tools/go.sum
	@echo "==> Building the linters (the first time takes minutes)"
	@cd build/tools && GOBIN=$(TOOLS) go install tool
	@touch $(TOOLS)/golangci-lint $(TOOLS)/gofumpt

.PHONY: fmt
fmt: tools frontend/node_modules/.package-lock.json ## format all code
	@$(TOOLS)/golangci-lint fmt ./...
	@cd frontend && npm run --silent format

.PHONY: lint
lint: tools frontend/node_modules/.package-lock.json ## lint and check the format, with and without the window
	@build/lint.sh

.PHONY: e2e-desktop
e2e-desktop: build ## the real app under Xvfb, with virtual sound devices
	@failed=0; for scenes in desktop handsfree devices trouble; do build/e2e/$$scenes.sh || failed=1; done; exit $$failed

.PHONY: e2e-web
e2e-web: build ## the dashboard in Chromium against the real binary
	@cd frontend && npm run --silent e2e

.PHONY: screens
screens: build ## the pictures of docs/screens, of the real window
	@build/e2e/screens.sh

.PHONY: bench
bench: build ## the benchmarks of docs/benchmarks.md
	@build/bench.sh

.PHONY: install
install: build ## install Echo for this user: binaries, icon and menu entry
	@build/install.sh

.PHONY: clean
clean: ## remove what was built (not the models, nor anybody's data)
	@rm -rf $(BIN) frontend/node_modules
	@find frontend/dist -mindepth 1 ! -name .gitkeep -delete
