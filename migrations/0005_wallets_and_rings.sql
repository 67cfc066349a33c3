-- One row a wallet: who it is and what it did, kept by the cluster detector. Written whenever a block changes it, version = chain position.
-- first_seen and last_activity are of the canonical chain; stolen_usd and victims by the published formula; reputation_score = 50 + the
-- contributions in factors. factors: JSON array of {id, value, contribution, text}; behaviours: JSON array of {id, text, count}. A wallet
-- with is_hub = 1 (exchange, router, bridge, mixer, or more than 1,000 counterparties) is never walked through. role: creator, funder,
-- sniper, trader, liquidity_provider, victim, master, puppet, holder or unknown.
-- steps are how the reputation came about, oldest first. event: token_created, token_flagged, liquidity_removed, funded_by_scammer,
-- cluster_joined or cleared; score after it and delta in points. Those of token_flagged also have the wallet's role in the token, the outcome
-- for it (rug_pull, honeypot, dump, impersonation, serial_spam), what was stolen and from how many. token and tx_hash are zero where the
-- step has none.
-- Wallets are read by key, many columns at once, and searched as a whole by a few: large parts have a file a column, of small blocks;
-- steps, which few reads want, come last.
CREATE TABLE IF NOT EXISTS dim_wallets (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  wallet FixedString(20) COMMENT 'Address of the wallet',
  role LowCardinality(String) COMMENT 'What it mostly is: creator, funder, sniper, trader, liquidity_provider, victim, master, puppet, holder or unknown',
  label String COMMENT 'Name of a known address, empty: none',
  is_hub UInt8 COMMENT '1: exchange, router, bridge, mixer or more than 1,000 counterparties, never walked through',
  is_known_scammer UInt8 COMMENT '1: by the published rule',
  risk_score Float64 COMMENT '100 minus the reputation, 0 to 100',
  reputation_score UInt8 COMMENT '50 plus the contributions in factors, 0 to 100',
  confidence Float64 COMMENT 'How much the score rests on, 0 to 1',
  tokens_created UInt32 COMMENT 'Number of tokens it created',
  scams UInt32 COMMENT 'Number of those judged SCAM',
  stolen_usd Float64 COMMENT 'Lost by holders outside the ring, US dollars',
  victims UInt32 COMMENT 'Wallets that lost',
  counterparties UInt32 COMMENT 'Number of addresses it moved value with',
  median_token_lifetime_h Nullable(Float64) COMMENT 'Median hours from birth of its tokens to the end of their liquidity, null: none ended',
  funder FixedString(20) COMMENT 'Who funded it first, zero: not known',
  funder_kind Enum8('unknown' = 0, 'wallet' = 1, 'contract' = 2) COMMENT 'Whether the funder has code',
  funding_tx FixedString(32) COMMENT 'Transaction of that funding, zero: none',
  cluster_id String COMMENT 'Ring it belongs to, empty: none',
  first_seen DateTime('UTC') COMMENT 'First activity on the canonical chain',
  last_activity DateTime('UTC') COMMENT 'Last activity on the canonical chain',
  labels Array(LowCardinality(String)) COMMENT 'Labels of its reputation',
  factors String COMMENT 'JSON array of {id, value, contribution, text}' CODEC(ZSTD(1)),
  behaviours String COMMENT 'JSON array of {id, text, count}' CODEC(ZSTD(1)),
  updated_at DateTime64(3, 'UTC') COMMENT 'When the row was written',
  version UInt64 COMMENT 'Version of the row: chain position, epoch x 2^36 + block',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  steps Array(Tuple(block_number UInt64, event LowCardinality(String), token FixedString(20), at DateTime('UTC'), score UInt8, delta Int16, role LowCardinality(String), outcome LowCardinality(String), stolen_usd Float64, victims UInt32, tx_hash FixedString(32))) COMMENT 'Steps of its reputation: see above' CODEC(ZSTD(1)),
  INDEX by_text concat('0x', lower(hex(wallet))) TYPE minmax GRANULARITY 8
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, wallet)
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 16384,
  min_bytes_for_wide_part = 67108864, merge_selector_base = 2;

