-- What moved between two addresses, one row a movement, as the cluster detector read it from the chain. kind: native (native currency of a transaction, from 0.001 whole units up), bought and sold (from_address a wallet, to_address the token), token (tokens of a young token between wallets), lpAdded and lpRemoved (from_address who did it, to_address the token), lpPaid (from_address removed liquidity that to_address received), proceeds (what a sale gave to another wallet than the seller's), created (from_address made the token to_address, code_hash its code). place is the index of the transaction for native rows, of the log for others. value in whole native units, 0 where it is not known. A reorg inserts tombstones.
CREATE TABLE IF NOT EXISTS graph_facts (
  chain_id UInt64,
  block_number UInt64 CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) CODEC(ZSTD(1)),
  kind Enum8('native' = 1, 'bought' = 2, 'sold' = 3, 'token' = 4, 'lpAdded' = 5, 'lpRemoved' = 6, 'proceeds' = 7, 'created' = 8, 'lpPaid' = 9),
  place UInt32 CODEC(ZSTD(1)),
  from_address FixedString(20) CODEC(ZSTD(1)),
  to_address FixedString(20) CODEC(ZSTD(1)),
  token FixedString(20) CODEC(ZSTD(1)),
  value Float64 CODEC(ZSTD(1)),
  timestamp DateTime('UTC') CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) CODEC(ZSTD(1)),
  code_hash FixedString(32) CODEC(ZSTD(1)),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, block_number, block_hash, kind, place, from_address, to_address)
SETTINGS index_granularity = 1024
