-- What was judged of which code: tokens by what their code has in common with others. A token that was
-- judged both ways has two rows: the later one counts.
CREATE TABLE IF NOT EXISTS judged_codes (
  chain_id UInt64,
  is_scam UInt8,
  skeleton FixedString(32),
  token FixedString(20),
  minima FixedString(128),
  scam_check LowCardinality(String),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, is_scam, skeleton, token)
