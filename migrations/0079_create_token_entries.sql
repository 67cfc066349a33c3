-- What lists sort and filter tokens by: as it is, and as it was before the last change.
-- percent and risk (hundredths) are rounded as the API shows them. seq grows with every change.
-- entry is what lists show of a token, as a JSON array: see token_entries_view.
CREATE TABLE IF NOT EXISTS token_entries (
  chain_id UInt64,
  token FixedString(20),
  is_gone UInt8,
  entry String CODEC(ZSTD(1)),
  name String,
  symbol String,
  is_scam UInt8,
  confidence Float64,
  percent UInt8,
  risk_score Float64,
  risk UInt16,
  created_at DateTime('UTC'),
  analyzed_at DateTime64(3, 'UTC'),
  was_there UInt8,
  old_name String,
  old_symbol String,
  old_is_scam UInt8,
  old_confidence Float64,
  old_percent UInt8,
  old_risk_score Float64,
  old_risk UInt16,
  old_created_at DateTime('UTC'),
  old_analyzed_at DateTime64(3, 'UTC'),
  version UInt64,
  seq UInt64
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 128, min_bytes_for_wide_part = 1000000000000
