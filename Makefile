.DEFAULT_GOAL := help
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory

# Command-line variables are passed on unchanged: make must not expand a `$` in a query or a password.
$(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(eval override export $(name) := $$(value $(name)))))

SOURCES := pipeline api shared migrations deploy
UNIT = $(shell find $(SOURCES) -name '*.test.ts' ! -name '*.integration.test.ts' ! -name '*.long.test.ts' | sort)
PROPERTIES = $(shell find $(SOURCES) -name '*.property*.test.ts' | sort)
SIMULATIONS = pipeline/simulation.test.ts $(shell find $(SOURCES) -name '*.simulation.test.ts' | sort)
CHAOS = $(shell find $(SOURCES) -name '*.chaos.ts' | sort)
SCALE = $(shell find $(SOURCES) -name '*.scale.ts' | sort)
# The longest tests start first: at the end they would run alone.
LONGEST = $(addsuffix .integration.test.ts,deploy/local/stack api/dashboard/dashboard $(addprefix pipeline/,tokenMarkets zoo push/push))
INTEGRATION = $(LONGEST) $(filter-out $(LONGEST),$(shell find $(SOURCES) -name '*.integration.test.ts' | sort))
LONG = $(shell find $(SOURCES) -name '*.long.test.ts' | sort)
BENCHES = $(shell find deploy/bench -name '*.bench.ts' 2>/dev/null | sort)

# The last release of every supported Node line; every run of `make check` tests the first and the last.
NODE_VERSIONS := 20.20.2 22.23.3 24.21.0 26.12.1
NODE_ENDS = $(firstword $(NODE_VERSIONS)) $(lastword $(NODE_VERSIONS))
# Tests that start processes.
NODE_TESTS := deploy/privateHome.integration.test.ts deploy/local/confinement.integration.test.ts deploy/local/stack.integration.test.ts \
	deploy/clickhouse/confinement.integration.test.ts deploy/image.integration.test.ts api/clients/clients.integration.test.ts
# The demo with another Node must not use a stack of the user's.
NODE_DEMO_DIR := .local/node-demo
NODE_DEMO_PORT_BASE := 28080

BIN := node_modules/.bin
TSX := node --import tsx
STACK := $(TSX) deploy/local/stack.ts
UNIT_TIMEOUT_MS := 1200000
SCALE_TIMEOUT_MS := 900000
CHAOS_TIMEOUT_MS := 7200000
INTEGRATION_TIMEOUT_MS := 600000
# Dots while running; the full report goes to a file, whose end (totals and failures) is printed.
TEST_REPORT := coverage/test-report.txt
# Tests run compiled: with tsx, a file takes two to three times the CPU time to start.
COMPILED := .local/tests
compiled = $(patsubst %.ts,$(COMPILED)/%.js,$(1))
# Unit tests of a folder (in the pipeline, of a subfolder) share a process, except for simulations: modules are then loaded once, which halves
# the CPU time of the API's tests.
UNIT_GROUPS := $(COMPILED)/units
# Integration tests that use the same servers, or small ones, share a process too: a process costs 0.7 s of CPU time, ClickHouse as much, an API 5 s.
INTEGRATION_GROUPS := $(COMPILED)/integration
using = $(shell grep -lE $(1) $(INTEGRATION))
ON_API = $(call using,'testing/filledApi.ts')
ON_TABLES = $(call using,'testing/tables.ts')
ON_SMALL = $(filter-out $(ON_TABLES),$(sort $(call using,'await start(Cache|Streams|Redis)') $(filter shared/%,$(INTEGRATION))))
ALONE = $(filter-out $(LONGEST) $(ON_API) $(ON_TABLES) $(ON_SMALL),$(INTEGRATION))
# Servers of integration tests keep their files in memory if there is enough (0.1 GB per test): on a disk, whose file system is busy with
# many small files, tests that write much take a fifth more CPU time.
SERVER_DATA_DIR ?= $(shell { [ "$$(df --output=avail -B1G /dev/shm | tail -n 1)" -ge 4 ]; } 2>/dev/null && echo /dev/shm || echo /tmp)
# Integration tests wait for leases, blocks and restarts most of their time: four at once keep two cores busy.
NODE_TEST = node --enable-source-maps $(call compiled,shared/testing/runTests.ts) $(1) $(2) $(TEST_REPORT)
PRINT_REPORT = status=$$?; sed -n '/^ℹ tests/,$$p' $(TEST_REPORT); exit $$status

