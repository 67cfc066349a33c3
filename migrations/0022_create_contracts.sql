-- What the contract of each token shows, as JSON: one row a token, replaced when it is read again.
CREATE TABLE IF NOT EXISTS dim_contracts (
  chain_id UInt64,
  token FixedString(20),
  block_number UInt64,
  code_hash FixedString(32),
  skeleton FixedString(32),
  doc String CODEC(ZSTD(1)),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 256
