-- Uniswap V2 pools by the PairCreated log of any factory.
CREATE TABLE IF NOT EXISTS fact_pools (
  chain_id UInt64,
  pool FixedString(20),
  block_number UInt64 CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32),
  log_index UInt32,
  timestamp DateTime('UTC'),
  tx_hash FixedString(32),
  tx_index UInt32,
  factory FixedString(20),
  token0 FixedString(20),
  token1 FixedString(20),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX by_token0 token0 TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX by_token1 token1 TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, pool, block_number, block_hash, log_index)
SETTINGS index_granularity = 1024