.PHONY: help
help: ## Print the targets
	@awk -F ':.*## ' '/^[a-z\/-]+:.*## /{printf "%-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo 'STATE_DIR=… PORT_BASE=… choose a stack; RPC_URL=… CHAIN_ID=… START_BLOCK=… its chain (see .env.example)'

# ---- the local stack

.PHONY: check-settings
check-settings: install ## Check the variables given to `make up`
	@$(STACK) check

.PHONY: check-demo
check-demo: install ## Check the variables given to `make demo`
	@$(STACK) check demo

.PHONY: up
up: check-settings build ## Start the stack, or those parts that do not run; it is ready when the command returns
	@$(STACK) up

.PHONY: down
down: install ## Stop what `make up` started
	@$(STACK) down

.PHONY: status
status: install ## Show processes, health, memory, lag, throughput, verdicts and alerts per minute
	@$(STACK) status

.PHONY: logs
logs: install ## Show the last log lines of every process; ROLE=name follows one; FORMAT=json prints them as written
	@$(STACK) logs

.PHONY: migrate
migrate: build ## Apply the migrations of ClickHouse
	@$(STACK) migrate

.PHONY: roll
roll: build ## Restart roles one after the other: make roll [ROLE=name]
	@$(STACK) roll

.PHONY: backup
backup: install ## Copy tables, keys and streams while everything runs: make backup TO=folder
	@$(STACK) backup

.PHONY: restore
restore: install ## Restore a backup into an empty stack: make restore FROM=folder [FORCE=1, which replaces what is there]
	@$(STACK) restore

.PHONY: compose-backup
compose-backup: install ## Back up the stores of compose: make compose-backup TO=folder [ENGINE=podman]
	@$(TSX) deploy/backup/composeBackup.ts backup

.PHONY: compose-restore
compose-restore: install ## Restore a backup into empty stores of compose: make compose-restore FROM=folder [FORCE=1] [ENGINE=podman]
	@$(TSX) deploy/backup/composeBackup.ts restore

.PHONY: deployment-test
deployment-test: build servers ## Test image, compose, kills, rolling restarts, restore and pods in containers (as root, Debian); KEEP=1 leaves them
	@$(TSX) deploy/deployment/deploymentTest.ts

.PHONY: sbom
sbom: install ## Write the packages of the image as CycloneDX: make sbom [OUT=sbom.json]
	@npm sbom --package-lock-only --sbom-format cyclonedx --sbom-type application --omit dev --omit peer --loglevel=error > '$(or $(OUT),sbom.json)'
	@echo '$(or $(OUT),sbom.json)'

.PHONY: secrets
secrets: install ## Create the secrets of a deployment: make secrets RPC_URL=… [DIR=deploy/secrets]
	@$(TSX) deploy/createSecrets.ts '$(or $(DIR),deploy/secrets)'

.PHONY: export
export: install ## Export views as Parquet, a file per day: make export [OUT=folder] [WHAT=verdicts|tokens|trades] [DAY=2026-01-31]
	@$(STACK) export

.PHONY: sql
sql: install ## Query the views as the user analyst: make sql Q='SELECT …'; they are described in deploy/clickhouse/VIEWS.md
	@$(STACK) sql

.PHONY: key
key: build ## Create an API key: make key TIER=pro NAME=me [ACCOUNT=e-mail: its account on the dashboard, with a link that opens it]
	@$(STACK) key

.PHONY: disputes
disputes: build ## List disputed verdicts that nobody has answered; ALL=1 lists all
	@$(STACK) disputes

