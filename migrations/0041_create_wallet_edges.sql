-- Edges between addresses, kept by the cluster detector. Every edge is stored twice, once under each end, so that the neighbours of an address are one range of the key: direction says whether node is the source (out) or the target (in). kind: created, funded, transferred, holds, bought, sold, added_liquidity, removed_liquidity or same_cluster. weight is the share of the value moved, log-scaled to 0..1; tx_hash is the first transaction. other_is_token and node_is_token tell tokens from wallets. A reorg writes the edge again without the orphaned blocks, or a tombstone.
CREATE TABLE IF NOT EXISTS wallet_edges (
  chain_id UInt64,
  node FixedString(20),
  direction Enum8('out' = 0, 'in' = 1),
  kind LowCardinality(String),
  other FixedString(20),
  node_is_token UInt8,
  other_is_token UInt8,
  weight Float64,
  value_usd Float64,
  tx_count UInt32,
  first_at DateTime('UTC'),
  last_at DateTime('UTC'),
  tx_hash FixedString(32),
  last_block UInt64,
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, node, direction, kind, other)
SETTINGS index_granularity = 256
