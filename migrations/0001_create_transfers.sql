-- ERC-20 transfers as they were read. A reorg inserts tombstones; read with FINAL.
CREATE TABLE IF NOT EXISTS fact_transfers (
  chain_id UInt64,
  token FixedString(20),
  block_number UInt64 CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) CODEC(ZSTD(1)),
  log_index UInt32 CODEC(ZSTD(1)),
  timestamp DateTime('UTC') CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) CODEC(ZSTD(1)),
  tx_index UInt32 CODEC(ZSTD(1)),
  from_address FixedString(20) CODEC(ZSTD(1)),
  to_address FixedString(20) CODEC(ZSTD(1)),
  value UInt256 CODEC(ZSTD(1)),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token, block_number, block_hash, log_index)