.PHONY: answer-dispute
answer-dispute: build ## Answer a dispute: make answer-dispute ID=fb_… STATUS=accepted|rejected ANSWER='…'; its author reads the answer
	@$(STACK) answer-dispute

.PHONY: mcp
mcp: install ## MCP server on standard input and output: make mcp API_KEY=… [API_URL=http://127.0.0.1:8080]
	@API_KEY='$(API_KEY)' $(TSX) api/mcp/stdio.ts

.PHONY: dead-letters
dead-letters: install ## List dead letters (messages that no reader could handle); FROM=number starts there
	@$(STACK) dead-letters

.PHONY: dead-letter
dead-letter: install ## Show one dead letter in full: make dead-letter ID=7
	@$(STACK) dead-letter

.PHONY: replay-dead-letters
replay-dead-letters: install ## Publish dead letters again on their subjects: ID=7, SUBJECT=score, or without either all
	@$(STACK) replay-dead-letters

.PHONY: delete-dead-letters
delete-dead-letters: install ## Delete dead letters that nobody needs: ID=7 or SUBJECT=score
	@$(STACK) delete-dead-letters

.PHONY: demo
demo: check-demo build ## Start everything, launch good and bad tokens, show the verdicts
	@$(TSX) deploy/demo/demo.ts

.PHONY: bench
bench: build servers ## Measure throughput and latency
	@test -n "$(BENCHES)" || { echo 'no benchmarks found' >&2; exit 1; }
	@set -e; for bench in $(BENCHES); do echo "== $$bench"; $(TSX) $$bench; done

.PHONY: compare
compare: build servers ## Compare the API's reads with PostgreSQL, written into deploy/COMPARISON.md: TOKENS=300000 ROUNDS=3
	@TOKENS='$(or $(TOKENS),300000)' ROUNDS='$(or $(ROUNDS),3)' $(TSX) deploy/compare/compare.ts

.PHONY: soak
soak: build servers ## Run everything at twice the rate of mainnet for MINUTES=60; record heap, descriptors, latency: OUT=coverage/soak.csv
	@MINUTES='$(or $(MINUTES),60)' OUT='$(OUT)' $(TSX) deploy/bench/soak.ts

.PHONY: chaos
chaos: build servers ## Test kills, reorgs, outages, full disks and power cuts; compare with the chain (as root): ROUNDS=16 of 13 kills, SEED=1
	@CHAOS_ROUNDS='$(or $(ROUNDS),16)' SEED='$(or $(SEED),1)' $(TSX) --test --test-concurrency=1 --test-reporter=spec --test-timeout=$(CHAOS_TIMEOUT_MS) $(CHAOS)

.PHONY: properties
properties: servers ## Property tests with random input: limiter, reorgs, rings, decoder, metadata, keys; RUNS=2000 of each
	@RUNS='$(or $(RUNS),2000)' $(TSX) --test --test-concurrency=2 --test-reporter=spec --test-timeout=$(SCALE_TIMEOUT_MS) $(PROPERTIES)

.PHONY: lies
lies: servers ## Test a node that lies in forty ways, LIES=1000 in all, and hostile ones for 1,960 blocks: no stored row may be wrong
	@LIES='$(or $(LIES),1000)' HOSTILE_BLOCKS=1960 $(TSX) --test --test-reporter=spec --test-timeout=7200000 pipeline/hostileNode.long.test.ts

.PHONY: market
market: servers ## Replay BLOCKS=30000 of the recorded market of 2021: the same rows from every node, the same results as make evaluate
	@MARKET_BLOCKS='$(or $(BLOCKS),30000)' $(TSX) --test --test-concurrency=1 --test-reporter=spec --test-timeout=$(CHAOS_TIMEOUT_MS) \
		pipeline/replay.long.test.ts pipeline/replayHorizons.long.test.ts

.PHONY: malformed
malformed: build servers ## Send malformed requests to every route; check that errors reveal nothing internal: REQUESTS=10000 SEED=1
	@REQUESTS='$(or $(REQUESTS),10000)' SEED='$(or $(SEED),1)' $(TSX) --test --test-reporter=spec --test-timeout=$(SCALE_TIMEOUT_MS) \
		api/malformed.integration.test.ts

