-- Names and symbols as they read: letters folded to what they look like. A term that was left is a tombstone.
CREATE TABLE IF NOT EXISTS token_terms (
  chain_id UInt64,
  folded String,
  field Enum8('symbol' = 1, 'name' = 2),
  token FixedString(20),
  seq UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX by_part folded TYPE text(tokenizer = ngrams(3))
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
ORDER BY (chain_id, folded, field, token)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1000000000000
