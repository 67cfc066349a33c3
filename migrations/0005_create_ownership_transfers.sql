-- OwnershipTransferred of any contract.
CREATE TABLE IF NOT EXISTS fact_ownership_transfers (
  chain_id UInt64,
  contract FixedString(20),
  block_number UInt64 CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) CODEC(ZSTD(1)),
  log_index UInt32,
  timestamp DateTime('UTC'),
  tx_hash FixedString(32),
  tx_index UInt32,
  previous_owner FixedString(20),
  new_owner FixedString(20),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, contract, block_number, block_hash, log_index)