.PHONY: simulation
simulation: install ## Simulate watcher, scorer, clusters and alerts on fakes, with crashes and reorgs, by seed: SEEDS=2000, or only SEED=17
	@SEEDS='$(or $(SEEDS),2000)' SEED='$(SEED)' $(TSX) --test --test-reporter=spec --test-timeout=$(CHAOS_TIMEOUT_MS) $(SIMULATIONS)

.PHONY: scale
scale: compile servers ## Test two chains on clusters of NATS and ClickHouse whose servers fail, partitions of NATS, a failover of Redis
	@node --test --test-concurrency=1 --test-reporter=spec --test-timeout=$(SCALE_TIMEOUT_MS) $(call compiled,$(SCALE))

# ---- the models

.PHONY: train
train: install ## Train both models from ../shared/data; needs Python
	@$(TSX) pipeline/training/train.ts

.PHONY: retrain
retrain: install ## Train on the outcomes of the tokens of the stack's chain: make retrain [CHAIN=id]; needs Python
	@$(STACK) retrain

.PHONY: models
models: install ## List the models of the stack's chain: the one in force, and how the others compare in the shadow [CHAIN=id]
	@$(STACK) models

.PHONY: promote
promote: install ## Put a model in force: make promote MODEL=hash|previous|shipped [CHAIN=id] [FORCE=1]
	@$(STACK) promote

.PHONY: learning
learning: servers ## Simulate launches whose pattern changes: drift, a model trained, compared, promoted and demoted; TOKENS=60 a day
	@$(TSX) pipeline/training/learningStory.ts --tokens '$(or $(TOKENS),60)'

.PHONY: evaluate
evaluate: install ## Score recorded pools: SYNC=… POOLS=… [LP=…] AT=1h OUT=scores.csv [HISTORY=folder]
	@$(TSX) pipeline/training/evaluate.ts --sync '$(SYNC)' --pools '$(POOLS)' --lp '$(LP)' --at '$(AT)' --out '$(OUT)' --history '$(HISTORY)'

.PHONY: evaluate-contracts
evaluate-contracts: install ## Score opcode histograms: HISTOGRAMS=… OUT=scores.csv
	@$(TSX) pipeline/training/evaluateContracts.ts --histograms '$(HISTOGRAMS)' --out '$(OUT)'

.PHONY: evaluate-names
evaluate-names: install ## Score names of tokens: NAMES=… OUT=scores.csv
	@$(TSX) pipeline/training/evaluateNames.ts --names '$(NAMES)' --out '$(OUT)'

.PHONY: train-names
train-names: install ## Train and cross-validate the model of names: NAMES=… with a column spam
	@$(TSX) pipeline/training/trainNames.ts --names '$(NAMES)'

.PHONY: confusables
confusables: install ## Refresh the list of letters that look like Latin ones: FILE=confusables.txt of Unicode
	@$(TSX) pipeline/training/refreshConfusables.ts --file '$(FILE)'

.PHONY: known-tokens
known-tokens: install ## Rebuild the list of known tokens from token lists: LISTS='one.json two.json …'
	@$(TSX) pipeline/training/refreshKnownTokens.ts $(LISTS)

.PHONY: evaluate-powers
evaluate-powers: install ## Find who can mint, take tokens or prevent sales, from bytecode: CODES=… OUT=powers.csv [FINDINGS=…] [LABELS=…]
	@$(TSX) pipeline/training/evaluatePowers.ts --codes '$(CODES)' --out '$(OUT)' --findings '$(FINDINGS)' --labels '$(LABELS)'

.PHONY: trial
trial: build servers ## Deploy recorded contracts on a devnet, trade and score them: OUT=trial.jsonl [REALS=220] [OWNERS=frauds] [DATA=folder]
	@$(TSX) pipeline/training/runTrial.ts --out '$(OUT)' --reals '$(or $(REALS),220)' --owners '$(or $(OWNERS),all)' --data '$(or $(DATA),../shared/data)'

