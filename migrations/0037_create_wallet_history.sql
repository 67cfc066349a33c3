-- Steps of a wallet's reputation, oldest first, kept by the cluster detector. event: token_created, token_flagged, liquidity_removed, funded_by_scammer, cluster_joined, cleared or decay. Rows of token_flagged also tell the outcome for the token (rug_pull, honeypot, dump, impersonation, serial_spam), the wallet's role in it, what was stolen and from how many. token and tx_hash are zero where the step has none. A reorg inserts tombstones for its orphaned blocks.
CREATE TABLE IF NOT EXISTS wallet_history (
  chain_id UInt64,
  wallet FixedString(20),
  block_number UInt64,
  block_hash FixedString(32),
  log_index UInt32,
  event LowCardinality(String),
  token FixedString(20),
  at DateTime('UTC'),
  score UInt8,
  delta Int16,
  role LowCardinality(String),
  outcome LowCardinality(String),
  stolen_usd Float64,
  victims UInt32,
  tx_hash FixedString(32),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, wallet, block_number, block_hash, log_index, event, token)
SETTINGS index_granularity = 1024