-- One row a ring of wallets, kept by the cluster detector. Ids are stable: a ring that was merged keeps its row with merged_into set,
-- without wallets, and is served no more; a ring that dissolved gets is_deleted = 1. size counts wallets; scams are tokens of the ring
-- judged SCAM; stolen_usd and victims by the formula of dim_wallets. members are its wallets, which dim_wallets.cluster_id says from the
-- wallet's side: role master or puppet, risk_score 0 to 100, joined_at when the wallet joined. evidence is why its wallets were joined, the
-- strongest link first: rule is same_deployer, deployer_funded, common_funder, relayed_funds, shared_proceeds, shared_lp_recipient, same_block_snipe,
-- handed_to_seller or same_bytecode, confidence the weight of the link, tx_hash zero where no single transaction shows it.
CREATE TABLE IF NOT EXISTS clusters (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  cluster_id String COMMENT 'Id of the ring, stable over merges and splits',
  name String COMMENT 'Name of the ring',
  size UInt32 COMMENT 'Number of wallets',
  risk_score Float64 COMMENT 'Risk of its tokens, 0 to 100',
  tokens_created UInt32 COMMENT 'Number of tokens its wallets created',
  scams UInt32 COMMENT 'Number of those judged SCAM',
  stolen_usd Float64 COMMENT 'Lost by holders outside the ring, US dollars',
  victims UInt32 COMMENT 'Wallets outside the ring that lost',
  members Array(Tuple(wallet FixedString(20), role Enum8('puppet' = 0, 'master' = 1), risk_score Float64, joined_at DateTime('UTC'))) COMMENT 'Its wallets, empty where it was merged: see above' CODEC(ZSTD(1)),
  evidence Array(Tuple(rule LowCardinality(String), wallet_a FixedString(20), wallet_b FixedString(20), confidence Float64, tx_hash FixedString(32), block_number UInt64)) COMMENT 'Links between its wallets, the strongest 1,000: see above' CODEC(ZSTD(1)),
  merged_into String COMMENT 'Id of the ring it was merged into, empty: none',
  first_seen DateTime('UTC') COMMENT 'First activity of its wallets',
  last_activity DateTime('UTC') COMMENT 'Last activity of its wallets',
  updated_at DateTime64(3, 'UTC') COMMENT 'When the row was written',
  version UInt64 COMMENT 'Version of the row: chain position, epoch x 2^36 + block',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the ring dissolved'
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, cluster_id)
SETTINGS index_granularity = 256;

-- For analysts: why the wallets of a ring were joined, a row a link.
CREATE VIEW IF NOT EXISTS cluster_evidence (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  cluster_id String COMMENT 'Id of the ring',
  rule LowCardinality(String) COMMENT 'same_deployer, deployer_funded, common_funder, relayed_funds, shared_proceeds, shared_lp_recipient, same_block_snipe, handed_to_seller or same_bytecode',
  wallet_a String COMMENT 'One of the linked wallets',
  wallet_b String COMMENT 'The other',
  confidence Float64 COMMENT 'Weight of the link, 0 to 1',
  tx_hash String COMMENT 'Transaction that shows it, zero: no single one',
  block_number UInt64 COMMENT 'Block that shows it'
) SQL SECURITY DEFINER AS
SELECT c.chain_id AS chain_id, c.cluster_id AS cluster_id, link.rule AS rule, concat('0x', lower(hex(link.wallet_a))) AS wallet_a,
  concat('0x', lower(hex(link.wallet_b))) AS wallet_b, link.confidence AS confidence, concat('0x', lower(hex(link.tx_hash))) AS tx_hash,
  link.block_number AS block_number
FROM clusters AS c FINAL
ARRAY JOIN c.evidence AS link;

