-- How far the cluster detector has come on each chain: every block up to here is in graph_facts and in the rings.
CREATE TABLE IF NOT EXISTS cluster_progress (
  chain_id UInt64,
  epoch UInt64,
  block_number UInt64,
  block_hash FixedString(32),
  timestamp DateTime('UTC'),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY chain_id
