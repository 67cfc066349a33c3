-- Tokens in every order a list can have, with all that lists show: a page is one range of the key. One row a token and sort.
-- value is the sort value as a number that keeps its order; text the one of sorts by text. What lists filter by is part of the key,
-- so that all rows of a place agree on it. A place that was left is a tombstone; of the rows of a place the newest counts.
CREATE TABLE IF NOT EXISTS token_places (
  chain_id UInt64,
  sort Enum8('created_at' = 1, 'confidence' = 2, 'risk_score' = 3, 'analyzed_at' = 4, 'symbol' = 5),
  value UInt64 CODEC(ZSTD(1)),
  text String CODEC(ZSTD(1)),
  token FixedString(20) CODEC(ZSTD(1)),
  is_scam UInt8,
  percent UInt8 CODEC(ZSTD(1)),
  risk UInt16 CODEC(ZSTD(1)),
  created_at DateTime('UTC') CODEC(ZSTD(1)),
  entry String CODEC(ZSTD(1)),
  seq UInt64 CODEC(ZSTD(1)),
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
PRIMARY KEY (chain_id, sort, value, text, token)
ORDER BY (chain_id, sort, value, text, token, is_scam, percent, risk, created_at)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1000000000000