-- What holders lost with a token whose liquidity left, by the formula of pipeline/clusters/wallets/WALLETS.md. One row a token judged a
-- scam, kept by the cluster detector; victims counts wallets outside the ring. block_number, tx_hash and at are of the withdrawal that
-- emptied the pool, zero where none did.
CREATE TABLE IF NOT EXISTS token_losses (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  stolen_usd Float64 COMMENT 'Lost by holders outside the ring, US dollars',
  victims UInt32 COMMENT 'Wallets outside the ring that lost',
  block_number UInt64 COMMENT 'Block of the withdrawal that emptied the pool, 0: none',
  tx_hash FixedString(32) COMMENT 'Transaction of that withdrawal, zero: none',
  at DateTime('UTC') COMMENT 'Time of that withdrawal',
  version UInt64 COMMENT 'Version of the row: chain position, epoch x 2^36 + block',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more'
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 256;

-- What moved between two addresses, one row a movement, as the cluster detector read it from the chain. kind: native (native currency of a
-- transaction, from 0.001 whole units up), bought and sold (from_address a wallet, to_address the token), token (tokens of a young token
-- between wallets), lpAdded and lpRemoved (from_address who did it, to_address the token), lpPaid (from_address removed liquidity that
-- to_address received), proceeds (what a sale gave to another wallet than the seller's), created (from_address made the token to_address,
-- code_hash its code). place is the index of the transaction for native rows, of the log for others. value in whole native units, 0 where
-- it is not known. A reorg inserts tombstones.
CREATE TABLE IF NOT EXISTS graph_facts (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  kind Enum8('native' = 1, 'bought' = 2, 'sold' = 3, 'token' = 4, 'lpAdded' = 5, 'lpRemoved' = 6, 'proceeds' = 7, 'created' = 8, 'lpPaid' = 9) COMMENT 'What moved: see above',
  place UInt32 COMMENT 'Index of the transaction for kind native, of the log for others' CODEC(ZSTD(1)),
  from_address FixedString(20) COMMENT 'Source' CODEC(ZSTD(1)),
  to_address FixedString(20) COMMENT 'Target' CODEC(ZSTD(1)),
  token FixedString(20) COMMENT 'Token the movement is about, zero: none' CODEC(ZSTD(1)),
  value Float64 COMMENT 'Whole native units, 0: not known' CODEC(ZSTD(1)),
  timestamp DateTime('UTC') COMMENT 'Time of the block' CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) COMMENT 'Hash of the transaction' CODEC(ZSTD(1)),
  code_hash FixedString(32) COMMENT 'Keccak-256 of the code of a created token, zero for other kinds' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more'
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, block_number, block_hash, kind, place, from_address, to_address)
SETTINGS index_granularity = 1024;

-- Everything that is one step from an address but the holders of a token (token_verdicts): its edges are one range of the key, each edge
-- under both of its ends. source: edge (what the cluster detector keeps of a wallet: the movements between two addresses added up, and its
-- ring), token (who made it), movement (graph_facts by either end), pool (a pool and its tokens), hub (an address that is never walked
-- through, other is zero). The scorer writes token and pool before dim_tokens and dim_pools, the cluster detector the rest, movement before
-- graph_facts: every row of it is here too. A creator that was corrected keeps its edge: dim_tokens has the current one. A reorg
-- inserts tombstones for orphaned blocks; an edge is written again without them, or a tombstone.
-- kind of movements as in graph_facts; else created, funded, transferred, bought, sold, added_liquidity, removed_liquidity, same_cluster,
-- holds (pools) or hub. Each movement is a row of its own, of other edges block_number, block_hash and place are zero.
-- Granules and blocks are small because a request reads a few rows at many places. A read of a few keys costs by the number of parts: they
-- are merged when as much again has come instead of five times as much (merge_selector_base, here and elsewhere; measured: 2 parts where
-- there were 9, half the CPU of a read). A read takes nearly all columns of a row, so they are compressed together (measured: an eighth of the
-- CPU of such reads, a ninth of the disk; scans with FINAL, as those of wallet_edges, take less too, of one column without it more).
CREATE TABLE IF NOT EXISTS graph_neighbours (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  node FixedString(20) COMMENT 'Address under which the edge is kept',
  source Enum8('edge' = 1, 'token' = 2, 'movement' = 3, 'pool' = 4, 'hub' = 5) COMMENT 'What the row is: see above',
  direction Enum8('out' = 0, 'in' = 1) COMMENT 'Whether node is the source (out) or the target (in)',
  kind LowCardinality(String) COMMENT 'created, funded, transferred, bought, sold, added_liquidity, removed_liquidity, same_cluster, holds or hub, of movements as in graph_facts',
  other FixedString(20) COMMENT 'Address at the other end, zero for hub',
  block_number UInt64 COMMENT 'Block of a movement, 0 for others',
  block_hash FixedString(32) COMMENT 'Hash of that block, zero for others',
  place UInt32 COMMENT 'Place of a movement as in graph_facts, 0 for others',
  node_is_token UInt8 COMMENT '1: node is a token',
  other_is_token UInt8 COMMENT '1: other is a token',
  value Float64 COMMENT 'Of movements, whole native units, 0: not known',
  weight Float64 COMMENT 'Value on a logarithmic scale, 0 to 1, 0 for movements, which have value',
  value_usd Float64 COMMENT 'Value moved, US dollars, of edges alone',
  tx_count UInt32 COMMENT 'Number of movements, 0: not known',
  first_at DateTime('UTC') COMMENT 'Time of the first movement, zero: not known',
  last_at DateTime('UTC') COMMENT 'Time of the last movement, zero: not known',
  tx_hash FixedString(32) COMMENT 'Transaction of the first movement, zero: none',
  version UInt64 COMMENT 'Version of the row: by reorg epoch, of edges and hubs chain position',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX by_text concat('0x', lower(hex(node))) TYPE minmax GRANULARITY 8
)
ENGINE = ReplacingMergeTree(version, is_deleted)
PRIMARY KEY (chain_id, node, source, direction)
ORDER BY (chain_id, node, source, direction, kind, other, block_number, block_hash, place)
SETTINGS index_granularity = 64, min_compress_block_size = 4096, max_compress_block_size = 4096,
  min_bytes_for_wide_part = 1000000000000, merge_selector_base = 2, compress_per_column_in_compact_parts = 0;

