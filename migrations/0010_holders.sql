-- For analysts: what wallets experienced that bought a token and do not belong to its creator, as of its verdict.
CREATE VIEW IF NOT EXISTS holders_experience (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  symbol String COMMENT 'Symbol of the token, made safe',
  buyers UInt32 COMMENT 'Wallets that bought it, of the latest thousand trades',
  sellers UInt32 COMMENT 'Those of them that sold',
  buyers_since_sale UInt32 COMMENT 'Wallets that bought since one of them sold last',
  last_sale_at Nullable(DateTime('UTC')) COMMENT 'When one of them sold last, null: never',
  tried UInt32 COMMENT 'Wallets that hold it and whose sale was simulated, 0: not tried',
  sold UInt32 COMMENT 'Those of them that can sell, at once or an hour later',
  refused UInt32 COMMENT 'Those of them that cannot',
  sold_wallets Array(String) COMMENT 'Wallets that can sell',
  refused_wallets Array(String) COMMENT 'Wallets that cannot',
  tax_lowest Nullable(Float64) COMMENT 'Lowest share, 0 to 1, that does not arrive of what they sell, null: not known',
  tax_mean Nullable(Float64) COMMENT 'Mean of these shares',
  tax_highest Nullable(Float64) COMMENT 'Highest of these shares',
  trial_block Nullable(UInt64) COMMENT 'Block whose state the sales were simulated on, null: not tried',
  prediction Enum8('LEGIT' = 0, 'SCAM' = 1) COMMENT 'Prediction of the verdict',
  analyzed_at DateTime64(3, 'UTC') COMMENT 'When the verdict was made'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.symbol AS symbol,
  JSONExtractUInt(f.doc, 'holders', 'buyers') AS buyers, JSONExtractUInt(f.doc, 'holders', 'sellers') AS sellers,
  JSONExtractUInt(f.doc, 'holders', 'buyers_since_sale') AS buyers_since_sale,
  toDateTime(JSONExtract(f.doc, 'holders', 'last_sale_s', 'Nullable(UInt32)'), 'UTC') AS last_sale_at,
  length(sold_wallets) + length(refused_wallets) AS tried, length(sold_wallets) AS sold, length(refused_wallets) AS refused,
  JSONExtract(f.doc, 'holders', 'trials', 'sold', 'Array(String)') AS sold_wallets,
  JSONExtract(f.doc, 'holders', 'trials', 'refused', 'Array(String)') AS refused_wallets,
  JSONExtract(f.doc, 'holders', 'trials', 'tax', 'lowest', 'Nullable(Float64)') AS tax_lowest,
  JSONExtract(f.doc, 'holders', 'trials', 'tax', 'mean', 'Nullable(Float64)') AS tax_mean,
  JSONExtract(f.doc, 'holders', 'trials', 'tax', 'highest', 'Nullable(Float64)') AS tax_highest,
  JSONExtract(f.doc, 'holders', 'trials', 'block_number', 'Nullable(UInt64)') AS trial_block,
  f.prediction AS prediction, f.analyzed_at AS analyzed_at
FROM (SELECT chain_id, token, symbol, doc, prediction, analyzed_at FROM token_verdicts FINAL) AS f
WHERE JSONHas(f.doc, 'holders');
