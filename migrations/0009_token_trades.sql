-- For analysts: trades as those of one token. `trades` has both sides of a trade in one row, so that everybody has to look at two columns for a token.
-- Two selects, since arrayJoin would keep a filter by market from the tables beneath.
CREATE VIEW IF NOT EXISTS token_trades (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Token that was bought or sold: none of base_tokens',
  symbol String COMMENT 'What it calls itself, made safe, empty: not known',
  side String COMMENT 'buy or sell, as the trader sees it',
  trader String COMMENT 'Who received what was bought, else who called the market (often a router), zero: not logged',
  quantity Nullable(Float64) COMMENT 'How much changed hands, whole tokens, as the market logged it, null: decimals not known',
  against String COMMENT 'Token on the other side, zero: native currency, or not known',
  value_usd Nullable(Float64) COMMENT 'US dollars that changed hands, where the other side is a stable token of base_tokens, else null',
  price_usd Nullable(Float64) COMMENT 'US dollars for one token, null: value_usd or quantity not known',
  value_native Nullable(Float64) COMMENT 'Native coins that changed hands, where the other side is the native currency or its wrapped token, else null',
  price_native Nullable(Float64) COMMENT 'Native coins for one token, null: value_native or quantity not known',
  protocol String COMMENT 'Protocol of the market, as in trades',
  market String COMMENT 'Contract of the pool, id of the pool in its manager (32 bytes), or token of a four.meme curve',
  created UInt8 COMMENT '1: the creation of the market was seen, 0: it was created before, or it is a fake',
  block_number UInt64 COMMENT 'Number of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  transaction_hash String COMMENT 'Hash of the transaction'
) SQL SECURITY DEFINER AS
SELECT t.chain_id AS chain_id, t.token_out AS token, t.symbol_out AS symbol, 'buy' AS side, t.trader AS trader,
  t.quantity_out AS quantity, t.token_in AS against, t.value_usd AS value_usd, t.value_usd / nullIf(t.quantity_out, 0) AS price_usd,
  t.value_native AS value_native, t.value_native / nullIf(t.quantity_out, 0) AS price_native, t.protocol AS protocol, t.market AS market,
  t.created AS created, t.block_number AS block_number, t.log_index AS log_index, t.timestamp AS timestamp, t.transaction_hash AS transaction_hash
FROM trades AS t
WHERE t.token_out != '0x0000000000000000000000000000000000000000' AND (t.chain_id, t.token_out) NOT IN (SELECT chain_id, token FROM base_tokens)
UNION ALL
SELECT t.chain_id AS chain_id, t.token_in AS token, t.symbol_in AS symbol, 'sell' AS side, t.trader AS trader,
  t.quantity_in AS quantity, t.token_out AS against, t.value_usd AS value_usd, t.value_usd / nullIf(t.quantity_in, 0) AS price_usd,
  t.value_native AS value_native, t.value_native / nullIf(t.quantity_in, 0) AS price_native, t.protocol AS protocol, t.market AS market,
  t.created AS created, t.block_number AS block_number, t.log_index AS log_index, t.timestamp AS timestamp, t.transaction_hash AS transaction_hash
FROM trades AS t
WHERE t.token_in != '0x0000000000000000000000000000000000000000' AND (t.chain_id, t.token_in) NOT IN (SELECT chain_id, token FROM base_tokens);
