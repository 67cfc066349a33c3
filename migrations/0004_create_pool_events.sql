-- Sync, Swap, Mint and Burn of Uniswap V2 pools. Columns a kind does not have are 0.
CREATE TABLE IF NOT EXISTS fact_pool_events (
  chain_id UInt64,
  pool FixedString(20),
  block_number UInt64 CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) CODEC(ZSTD(1)),
  log_index UInt32 CODEC(ZSTD(1)),
  timestamp DateTime('UTC') CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) CODEC(ZSTD(1)),
  tx_index UInt32 CODEC(ZSTD(1)),
  kind Enum8('sync' = 1, 'swap' = 2, 'mint' = 3, 'burn' = 4),
  sender FixedString(20) CODEC(ZSTD(1)),
  recipient FixedString(20) CODEC(ZSTD(1)),
  amount0_in UInt256 CODEC(ZSTD(1)),
  amount1_in UInt256 CODEC(ZSTD(1)),
  amount0_out UInt256 CODEC(ZSTD(1)),
  amount1_out UInt256 CODEC(ZSTD(1)),
  reserve0 UInt256 CODEC(ZSTD(1)),
  reserve1 UInt256 CODEC(ZSTD(1)),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, pool, block_number, block_hash, log_index)
