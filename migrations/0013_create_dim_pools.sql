-- Two rows a pool, one for each of its tokens. block_hash is zero where only calls revealed the pool.
CREATE TABLE IF NOT EXISTS dim_pools (
  chain_id UInt64,
  token FixedString(20),
  pool FixedString(20),
  other_token FixedString(20),
  token_is_0 UInt8,
  created_block UInt64,
  created_block_hash FixedString(32),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX by_pool pool TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token, pool)
SETTINGS index_granularity = 1024
