-- The last position of the chain at which a token was touched. A token whose verdict is older is due.
CREATE TABLE IF NOT EXISTS token_activity (
  chain_id UInt64,
  token FixedString(20),
  position UInt64
)
ENGINE = ReplacingMergeTree(position)
ORDER BY (chain_id, token)
