-- What holders lost with a token whose liquidity left, by the formula of pipeline/clusters/wallets/WALLETS.md. One row a token judged a scam, kept by the cluster detector; victims counts wallets outside the ring. block_number, block_hash and tx_hash are of the withdrawal that emptied the pool, zero where none did.
CREATE TABLE IF NOT EXISTS token_losses (
  chain_id UInt64,
  token FixedString(20),
  stolen_usd Float64,
  victims UInt32,
  block_number UInt64,
  block_hash FixedString(32),
  tx_hash FixedString(32),
  at DateTime('UTC'),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 256