.PHONY: train-checks
train-checks: install ## Fit the weights of checks to the results of a trial: TRIAL=trial.jsonl [DATA=folder]
	@$(TSX) pipeline/training/trainChecks.ts --trial '$(TRIAL)' --data '$(or $(DATA),../shared/data)'

.PHONY: evaluate-clusters
evaluate-clusters: install ## Find rings in recorded edges: EDGES=… DEPLOYMENTS=… OUT=clusters.csv
	@$(TSX) pipeline/clusters/evaluation/evaluate.ts --edges '$(EDGES)' --deployments '$(DEPLOYMENTS)' --out '$(OUT)'

# ---- gates

.PHONY: check
check: format-check lint types dead test test-long node-smoke ## Run everything a change must pass

.PHONY: format-check
format-check: install ## Check formatting and import order
	@$(BIN)/biome check .

.PHONY: format
format: install ## Repair formatting and import order
	@$(BIN)/biome check --write .

.PHONY: lint
lint: install ## Lint: promises, import rules, cycles, naming
	@$(BIN)/oxlint --type-aware --deny-warnings $(SOURCES)

.PHONY: types
types: install ## Type check
	@$(BIN)/tsc --noEmit --tsBuildInfoFile .local/types.tsbuildinfo

.PHONY: compile
compile: install # For the tests, without checking types, which takes ten times as long
	@[ ! -d $(COMPILED) ] || find $(COMPILED) -type l -delete # tsc would write JSON through its link, into the source
	@$(BIN)/tsc --noCheck
	@for folder in $(SOURCES); do cp -rsf "$$PWD/$$folder" $(COMPILED); done # what code reads beside itself
	@find $(COMPILED) -type l -name '*.json' -exec sed -i '' {} + # a copy in place of the link, for a plain `tsc` too

.PHONY: dead
dead: install ## Find unused files, exports and packages
	@$(BIN)/knip

.PHONY: test
test: test-unit test-integration ## Unit tests, then integration tests on real servers

