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
  created_block UInt64 COMMENT 'Block of the birth',
  created_block_hash FixedString(32) COMMENT 'Hash of that block',
  created_tx FixedString(32) COMMENT 'Transaction of the birth',
  created_at DateTime('UTC') COMMENT 'Time of the birth',
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

-- First Sync of each pool that was seen being created, by time: what horizons are counted from. A reorg inserts tombstones; read with
-- FINAL.
CREATE TABLE IF NOT EXISTS pool_births (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  born_at DateTime('UTC') COMMENT 'Time of the first Sync',
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
ORDER BY (chain_id, born_at, pool, block_hash)
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

-- What was judged of which code: tokens by what their code has in common with others. A token that was judged both ways has two rows: the
-- later one counts.
CREATE TABLE IF NOT EXISTS judged_codes (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  is_scam UInt8 COMMENT '1: a critical check on the contract failed',
  skeleton FixedString(32) COMMENT 'Hash of the instructions without their constants',
  token FixedString(20) COMMENT 'Contract of the token',
  minima FixedString(128) COMMENT '32 smallest hashes of basic blocks, 4 bytes each: what two codes share estimates how alike they are',
  scam_check LowCardinality(String) COMMENT 'Id of the check that failed, empty: none',
  version UInt64 COMMENT 'Version of the row: Unix milliseconds of the judgement'
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
  created_block UInt64 COMMENT 'Block of the birth',
  created_block_hash String COMMENT 'Hash of that block',
  created_tx String COMMENT 'Transaction of the birth',
  created_at DateTime('UTC') COMMENT 'Time of the birth',
  code_hash String COMMENT 'Keccak-256 of the code',
  confirmed_by Enum8('calls' = 1, 'code' = 2) COMMENT 'What showed that it is an ERC-20'
) AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.name AS name, f.symbol AS symbol, f.decimals AS decimals,
  f.total_supply AS total_supply, concat('0x', lower(hex(f.creator))) AS creator, f.creator_source AS creator_source,
  f.created_block AS created_block, concat('0x', lower(hex(f.created_block_hash))) AS created_block_hash, concat('0x', lower(hex(f.created_tx))) AS created_tx,
  f.created_at AS created_at, concat('0x', lower(hex(f.code_hash))) AS code_hash, f.confirmed_by AS confirmed_by
FROM dim_tokens AS f FINAL;