-- For analysts: edges between addresses that the cluster detector keeps, each under both of its ends.
CREATE VIEW IF NOT EXISTS wallet_edges (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  node String COMMENT 'Address under which the edge is kept',
  direction Enum8('out' = 0, 'in' = 1) COMMENT 'Whether node is its source (out) or target (in)',
  kind LowCardinality(String) COMMENT 'created, funded, transferred, bought, sold, added_liquidity, removed_liquidity or same_cluster',
  other String COMMENT 'Address at the other end',
  node_is_token UInt8 COMMENT '1: node is a token',
  other_is_token UInt8 COMMENT '1: other is a token',
  weight Float64 COMMENT 'Value moved on a logarithmic scale, 0 to 1',
  value_usd Float64 COMMENT 'Value moved, US dollars',
  tx_count UInt32 COMMENT 'Number of movements',
  first_at DateTime('UTC') COMMENT 'Time of the first movement',
  last_at DateTime('UTC') COMMENT 'Time of the last movement',
  tx_hash String COMMENT 'Transaction of the first movement'
) SQL SECURITY DEFINER AS
SELECT e.chain_id AS chain_id, concat('0x', lower(hex(e.node))) AS node, e.direction AS direction, e.kind AS kind,
  concat('0x', lower(hex(e.other))) AS other, e.node_is_token AS node_is_token, e.other_is_token AS other_is_token, e.weight AS weight,
  e.value_usd AS value_usd, e.tx_count AS tx_count, e.first_at AS first_at, e.last_at AS last_at, concat('0x', lower(hex(e.tx_hash))) AS tx_hash
FROM graph_neighbours AS e FINAL
WHERE e.source = 'edge';

-- For analysts: who a wallet is and what it did.
CREATE VIEW IF NOT EXISTS wallets (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  wallet String COMMENT 'Address of the wallet',
  role String COMMENT 'What it mostly is: creator, funder, sniper, trader, liquidity_provider, victim, master, puppet, holder or unknown',
  label String COMMENT 'Name of a known address, empty: none',
  is_hub UInt8 COMMENT '1: exchange, router, bridge, mixer or more than 1,000 counterparties',
  is_known_scammer UInt8 COMMENT '1: by the published rule (pipeline/clusters/wallets/WALLETS.md)',
  risk_score Float64 COMMENT '100 minus the reputation, 0 to 100',
  reputation_score UInt8 COMMENT '50 plus the contributions in factors, 0 to 100',
  confidence Float64 COMMENT 'How much the score rests on, 0 to 1',
  tokens_created UInt32 COMMENT 'Number of tokens it created',
  scams UInt32 COMMENT 'Number of those judged SCAM',
  stolen_usd Float64 COMMENT 'Lost by holders outside the ring, US dollars',
  victims UInt32 COMMENT 'Number of wallets that lost',
  counterparties UInt32 COMMENT 'Number of addresses it moved value with',
  median_token_lifetime_h Nullable(Float64) COMMENT 'Median hours from birth of its tokens to the end of their liquidity, null: none ended',
  funder String COMMENT 'Who funded it first, zero: not known',
  funder_kind String COMMENT 'wallet, contract or unknown',
  funding_tx String COMMENT 'Hash of the transaction of that funding, zero: none',
  cluster_id String COMMENT 'Ring it belongs to, empty: none',
  first_seen DateTime('UTC') COMMENT 'First activity on the canonical chain',
  last_activity DateTime('UTC') COMMENT 'Last activity on the canonical chain',
  labels Array(LowCardinality(String)) COMMENT 'Labels of its reputation',
  factors String COMMENT 'What its reputation is made of, points: JSON array of {id, value, contribution, text}',
  behaviours String COMMENT 'What it does: JSON array of {id, text, count}'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.wallet))) AS wallet, f.role AS role, f.label AS label, f.is_hub AS is_hub,
  f.is_known_scammer AS is_known_scammer, f.risk_score AS risk_score, f.reputation_score AS reputation_score, f.confidence AS confidence,
  f.tokens_created AS tokens_created, f.scams AS scams, f.stolen_usd AS stolen_usd, f.victims AS victims, f.counterparties AS counterparties,
  f.median_token_lifetime_h AS median_token_lifetime_h, concat('0x', lower(hex(f.funder))) AS funder, toString(f.funder_kind) AS funder_kind,
  concat('0x', lower(hex(f.funding_tx))) AS funding_tx, f.cluster_id AS cluster_id, f.first_seen AS first_seen, f.last_activity AS last_activity,
  f.labels AS labels, f.factors AS factors, f.behaviours AS behaviours