.PHONY: test-unit
test-unit: compile ## Fast tests without servers
	@test -n "$(UNIT)" || { echo 'no unit tests found' >&2; exit 1; }
	@mkdir -p $(dir $(TEST_REPORT))
	@rm -rf $(UNIT_GROUPS) && mkdir -p $(UNIT_GROUPS)
	@for test in $(filter-out $(SIMULATIONS),$(UNIT)); do IFS=/ read -r area folder _ <<< "$$test"; \
		[ "$$area" != pipeline ] || area="$$area-$$folder"; echo "import '../$${test%.ts}.js';" >> "$(UNIT_GROUPS)/$$area.js"; done
	@$(call NODE_TEST,2,$(UNIT_TIMEOUT_MS)) $(call compiled,$(SIMULATIONS)) $(UNIT_GROUPS)/*.js; $(PRINT_REPORT)

.PHONY: test-integration
test-integration: compile build servers ## Tests that start their own NATS, Redis, ClickHouse and chain
	@test -n "$(INTEGRATION)" || { echo 'no integration tests found' >&2; exit 1; }
	@mkdir -p $(dir $(TEST_REPORT))
	@rm -rf $(INTEGRATION_GROUPS) && mkdir -p $(INTEGRATION_GROUPS)
	@$(foreach group,ON_API ON_TABLES ON_SMALL,printf "import '../%s.js';\n" $(basename $($(group))) > $(INTEGRATION_GROUPS)/$(group).js;)
	@SERVER_DATA_DIR='$(SERVER_DATA_DIR)' $(call NODE_TEST,4,$(INTEGRATION_TIMEOUT_MS)) \
		$(call compiled,$(LONGEST)) $(INTEGRATION_GROUPS)/*.js $(call compiled,$(ALONE)); $(PRINT_REPORT)

.PHONY: test-long
test-long: compile build servers ## Longer programmes: kills, failing and lying nodes, restores, upgrades, recorded chains
	@test -n "$(LONG)" || { echo 'no long tests found' >&2; exit 1; }
	@mkdir -p $(dir $(TEST_REPORT))
	@FIRST_SEED=26 SEEDS=100 SERVER_DATA_DIR='$(SERVER_DATA_DIR)' $(call NODE_TEST,2,$(INTEGRATION_TIMEOUT_MS)) \
		$(call compiled,$(LONG) $(SIMULATIONS)); $(PRINT_REPORT)

.PHONY: record-release
record-release: build ## Record what this release leaves behind, for the tests of upgrades from it (deploy/release/fixtures)
	@$(TSX) deploy/release/recordRelease.ts

.PHONY: upgrade-test
upgrade-test: build servers ## Take over the data of every release with the current code, compare answers, and run both side by side
	@$(TSX) --test --test-reporter=spec --test-timeout=$(INTEGRATION_TIMEOUT_MS) deploy/release/upgrade.long.test.ts

.PHONY: node-smoke
node-smoke: build servers ## Start the stack and get a verdict with the oldest and the newest Node, from npm
	@deploy/local/withNode.sh $(NODE_ENDS) -- node deploy/local/loadNative.mjs
	@deploy/local/withNode.sh $(NODE_ENDS) -- $(TSX) --test --test-reporter=dot --test-timeout=$(INTEGRATION_TIMEOUT_MS) $(firstword $(NODE_TESTS))

.PHONY: node-versions
node-versions: build servers ## Run the demo and the tests that start processes with every supported Node, from npm: NODE_VERSIONS='24.21.0'
	@test -z "$(filter-out $(wildcard $(NODE_TESTS)),$(NODE_TESTS))" || { echo 'tests are missing: $(NODE_TESTS)' >&2; exit 1; }
	@deploy/local/withNode.sh $(NODE_VERSIONS) -- node deploy/local/loadNative.mjs
	@deploy/local/withNode.sh $(NODE_VERSIONS) -- bash -c 'export STATE_DIR=$(NODE_DEMO_DIR) PORT_BASE=$(NODE_DEMO_PORT_BASE); \
		$(MAKE) demo; status=$$?; $(MAKE) down; rm -rf $(NODE_DEMO_DIR); exit $$status'
	@deploy/local/withNode.sh $(NODE_VERSIONS) -- env -u NODE_VERSIONS -u MAKEFLAGS $(TSX) --test --test-concurrency=1 --test-reporter=dot --test-timeout=$(INTEGRATION_TIMEOUT_MS) $(NODE_TESTS)

.PHONY: mutate
mutate: servers ## Mutation tests of limiter, authentication and reorg handling; see deploy/mutation/MUTATION.md
	@SERVER_CACHE_DIR='$(or $(SERVER_CACHE_DIR),$(CURDIR)/.local/cache)' $(BIN)/stryker run deploy/mutation/stryker.config.json
	@SERVER_CACHE_DIR='$(or $(SERVER_CACHE_DIR),$(CURDIR)/.local/cache)' $(TSX) deploy/mutation/mutateLua.ts

# ---- preparation

.PHONY: pictures
pictures: install ## Draw the pictures of link previews, and those of the README from a running demo; DEMO=0 skips the latter
	@$(TSX) deploy/demo/drawPictures.ts

.PHONY: docs
docs: install ## Rewrite what follows from the code: tables of checks, rules of alerts, metrics and licences; checkQuestions.ts
	@$(TSX) deploy/documents/writeDocuments.ts

.PHONY: sql-docs
sql-docs: servers ## Rewrite the dictionary of views and the answers to the questions in deploy/clickhouse
	@$(TSX) deploy/clickhouse/writeSqlDocs.ts

.PHONY: clients
clients: install ## Regenerate the clients in TypeScript and Python
	@$(TSX) api/clients/writeClients.ts

.PHONY: build
build: install ## Compile to dist
	@$(BIN)/tsc -b deploy/tsconfig.build.json

.PHONY: install
install: ## Install npm packages if they are missing or outdated
	@deploy/local/install.sh

.PHONY: servers
servers: install ## Fetch nats-server, redis-server and promtool if the machine has none
	@$(STACK) servers
