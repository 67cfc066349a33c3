-- Transactions that failed and were to sell a token, by their call alone: of blocks that were read in full. Anyone can name anything in a call: a row
-- speaks of a sale where the token is one, the seller holds it, and the router has traded in one of its pools.
CREATE TABLE IF NOT EXISTS fact_failed_sales (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'What was to be sold: the first address of the path that the call names',
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  tx_index UInt32 COMMENT 'Index of the transaction in its block' CODEC(ZSTD(1)),
  timestamp DateTime('UTC') COMMENT 'Time of the block' CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) COMMENT 'Hash of the transaction' CODEC(ZSTD(1)),
  seller FixedString(20) COMMENT 'Who sent the transaction' CODEC(ZSTD(1)),
  router FixedString(20) COMMENT 'Contract that was called' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX by_text concat('0x', lower(hex(token))) TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token, block_number, block_hash, tx_index);

-- For analysts: sales that failed. They are in no view of trades, where every sum and count would have to leave them out.
CREATE VIEW IF NOT EXISTS failed_sales (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Token that was to be sold: none of base_tokens',
  symbol String COMMENT 'Symbol of the token, made safe',
  seller String COMMENT 'Who sent the transaction',
  router String COMMENT 'Contract that was called',
  block_number UInt64 COMMENT 'Number of the block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  transaction_hash String COMMENT 'Hash of the transaction, which failed'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, t.symbol AS symbol, concat('0x', lower(hex(f.seller))) AS seller,
  concat('0x', lower(hex(f.router))) AS router, f.block_number AS block_number, f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS transaction_hash
FROM fact_failed_sales AS f FINAL
INNER JOIN (SELECT chain_id, token, symbol FROM dim_tokens FINAL) AS t ON t.chain_id = f.chain_id AND t.token = f.token
WHERE (f.chain_id, concat('0x', lower(hex(f.token)))) NOT IN (SELECT chain_id, token FROM base_tokens);