FROM dim_wallets AS f FINAL;

-- For analysts: steps of the reputation of wallets.
CREATE VIEW IF NOT EXISTS wallet_steps (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  wallet String COMMENT 'Address of the wallet',
  at DateTime('UTC') COMMENT 'Time of the step',
  block_number UInt64 COMMENT 'Block of the step',
  event String COMMENT 'token_created, token_flagged, liquidity_removed, funded_by_scammer, cluster_joined, cleared or decay',
  token String COMMENT 'Token of the step, zero: none',
  score UInt8 COMMENT 'Reputation after the step, 0 to 100',
  delta Int16 COMMENT 'Change of the reputation, points',
  role String COMMENT 'Role of the wallet in the token, of token_flagged alone',
  outcome String COMMENT 'rug_pull, honeypot, dump, impersonation or serial_spam, of token_flagged alone',
  stolen_usd Float64 COMMENT 'Lost by holders outside the ring, US dollars',
  victims UInt32 COMMENT 'Number of wallets that lost',
  tx_hash String COMMENT 'Hash of the transaction of the step, zero: none'
) SQL SECURITY DEFINER AS
SELECT w.chain_id AS chain_id, concat('0x', lower(hex(w.wallet))) AS wallet, step.at AS at, step.block_number AS block_number, step.event AS event,
  concat('0x', lower(hex(step.token))) AS token, step.score AS score, step.delta AS delta, step.role AS role, step.outcome AS outcome,
  step.stolen_usd AS stolen_usd, step.victims AS victims, concat('0x', lower(hex(step.tx_hash))) AS tx_hash
FROM dim_wallets AS w FINAL
ARRAY JOIN w.steps AS step;

