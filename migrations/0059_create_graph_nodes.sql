-- What a node of a graph is shown with, by who says so: token (dim_tokens: label is the symbol, creator who made it), verdict (token_verdicts: flag 1 for SCAM, score the confidence), wallet (dim_wallets: flag 1 for a hub, score the risk), pool (dim_pools). Filled by views as those tables are written, tombstones included.
CREATE TABLE IF NOT EXISTS graph_nodes (
  chain_id UInt64,
  node FixedString(20),
  source Enum8('token' = 1, 'verdict' = 2, 'wallet' = 3, 'pool' = 4),
  label String,
  flag UInt8,
  score Float64,
  cluster_id String,
  creator FixedString(20),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, node, source)
SETTINGS index_granularity = 64, min_compress_block_size = 4096, max_compress_block_size = 4096, min_bytes_for_wide_part = 1000000000000
