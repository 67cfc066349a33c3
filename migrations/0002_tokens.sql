-- One row a token: who made it, when, and what it calls itself. Text is already made safe.
CREATE TABLE IF NOT EXISTS dim_tokens (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  name String COMMENT 'What the contract calls itself, made safe',
  symbol String COMMENT 'Its symbol, made safe',
  decimals Nullable(UInt8) COMMENT 'Decimals, null: not answered',
  total_supply Nullable(UInt256) COMMENT 'Supply when the token was read, smallest units, null: not answered',
  creator FixedString(20) COMMENT 'Who created the token, zero: not known',
  creator_source Enum8('unknown' = 0, 'deployment' = 1, 'first_transfer' = 2, 'pair_created' = 3) COMMENT 'What the creator is known from',
  created_block UInt64 COMMENT 'Block of the creation',
  created_block_hash FixedString(32) COMMENT 'Hash of that block',
  created_tx FixedString(32) COMMENT 'Transaction of the creation',
  created_at DateTime('UTC') COMMENT 'Time of the creation',
  code_hash FixedString(32) COMMENT 'Keccak-256 of the code',
  confirmed_by Enum8('calls' = 1, 'code' = 2) COMMENT 'What showed that it is an ERC-20',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX by_creator creator TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX block_range created_block TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 256, merge_selector_base = 2;

-- Two rows a pool, one for each of its tokens. block_hash is zero where only calls revealed the pool.
CREATE TABLE IF NOT EXISTS dim_pools (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'One of the two tokens of the pool',
  pool FixedString(20) COMMENT 'Contract of the pool',
  other_token FixedString(20) COMMENT 'The other token of the pool',
  token_is_0 UInt8 COMMENT '1: the token is token0 of the pool',
  created_block UInt64 COMMENT 'Block that revealed the pool',
  created_block_hash FixedString(32) COMMENT 'Hash of that block, zero: revealed by calls',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX by_pool pool TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token, pool)
SETTINGS index_granularity = 1024;

-- First Sync of each pool that was seen being created, by time: what horizons are counted from. A reorg inserts tombstones; read with
-- FINAL.
CREATE TABLE IF NOT EXISTS pool_first_syncs (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  first_sync_at DateTime('UTC') COMMENT 'Time of the first Sync',
  pool FixedString(20) COMMENT 'Contract of the pool',
  block_hash FixedString(32) COMMENT 'Hash of that block',
  block_number UInt64 COMMENT 'Block of the first Sync',
  token0 FixedString(20) COMMENT 'Token with the lower address',
  token1 FixedString(20) COMMENT 'Token with the higher address',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX by_pool pool TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, first_sync_at, pool, block_hash)
SETTINGS index_granularity = 1024;

-- What the contract of each token shows, as JSON: one row a token, replaced when it is read again.
CREATE TABLE IF NOT EXISTS dim_contracts (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  block_number UInt64 COMMENT 'Block at which the contract was read',
  code_hash FixedString(32) COMMENT 'Keccak-256 of the code',
  skeleton FixedString(32) COMMENT 'Hash of the instructions without their constants',
  doc String COMMENT 'What the contract shows, as JSON (pipeline/scorer/contract/contractProfile.ts)' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row: Unix milliseconds at which it was read'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 256;

-- What verdicts say of codes: tokens by what their code has in common with others. A token that was labelled both ways has two rows: the
-- later one counts.
CREATE TABLE IF NOT EXISTS code_labels (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  is_scam UInt8 COMMENT '1: a critical check on the contract failed',
  skeleton FixedString(32) COMMENT 'Hash of the instructions without their constants',
  token FixedString(20) COMMENT 'Contract of the token',
  minima FixedString(128) COMMENT '32 smallest hashes of basic blocks, 4 bytes each: what two codes share estimates how alike they are',
  scam_check LowCardinality(String) COMMENT 'Id of the check that failed, empty: none',
  version UInt64 COMMENT 'Version of the row: Unix milliseconds of the verdict'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, is_scam, skeleton, token);

-- The last position of the chain at which a token was touched. A token whose verdict is older is due.
CREATE TABLE IF NOT EXISTS token_activity (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  position UInt64 COMMENT 'Chain position of the last touch, epoch x 2^36 + block, version of the row'
)
ENGINE = ReplacingMergeTree(position)
ORDER BY (chain_id, token);

-- For analysts: tokens with their creators.
CREATE VIEW IF NOT EXISTS tokens (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  name String COMMENT 'What the contract calls itself, made safe',
  symbol String COMMENT 'Its symbol, made safe',
  decimals Nullable(UInt8) COMMENT 'Decimals, null: not answered',
  total_supply Nullable(UInt256) COMMENT 'Supply when the token was read, smallest units, null: not answered',
  supply Nullable(Float64) COMMENT 'The same in whole tokens',
  creator String COMMENT 'Who created the token, zero: not known',
  creator_source Enum8('unknown' = 0, 'deployment' = 1, 'first_transfer' = 2, 'pair_created' = 3) COMMENT 'What the creator is known from',
  created_block UInt64 COMMENT 'Block of the creation',
  created_block_hash String COMMENT 'Hash of that block',
  created_tx String COMMENT 'Transaction of the creation',
  created_at DateTime('UTC') COMMENT 'Time of the creation',
  code_hash String COMMENT 'Keccak-256 of the code',
  confirmed_by Enum8('calls' = 1, 'code' = 2) COMMENT 'What showed that it is an ERC-20'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.name AS name, f.symbol AS symbol, f.decimals AS decimals,
  f.total_supply AS total_supply, toFloat64(f.total_supply) / pow(10, f.decimals) AS supply, concat('0x', lower(hex(f.creator))) AS creator, f.creator_source AS creator_source,
  f.created_block AS created_block, concat('0x', lower(hex(f.created_block_hash))) AS created_block_hash, concat('0x', lower(hex(f.created_tx))) AS created_tx,
  f.created_at AS created_at, concat('0x', lower(hex(f.code_hash))) AS code_hash, f.confirmed_by AS confirmed_by
FROM dim_tokens AS f FINAL;

-- For analysts: what tokens are valued in, of the chains that have a profile (`shared/chain/profiles`) and of the development chain.
CREATE VIEW IF NOT EXISTS base_tokens (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  kind String COMMENT 'native: the wrapped native currency, stable: worth one US dollar',
  decimals UInt8 COMMENT 'Decimals'
) SQL SECURITY DEFINER AS
SELECT c1 AS chain_id, c2 AS token, c3 AS kind, c4 AS decimals FROM values('c1 UInt64, c2 String, c3 String, c4 UInt8',
  (1, '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', 'native', 18),
  (1, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'stable', 6),
  (1, '0xdac17f958d2ee523a2206206994597c13d831ec7', 'stable', 6),
  (1, '0x6b175474e89094c44da98b954eedeac495271d0f', 'stable', 18),
  (10, '0x4200000000000000000000000000000000000006', 'native', 18),
  (10, '0x0b2c639c533813f4aa9d7837caf62653d097ff85', 'stable', 6),
  (10, '0x7f5c764cbc14f9669b88837ca1490cca17c31607', 'stable', 6),
  (10, '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58', 'stable', 6),
  (10, '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', 'stable', 18),
  (56, '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c', 'native', 18),
  (56, '0x55d398326f99059ff775485246999027b3197955', 'stable', 18),
  (56, '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 'stable', 18),
  (137, '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270', 'native', 18),
  (137, '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', 'stable', 6),
  (137, '0xc2132d05d31c914a87c6611c10748aeb04b58e8f', 'stable', 6),
  (137, '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', 'stable', 6),
  (137, '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063', 'stable', 18),
  (8453, '0x4200000000000000000000000000000000000006', 'native', 18),
  (8453, '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'stable', 6),
  (8453, '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca', 'stable', 6),
  (8453, '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2', 'stable', 6),
  (8453, '0x50c5725949a6f0c72e6c4a641f24049a917db0cb', 'stable', 18),
  (42161, '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', 'native', 18),
  (42161, '0xaf88d065e77c8cc2239327c5edb3a432268e5831', 'stable', 6),
  (42161, '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8', 'stable', 6),
  (42161, '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', 'stable', 6),
  (42161, '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', 'stable', 18),
  (31337, '0x700b6a60ce7eaaea56f065753d8dcb9653dbad35', 'native', 18),
  (31337, '0x8ce361602b935680e8dec218b820ff5056beb7af', 'stable', 6));

-- For analysts: trades of all protocols on the canonical chain, a row a log. Amounts are what the market gained and paid net, smallest units.
CREATE VIEW IF NOT EXISTS trades (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  protocol String COMMENT 'uniswap_v2, uniswap_v3, pancake_v3, uniswap_v4, solidly, slipstream, balancer_v2, four_meme or virtuals',
  market String COMMENT 'Contract of the pool, id of the pool in its manager (32 bytes), or token of a four.meme curve',
  manager String COMMENT 'Contract that logged it where that is not the market itself, else zero',
  created UInt8 COMMENT '1: the creation of the market was seen, by the same manager, 0: it was created before, or it is a fake',
  trader String COMMENT 'Who received what was bought, else who called the market (often a router), zero: not logged',
  token_in String COMMENT 'Token that came into the market: what the trader sold, zero: native currency, or not known',
  token_out String COMMENT 'Token that left the market: what the trader bought, zero: native currency, or not known',
  symbol_in String COMMENT 'What token_in calls itself, made safe, empty: not known',
  symbol_out String COMMENT 'What token_out calls itself, made safe, empty: not known',
  decimals_in Nullable(UInt8) COMMENT 'Decimals of token_in, null: not known',
  decimals_out Nullable(UInt8) COMMENT 'Decimals of token_out, null: not known',
  amount_in UInt256 COMMENT 'How much came in, smallest units',
  amount_out UInt256 COMMENT 'How much left, smallest units',
  quantity_in Nullable(Float64) COMMENT 'How much came in, whole tokens, null: decimals not known',
  quantity_out Nullable(Float64) COMMENT 'How much left, whole tokens, null: decimals not known',
  value_usd Nullable(Float64) COMMENT 'US dollars that changed hands, where one side is a stable token of base_tokens, else null: as the log says, so believe it with created = 1 and a factory you know',
  value_native Nullable(Float64) COMMENT 'Native coins that changed hands, where one side is the native currency or its wrapped token of base_tokens, else null',
  token0 String COMMENT 'Side of amount0, zero: native currency, or not known',
  token1 String COMMENT 'Side of amount1, zero: native currency, or not known',
  amount0 Int256 COMMENT 'token0 that the market gained, negative: paid, smallest units',
  amount1 Int256 COMMENT 'token1 that the market gained, negative: paid, smallest units',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  transaction_hash String COMMENT 'Hash of the transaction'
) SQL SECURITY DEFINER AS
SELECT s.chain_id AS chain_id, s.protocol AS protocol, s.market AS market, concat('0x', lower(hex(s.manager))) AS manager, s.created AS created,
  concat('0x', lower(hex(s.trader))) AS trader, s.in_text AS token_in, s.out_text AS token_out, i.symbol AS symbol_in, o.symbol AS symbol_out,
  if(s.is_native_in, 18, coalesce(i.decimals, if(bi.decimals = 0, NULL, bi.decimals))) AS decimals_in,
  if(s.is_native_out, 18, coalesce(o.decimals, if(bo.decimals = 0, NULL, bo.decimals))) AS decimals_out,
  s.amount_in AS amount_in, s.amount_out AS amount_out,
  toFloat64(s.amount_in) / pow(10, decimals_in) AS quantity_in, toFloat64(s.amount_out) / pow(10, decimals_out) AS quantity_out,
  multiIf(bi.kind = 'stable', toFloat64(s.amount_in) / pow(10, bi.decimals), bo.kind = 'stable', toFloat64(s.amount_out) / pow(10, bo.decimals), NULL) AS value_usd,
  multiIf(bi.kind = 'native' OR s.is_native_in, toFloat64(s.amount_in) / 1e18, bo.kind = 'native' OR s.is_native_out, toFloat64(s.amount_out) / 1e18, NULL) AS value_native,
  concat('0x', lower(hex(s.side0))) AS token0, concat('0x', lower(hex(s.side1))) AS token1, s.net0 AS amount0, s.net1 AS amount1,
  s.block_number AS block_number, concat('0x', lower(hex(s.block_hash))) AS block_hash, s.log_index AS log_index, s.timestamp AS timestamp,
  concat('0x', lower(hex(s.tx_hash))) AS transaction_hash
FROM (
  SELECT t.*, if(t.net0 > 0, t.side0, t.side1) AS in_side, if(t.net0 > 0, t.side1, t.side0) AS out_side,
    concat('0x', lower(hex(in_side))) AS in_text, concat('0x', lower(hex(out_side))) AS out_text,
    if(t.recipient != toFixedString('', 20), t.recipient, t.sender) AS trader,
    t.created = 1 AND t.protocol IN ('uniswap_v4', 'four_meme') AS has_native,
    has_native AND in_side = toFixedString('', 20) AS is_native_in, has_native AND out_side = toFixedString('', 20) AS is_native_out,
    toUInt256(greatest(if(t.net0 > 0, t.net0, t.net1), toInt256(0))) AS amount_in,
    toUInt256(greatest(if(t.net0 > 0, -t.net1, -t.net0), toInt256(0))) AS amount_out
  FROM (
    SELECT e.chain_id AS chain_id, if(m.created = 1, toString(m.protocol), toString(e.protocol)) AS protocol, concat('0x', substring(lower(hex(e.market)), if(e.protocol = 'uniswap_v4' OR e.protocol = 'balancer_v2', 1, 25))) AS market,
      e.manager AS manager, m.created AS created, e.recipient AS recipient, e.sender AS sender,
      if(e.token0 != toFixedString('', 20) OR e.token1 != toFixedString('', 20), e.token0, m.token0) AS side0,
      if(e.token0 != toFixedString('', 20) OR e.token1 != toFixedString('', 20), e.token1, m.token1) AS side1,
      toInt256(e.amount0_in) - toInt256(e.amount0_out) AS net0, toInt256(e.amount1_in) - toInt256(e.amount1_out) AS net1,
      e.block_number AS block_number, e.block_hash AS block_hash, e.log_index AS log_index, e.timestamp AS timestamp, e.tx_hash AS tx_hash
    FROM (SELECT * FROM fact_market_events FINAL WHERE kind = 'swap') AS e
    LEFT JOIN (
      WITH (f.protocol = 'asked', f.block_number, f.log_index) AS place
      SELECT f.chain_id AS chain_id, f.market AS market, if(f.protocol IN ('uniswap_v4', 'four_meme'), f.factory, toFixedString('', 20)) AS by,
        max(f.protocol != 'asked') AS created, argMin(f.protocol, place) AS protocol,
        argMin(f.token0, place) AS token0, argMin(f.token1, place) AS token1
      FROM fact_markets AS f FINAL WHERE f.protocol != 'uniswap_v2' GROUP BY chain_id, market, by) AS m
    ON m.chain_id = e.chain_id AND m.market = e.market AND m.by = e.manager
    UNION ALL
    SELECT e.chain_id, 'uniswap_v2', concat('0x', lower(hex(e.pool))), toFixedString('', 20), p.created, e.recipient, e.sender, p.token, p.other_token,
      toInt256(e.amount0_in) - toInt256(e.amount0_out), toInt256(e.amount1_in) - toInt256(e.amount1_out),
      e.block_number, e.block_hash, e.log_index, e.timestamp, e.tx_hash
    FROM (SELECT * FROM fact_pool_events FINAL WHERE kind = 'swap') AS e
    LEFT JOIN (SELECT chain_id, pool, token, other_token, 1 AS created FROM dim_pools FINAL WHERE token_is_0 = 1) AS p
    ON p.chain_id = e.chain_id AND p.pool = e.pool) AS t) AS s
LEFT JOIN (SELECT chain_id, token, symbol, decimals FROM dim_tokens FINAL) AS i ON i.chain_id = s.chain_id AND i.token = s.in_side
LEFT JOIN (SELECT chain_id, token, symbol, decimals FROM dim_tokens FINAL) AS o ON o.chain_id = s.chain_id AND o.token = s.out_side
LEFT JOIN base_tokens AS bi ON bi.chain_id = s.chain_id AND bi.token = s.in_text
LEFT JOIN base_tokens AS bo ON bo.chain_id = s.chain_id AND bo.token = s.out_text;

-- For analysts: canonical ERC-20 transfers.
CREATE VIEW IF NOT EXISTS transfers (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract that logged the transfer',
  symbol String COMMENT 'What the token calls itself, made safe, empty: not known',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  tx_hash String COMMENT 'Hash of the transaction',
  from_address String COMMENT 'Sender, zero for a mint',
  to_address String COMMENT 'Recipient, zero for a burn',
  value UInt256 COMMENT 'Amount in the smallest unit of the token',
  quantity Nullable(Float64) COMMENT 'Amount in whole tokens, null: decimals not known'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, t.symbol AS symbol, f.block_number AS block_number,
  concat('0x', lower(hex(f.block_hash))) AS block_hash, f.log_index AS log_index, f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash,
  concat('0x', lower(hex(f.from_address))) AS from_address, concat('0x', lower(hex(f.to_address))) AS to_address, f.value AS value,
  toFloat64(f.value) / pow(10, t.decimals) AS quantity
FROM fact_transfers AS f FINAL
LEFT JOIN (SELECT chain_id, token, symbol, decimals FROM dim_tokens FINAL) AS t ON t.chain_id = f.chain_id AND t.token = f.token;

-- For analysts: who holds a token now, by its transfers.
CREATE VIEW IF NOT EXISTS holders (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  symbol String COMMENT 'What the token calls itself, made safe, empty: not known',
  holder String COMMENT 'Who holds it, burn addresses are left out',
  balance Nullable(Float64) COMMENT 'What it received less what it sent, whole tokens, null: decimals not known',
  balance_raw Int256 COMMENT 'The same in smallest units',
  share Float64 COMMENT 'Of all that is held, 0 to 1'
) SQL SECURITY DEFINER AS
SELECT h.chain_id AS chain_id, concat('0x', lower(hex(h.token))) AS token, t.symbol AS symbol, concat('0x', lower(hex(h.holder))) AS holder,
  toFloat64(h.balance) / pow(10, t.decimals) AS balance, h.balance AS balance_raw,
  toFloat64(h.balance) / sum(toFloat64(h.balance)) OVER (PARTITION BY h.chain_id, h.token) AS share
FROM (
  SELECT f.chain_id AS chain_id, f.token AS token, moved.1 AS holder, sum(moved.2) AS balance
  FROM (SELECT * FROM fact_transfers FINAL) AS f ARRAY JOIN [(f.to_address, toInt256(f.value)), (f.from_address, -toInt256(f.value))] AS moved
  WHERE moved.1 NOT IN (unhex('0000000000000000000000000000000000000000'), unhex('000000000000000000000000000000000000dead'))
  GROUP BY chain_id, token, holder HAVING balance > 0) AS h
LEFT JOIN (SELECT chain_id, token, symbol, decimals FROM dim_tokens FINAL) AS t ON t.chain_id = h.chain_id AND t.token = h.token;

-- For analysts: what a token was traded for in each hour, against each token it was traded against: both directions of a pair are there.
CREATE VIEW IF NOT EXISTS prices (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  hour DateTime('UTC') COMMENT 'Start of the hour',
  token String COMMENT 'Contract of the token, zero: native currency',
  symbol String COMMENT 'What the token calls itself, made safe, empty: not known',
  quote String COMMENT 'What it was traded against, zero: native currency',
  quote_symbol String COMMENT 'What that calls itself, made safe, empty: not known',
  price Float64 COMMENT 'Whole quote tokens for one whole token, by the last trade of the hour',
  low Float64 COMMENT 'The lowest of the hour',
  high Float64 COMMENT 'The highest of the hour',
  price_usd Nullable(Float64) COMMENT 'US dollars for one whole token: quote is a stable token of base_tokens, or the native currency at its latest price against one, else null: as logs say, so believe it of markets you know',
  quantity Float64 COMMENT 'How much of the token changed hands, whole tokens',
  quote_quantity Float64 COMMENT 'How much of quote changed hands, whole tokens',
  value_usd Nullable(Float64) COMMENT 'What that of quote is worth, US dollars, null: price_usd is null',
  trades UInt64 COMMENT 'Number of trades'
) SQL SECURITY DEFINER AS
WITH multiIf(p.is_stable_quote, 1., p.is_native_quote AND p.native_usd > 0, p.native_usd, NULL) AS quote_usd
SELECT p.chain_id AS chain_id, p.hour AS hour, p.token AS token, p.symbol AS symbol, p.quote AS quote, p.quote_symbol AS quote_symbol,
  p.price AS price, p.low AS low, p.high AS high,
  p.price * quote_usd AS price_usd, p.quantity AS quantity, p.quote_quantity AS quote_quantity, p.quote_quantity * quote_usd AS value_usd, p.trades AS trades
FROM (
  SELECT h.chain_id AS chain_id, h.hour AS hour, h.token AS token, h.symbol AS symbol, h.quote AS quote, h.quote_symbol AS quote_symbol, h.price AS price,
    h.low AS low, h.high AS high, h.quantity AS quantity, h.quote_quantity AS quote_quantity, h.trades AS trades, q.kind = 'stable' AS is_stable_quote, q.kind = 'native' OR h.quote = concat('0x', repeat('0', 40)) AS is_native_quote,
    argMaxIf(h.price, (h.hour, h.quantity), q.kind = 'stable' AND (b.kind = 'native' OR h.token = concat('0x', repeat('0', 40))))
      OVER (PARTITION BY h.chain_id ORDER BY h.hour RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS native_usd
  FROM (
    SELECT t.chain_id AS chain_id, toStartOfHour(t.timestamp) AS hour, side.1 AS token, side.2 AS symbol, side.4 AS quote, side.5 AS quote_symbol,
      argMax(side.6 / side.3, (t.block_number, t.log_index)) AS price, min(side.6 / side.3) AS low, max(side.6 / side.3) AS high,
      sum(side.3) AS quantity, sum(side.6) AS quote_quantity, count() AS trades
    FROM trades AS t
    ARRAY JOIN [
      (t.token_in, t.symbol_in, assumeNotNull(t.quantity_in), t.token_out, t.symbol_out, assumeNotNull(t.quantity_out)),
      (t.token_out, t.symbol_out, assumeNotNull(t.quantity_out), t.token_in, t.symbol_in, assumeNotNull(t.quantity_in))] AS side
    WHERE t.quantity_in > 0 AND t.quantity_out > 0
    GROUP BY chain_id, hour, token, symbol, quote, quote_symbol) AS h
  LEFT JOIN base_tokens AS q ON q.chain_id = h.chain_id AND q.token = h.quote
  LEFT JOIN base_tokens AS b ON b.chain_id = h.chain_id AND b.token = h.token) AS p;

-- For analysts: what contracts of tokens showed when they were read last.
CREATE VIEW IF NOT EXISTS contracts (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  block_number UInt64 COMMENT 'Block at which the contract was read',
  code_hash String COMMENT 'Keccak-256 of the code',
  skeleton String COMMENT 'Hash of the instructions without their constants: the same for copies',
  doc String COMMENT 'What the contract shows, as JSON (pipeline/scorer/contract/contractProfile.ts)'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.block_number AS block_number,
  concat('0x', lower(hex(f.code_hash))) AS code_hash, concat('0x', lower(hex(f.skeleton))) AS skeleton, f.doc AS doc
FROM dim_contracts AS f FINAL;