-- For analysts: rings that are in force. Those that were merged into others are left out.
CREATE VIEW IF NOT EXISTS rings (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  cluster_id String COMMENT 'Id of the ring, stable over merges and splits',
  name String COMMENT 'Name of the ring',
  size UInt32 COMMENT 'Number of wallets',
  risk_score Float64 COMMENT 'Risk of its tokens, 0 to 100',
  tokens_created UInt32 COMMENT 'Number of tokens its wallets created',
  scams UInt32 COMMENT 'Number of those judged SCAM',
  stolen_usd Float64 COMMENT 'Lost by holders outside the ring, US dollars',
  victims UInt32 COMMENT 'Number of wallets outside the ring that lost',
  first_seen DateTime('UTC') COMMENT 'First activity of its wallets',
  last_activity DateTime('UTC') COMMENT 'Last activity of its wallets'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, f.cluster_id AS cluster_id, f.name AS name, f.size AS size, f.risk_score AS risk_score, f.tokens_created AS tokens_created,
  f.scams AS scams, f.stolen_usd AS stolen_usd, f.victims AS victims, f.first_seen AS first_seen, f.last_activity AS last_activity
FROM clusters AS f FINAL WHERE f.merged_into = '';

-- For analysts: wallets of each ring.
CREATE VIEW IF NOT EXISTS ring_members (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  cluster_id String COMMENT 'Id of the ring',
  wallet String COMMENT 'Address of the wallet',
  role String COMMENT 'master (funds and collects) or puppet (is used)',
  risk_score Float64 COMMENT 'Risk of the tokens of the ring, 0 to 100, that of the wallet itself is in wallets',
  joined_at DateTime('UTC') COMMENT 'When the wallet joined the ring'
) SQL SECURITY DEFINER AS
SELECT c.chain_id AS chain_id, c.cluster_id AS cluster_id, concat('0x', lower(hex(member.wallet))) AS wallet, toString(member.role) AS role,
  member.risk_score AS risk_score, member.joined_at AS joined_at
FROM clusters AS c FINAL
ARRAY JOIN c.members AS member;

-- For analysts: what holders lost with each token.
CREATE VIEW IF NOT EXISTS losses (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  symbol String COMMENT 'What the token calls itself, made safe, empty: not known',
  stolen_usd Float64 COMMENT 'Lost by holders outside the ring, US dollars, 0 while the liquidity is there',
  victims UInt32 COMMENT 'Number of wallets outside the ring that lost',
  emptied_at Nullable(DateTime('UTC')) COMMENT 'Time of the withdrawal that emptied the pool, null: none did',
  block_number Nullable(UInt64) COMMENT 'Block of that withdrawal, null: none',
  tx_hash Nullable(String) COMMENT 'Hash of the transaction of that withdrawal, null: none'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, t.symbol AS symbol, f.stolen_usd AS stolen_usd, f.victims AS victims,
  if(f.block_number > 0, f.at, NULL) AS emptied_at, nullIf(f.block_number, 0) AS block_number,
  if(f.block_number > 0, concat('0x', lower(hex(f.tx_hash))), NULL) AS tx_hash
FROM token_losses AS f FINAL
LEFT JOIN (SELECT chain_id, token, symbol FROM dim_tokens FINAL) AS t ON t.chain_id = f.chain_id AND t.token = f.token;

-- For analysts: tokens whose liquidity was taken out, by the withdrawal that emptied their pools, or by what became of them within a week.
CREATE VIEW IF NOT EXISTS rugs (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  symbol String COMMENT 'What the token calls itself, made safe, empty: not known',
  creator String COMMENT 'Who created the token, zero: not known',
  rugged_at DateTime('UTC') COMMENT 'Time of the rug: of the withdrawal where it is known, else of the outcome',
  shown_by Array(String) COMMENT 'withdrawal (an event left a twentieth of the most that pools held), outcome (what became of it within a week), or both',
  block_number Nullable(UInt64) COMMENT 'Block of the withdrawal, null: not known',
  tx_hash Nullable(String) COMMENT 'Hash of the transaction of the withdrawal, null: not known',
  stolen_usd Float64 COMMENT 'Lost by holders outside the ring, US dollars',
  victims UInt64 COMMENT 'Number of wallets outside the ring that lost',
  left_usd Float64 COMMENT 'Liquidity that was gone a week after the verdict, US dollars, 0 also: no outcome yet'
) SQL SECURITY DEFINER AS
SELECT r.chain_id AS chain_id, concat('0x', lower(hex(r.token))) AS token, t.symbol AS symbol, concat('0x', lower(hex(t.creator))) AS creator,
  r.rugged_at AS rugged_at, r.shown_by AS shown_by, nullIf(r.block_number, 0) AS block_number,
  if(r.block_number > 0, concat('0x', lower(hex(r.tx_hash))), NULL) AS tx_hash, r.stolen_usd AS stolen_usd, r.victims AS victims, r.left_usd AS left_usd
FROM (
  SELECT chain_id, token, argMax(at, source) AS rugged_at, arraySort(groupArray(source)) AS shown_by, max(block) AS block_number, max(tx) AS tx_hash,
    sum(stolen) AS stolen_usd, sum(lost) AS victims, sum(gone) AS left_usd
  FROM (
    SELECT chain_id, token, at, 'withdrawal' AS source, block_number AS block, tx_hash AS tx, stolen_usd AS stolen, victims AS lost, 0. AS gone
    FROM token_losses FINAL WHERE block_number > 0
    UNION ALL
    SELECT chain_id, token, judged_at + toIntervalSecond(assumeNotNull(lead_s)), 'outcome', 0, toFixedString('', 32), 0., 0, left_usd
    FROM token_outcomes FINAL WHERE outcome = 'rug')
  GROUP BY chain_id, token) AS r
LEFT JOIN (SELECT chain_id, token, symbol, creator FROM dim_tokens FINAL) AS t ON t.chain_id = r.chain_id AND t.token = r.token;
