-- First Sync of each pool that was seen being created, by time: what horizons are counted from. A reorg inserts tombstones; read with FINAL.
CREATE TABLE IF NOT EXISTS pool_births (
  chain_id UInt64,
  born_at DateTime('UTC'),
  pool FixedString(20),
  block_hash FixedString(32),
  block_number UInt64,
  token0 FixedString(20),
  token1 FixedString(20),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX by_pool pool TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, born_at, pool, block_hash)
SETTINGS index_granularity = 1024
