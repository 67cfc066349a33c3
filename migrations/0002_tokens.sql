-- One row a token: who made it, when, and what it calls itself. Text is already made safe.
CREATE TABLE IF NOT EXISTS dim_tokens (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  name String COMMENT 'What the contract calls itself, made safe',
  symbol String COMMENT 'Its symbol, made safe',
  decimals Nullable(UInt8) COMMENT 'Decimals, null: not answered',
  total_supply Nullable(UInt256) COMMENT 'Supply when the token was read, smallest units, null: not answered',
  creator FixedString(20) COMMENT 'Who created the token, zero: not known',
  creator_source Enum8('unknown' = 0, 'deployment' = 1, 'first_transfer' = 2, 'pair_created' = 3) COMMENT 'What the creator is known from',
  created_block UInt64 COMMENT 'Block of the creation',
  created_block_hash FixedString(32) COMMENT 'Hash of that block',
  created_tx FixedString(32) COMMENT 'Transaction of the creation',
  created_at DateTime('UTC') COMMENT 'Time of the creation',
  code_hash FixedString(32) COMMENT 'Keccak-256 of the code',
  confirmed_by Enum8('calls' = 1, 'code' = 2) COMMENT 'What showed that it is an ERC-20',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX by_creator creator TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX block_range created_block TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 256, merge_selector_base = 2;

-- Two rows a pool, one for each of its tokens. block_hash is zero where only calls revealed the pool.
CREATE TABLE IF NOT EXISTS dim_pools (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'One of the two tokens of the pool',
  pool FixedString(20) COMMENT 'Contract of the pool',
  other_token FixedString(20) COMMENT 'The other token of the pool',
  token_is_0 UInt8 COMMENT '1: the token is token0 of the pool',
  created_block UInt64 COMMENT 'Block that revealed the pool',
  created_block_hash FixedString(32) COMMENT 'Hash of that block, zero: revealed by calls',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX by_pool pool TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token, pool)
SETTINGS index_granularity = 1024;

-- The tokens of markets beside Uniswap V2 that were created before anything was read, as their contracts answered. A reorg that takes back
-- the trade they were asked for takes back the answer: another contract may lie there. Read with FINAL.
CREATE TABLE IF NOT EXISTS dim_market_sides (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  market FixedString(32) COMMENT 'Contract of the market after twelve zero bytes',
  token0 FixedString(20) COMMENT 'What it answered to token0()',
  token1 FixedString(20) COMMENT 'What it answered to token1()',
  asked_block UInt64 COMMENT 'Block of the trade that it was asked for',
  asked_block_hash FixedString(32) COMMENT 'Hash of that block',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range asked_block TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, market)
SETTINGS index_granularity = 1024;

-- First Sync of each pool that was seen being created, by time: what horizons are counted from. A reorg inserts tombstones; read with
-- FINAL.
CREATE TABLE IF NOT EXISTS pool_first_syncs (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  first_sync_at DateTime('UTC') COMMENT 'Time of the first Sync',
  pool FixedString(20) COMMENT 'Contract of the pool',
  block_hash FixedString(32) COMMENT 'Hash of that block',
  block_number UInt64 COMMENT 'Block of the first Sync',
  token0 FixedString(20) COMMENT 'Token with the lower address',
  token1 FixedString(20) COMMENT 'Token with the higher address',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX by_pool pool TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, first_sync_at, pool, block_hash)
SETTINGS index_granularity = 1024;

-- What the contract of each token shows, as JSON: one row a token, replaced when it is read again.
CREATE TABLE IF NOT EXISTS dim_contracts (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  block_number UInt64 COMMENT 'Block at which the contract was read',
  code_hash FixedString(32) COMMENT 'Keccak-256 of the code',
  skeleton FixedString(32) COMMENT 'Hash of the instructions without their constants',
  doc String COMMENT 'What the contract shows, as JSON (pipeline/scorer/contract/contractProfile.ts)' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row: Unix milliseconds at which it was read'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 256;

-- What verdicts say of codes: tokens by what their code has in common with others. A token that was labelled both ways has two rows: the
-- later one counts.
CREATE TABLE IF NOT EXISTS code_labels (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  is_scam UInt8 COMMENT '1: a critical check on the contract failed',
  skeleton FixedString(32) COMMENT 'Hash of the instructions without their constants',
  token FixedString(20) COMMENT 'Contract of the token',
  minima FixedString(128) COMMENT '32 smallest hashes of basic blocks, 4 bytes each: what two codes share estimates how alike they are',
  scam_check LowCardinality(String) COMMENT 'Id of the check that failed, empty: none',
  version UInt64 COMMENT 'Version of the row: Unix milliseconds of the verdict'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, is_scam, skeleton, token);

-- The last position of the chain at which a token was touched. A token whose verdict is older is due.
CREATE TABLE IF NOT EXISTS token_activity (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  position UInt64 COMMENT 'Chain position of the last touch, epoch x 2^36 + block, version of the row'
)
ENGINE = ReplacingMergeTree(position)
ORDER BY (chain_id, token);

-- For analysts: tokens with their creators.
CREATE VIEW IF NOT EXISTS tokens (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  name String COMMENT 'What the contract calls itself, made safe',
  symbol String COMMENT 'Its symbol, made safe',
  decimals Nullable(UInt8) COMMENT 'Decimals, null: not answered',
  total_supply Nullable(UInt256) COMMENT 'Supply when the token was read, smallest units, null: not answered',
  creator String COMMENT 'Who created the token, zero: not known',
  creator_source Enum8('unknown' = 0, 'deployment' = 1, 'first_transfer' = 2, 'pair_created' = 3) COMMENT 'What the creator is known from',
  created_block UInt64 COMMENT 'Block of the creation',
  created_block_hash String COMMENT 'Hash of that block',
  created_tx String COMMENT 'Transaction of the creation',
  created_at DateTime('UTC') COMMENT 'Time of the creation',
  code_hash String COMMENT 'Keccak-256 of the code',
  confirmed_by Enum8('calls' = 1, 'code' = 2) COMMENT 'What showed that it is an ERC-20'
) AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.name AS name, f.symbol AS symbol, f.decimals AS decimals,
  f.total_supply AS total_supply, concat('0x', lower(hex(f.creator))) AS creator, f.creator_source AS creator_source,
  f.created_block AS created_block, concat('0x', lower(hex(f.created_block_hash))) AS created_block_hash, concat('0x', lower(hex(f.created_tx))) AS created_tx,
  f.created_at AS created_at, concat('0x', lower(hex(f.code_hash))) AS code_hash, f.confirmed_by AS confirmed_by
FROM dim_tokens AS f FINAL;

-- For analysts: trades of all protocols on the canonical chain, a row a log. Amounts are what the market gained and paid net, smallest units.
CREATE VIEW IF NOT EXISTS trades (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  protocol String COMMENT 'uniswap_v2, uniswap_v3, pancake_v3, uniswap_v4, solidly, slipstream, balancer_v2, four_meme or virtuals',
  market String COMMENT 'Contract of the pool, id of the pool in its manager (32 bytes), or token of a four.meme curve',
  manager String COMMENT 'Contract that logged it where that is not the market itself, else zero',
  created UInt8 COMMENT '1: the creation of the market was seen, by the same manager, 0: it was created before, or it is a fake',
  trader String COMMENT 'Who received what was bought, else who called the market (often a router), zero: not told',
  token_in String COMMENT 'Token that came into the market: what the trader sold, zero: native currency, or not known',
  token_out String COMMENT 'Token that left the market: what the trader bought, zero: native currency, or not known',
  amount_in UInt256 COMMENT 'How much came in, smallest units',
  amount_out UInt256 COMMENT 'How much left, smallest units',
  token0 String COMMENT 'Side of amount0, zero: native currency, or not known',
  token1 String COMMENT 'Side of amount1, zero: native currency, or not known',
  amount0 Int256 COMMENT 'token0 that the market gained, negative: paid, smallest units',
  amount1 Int256 COMMENT 'token1 that the market gained, negative: paid, smallest units',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  transaction_hash String COMMENT 'Hash of the transaction'
) AS
SELECT t.chain_id AS chain_id, t.protocol AS protocol, t.market AS market, concat('0x', lower(hex(t.manager))) AS manager, t.created AS created,
  concat('0x', lower(hex(if(t.recipient != toFixedString('', 20), t.recipient, t.sender)))) AS trader,
  concat('0x', lower(hex(if(t.net0 > 0, t.side0, t.side1)))) AS token_in, concat('0x', lower(hex(if(t.net0 > 0, t.side1, t.side0)))) AS token_out,
  toUInt256(greatest(if(t.net0 > 0, t.net0, t.net1), toInt256(0))) AS amount_in,
  toUInt256(greatest(if(t.net0 > 0, -t.net1, -t.net0), toInt256(0))) AS amount_out,
  concat('0x', lower(hex(t.side0))) AS token0, concat('0x', lower(hex(t.side1))) AS token1, t.net0 AS amount0, t.net1 AS amount1,
  t.block_number AS block_number, concat('0x', lower(hex(t.block_hash))) AS block_hash, t.log_index AS log_index, t.timestamp AS timestamp,
  concat('0x', lower(hex(t.tx_hash))) AS transaction_hash
FROM (
  SELECT e.chain_id AS chain_id, toString(if(m.created = 1, m.protocol, e.protocol)) AS protocol, concat('0x', lower(hex(if(e.protocol IN ('uniswap_v4', 'balancer_v2'), toString(e.market), substring(e.market, 13))))) AS market,
    e.manager AS manager, m.created AS created, e.recipient AS recipient, e.sender AS sender,
    if(e.token0 != toFixedString('', 20) OR e.token1 != toFixedString('', 20), e.token0, if(m.created = 1, m.token0, d.token0)) AS side0,
    if(e.token0 != toFixedString('', 20) OR e.token1 != toFixedString('', 20), e.token1, if(m.created = 1, m.token1, d.token1)) AS side1,
    toInt256(e.amount0_in) - toInt256(e.amount0_out) AS net0, toInt256(e.amount1_in) - toInt256(e.amount1_out) AS net1,
    e.block_number AS block_number, e.block_hash AS block_hash, e.log_index AS log_index, e.timestamp AS timestamp, e.tx_hash AS tx_hash
  FROM (SELECT * FROM fact_market_events FINAL WHERE kind = 'swap') AS e
  LEFT JOIN (
    SELECT f.chain_id AS chain_id, f.market AS market, if(f.protocol IN ('uniswap_v4', 'four_meme'), f.factory, toFixedString('', 20)) AS by,
      1 AS created, argMin(f.protocol, (f.block_number, f.log_index)) AS protocol, argMin(f.token0, (f.block_number, f.log_index)) AS token0,
      argMin(f.token1, (f.block_number, f.log_index)) AS token1
    FROM fact_markets AS f FINAL GROUP BY chain_id, market, by) AS m
  ON m.chain_id = e.chain_id AND m.market = e.market AND m.by = e.manager
  LEFT JOIN (SELECT s.chain_id AS chain_id, s.market AS market, toFixedString('', 20) AS by, s.token0 AS token0, s.token1 AS token1
    FROM dim_market_sides AS s FINAL) AS d
  ON d.chain_id = e.chain_id AND d.market = e.market AND d.by = e.manager
  UNION ALL
  SELECT e.chain_id, 'uniswap_v2', concat('0x', lower(hex(e.pool))), toFixedString('', 20), p.created, e.recipient, e.sender, p.token, p.other_token,
    toInt256(e.amount0_in) - toInt256(e.amount0_out), toInt256(e.amount1_in) - toInt256(e.amount1_out),
    e.block_number, e.block_hash, e.log_index, e.timestamp, e.tx_hash
  FROM (SELECT * FROM fact_pool_events FINAL WHERE kind = 'swap') AS e
  LEFT JOIN (SELECT chain_id, pool, token, other_token, 1 AS created FROM dim_pools FINAL WHERE token_is_0 = 1) AS p
  ON p.chain_id = e.chain_id AND p.pool = e.pool) AS t;
