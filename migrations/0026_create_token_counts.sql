-- How many tokens there are of each sort a list can be filtered to; sums of what was added and taken.
CREATE TABLE IF NOT EXISTS token_counts (
  chain_id UInt64,
  is_scam UInt8,
  level UInt8,
  percent UInt8,
  day Date,
  tokens Int64
)
ENGINE = SummingMergeTree(tokens)
ORDER BY (chain_id, is_scam, level, percent, day)
