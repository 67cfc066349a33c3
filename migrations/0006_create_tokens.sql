-- One row a token: who made it, when, and what it calls itself. Text is already made safe.
CREATE TABLE IF NOT EXISTS dim_tokens (
  chain_id UInt64,
  token FixedString(20),
  name String,
  symbol String,
  decimals Nullable(UInt8),
  total_supply Nullable(UInt256),
  creator FixedString(20),
  creator_source Enum8('unknown' = 0, 'deployment' = 1, 'first_transfer' = 2, 'pair_created' = 3),
  created_block UInt64,
  created_block_hash FixedString(32),
  created_tx FixedString(32),
  created_at DateTime('UTC'),
  code_hash FixedString(32),
  confirmed_by Enum8('calls' = 1, 'code' = 2),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX by_creator creator TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX block_range created_block TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 256
