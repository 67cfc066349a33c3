-- Everything the API draws around an address: its edges of all sources are one range of the key, each edge under both of its ends. source tells who says so: edge (wallet_edges), token (who made it, dim_tokens), holders (one row a token: those who hold most, token_verdicts), fact (graph_facts: the latest movement of each kind between two addresses), pool (dim_pools), hub (an address dim_wallets calls one). Filled by views as those tables are written, tombstones included. kind: as in wallet_edges, for facts as in graph_facts. tx_count is 0 and first_at zero where they are not known; value_usd is of edges alone. holders: address and share of what is held; one more than are shown tells that there are more. Granules and blocks are small because a request reads a few rows at many places.
CREATE TABLE IF NOT EXISTS graph_neighbours (
  chain_id UInt64,
  node FixedString(20),
  source Enum8('edge' = 1, 'token' = 2, 'holders' = 3, 'fact' = 4, 'pool' = 5, 'hub' = 6),
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
  holders Array(Tuple(FixedString(20), Float64)),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, node, source, direction, kind, other)
SETTINGS index_granularity = 64, min_compress_block_size = 4096, max_compress_block_size = 4096, min_bytes_for_wide_part = 1000000000000
