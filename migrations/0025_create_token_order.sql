-- Tokens in every order a list can have: one row a token and sort. A place that was left is a tombstone.
-- value is the sort value as a number that keeps its order; text the one of sorts by text.
CREATE TABLE IF NOT EXISTS token_order (
  chain_id UInt64,
  sort Enum8('created_at' = 1, 'confidence' = 2, 'risk_score' = 3, 'analyzed_at' = 4, 'symbol' = 5),
  is_scam UInt8,
  value UInt64 CODEC(ZSTD(1)),
  text String CODEC(ZSTD(1)),
  token FixedString(20) CODEC(ZSTD(1)),
  percent UInt8 CODEC(ZSTD(1)),
  risk UInt16 CODEC(ZSTD(1)),
  created_at DateTime('UTC') CODEC(ZSTD(1)),
  seq UInt64 CODEC(ZSTD(1)),
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
ORDER BY (chain_id, sort, is_scam, value, text, token)
SETTINGS index_granularity = 1024
