# Two commands do everything on a fresh machine with rustup, Node, Python and make:
# `make demo` and `make test`. Both install what they need into this folder or by rustup.
.DEFAULT_GOAL := help
.PHONY: help setup build demo test bench lint

CARGO ?= cargo

help: ## print this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup:
	@tests/setup

build: setup ## build the engine: target/debug/attest-engine
	$(CARGO) build --locked

demo: build ## watch a double refund happen, and then not happen
	@python3 examples/payments/demo.py

test: setup ## run every test; the last line counts them
	@tests/run

bench: setup ## measure the engine beside a bare hyper server
	$(CARGO) build --locked --profile dist --package attest-host --package attest-bench
	@target/dist/attest-bench

lint: setup ## check format and lints
	@tests/lint
