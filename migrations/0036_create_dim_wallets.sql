-- One row a wallet: who it is and what it did, kept by the cluster detector. Written whenever a block changes it, version = chain position. first_seen and last_activity are of the canonical chain; stolen_usd and victims by the published formula; reputation_score = 50 + the contributions in factors. factors: JSON array of {id, value, contribution, text}; behaviours: JSON array of {id, text, count}. A wallet with is_hub = 1 (exchange, router, bridge, mixer, or more than 1,000 counterparties) is never walked through. role: creator, funder, sniper, trader, liquidity_provider, victim, master, puppet, holder or unknown.
CREATE TABLE IF NOT EXISTS dim_wallets (
  chain_id UInt64,
  wallet FixedString(20),
  role LowCardinality(String),
  label String,
  is_hub UInt8,
  is_known_scammer UInt8,
  risk_score Float64,
  reputation_score UInt8,
  confidence Float64,
  tokens_created UInt32,
  scams UInt32,
  stolen_usd Float64,
  victims UInt32,
  counterparties UInt32,
  median_token_lifetime_h Nullable(Float64),
  funder FixedString(20),
  funder_kind Enum8('unknown' = 0, 'wallet' = 1, 'contract' = 2),
  funding_tx FixedString(32),
  cluster_id String,
  first_seen DateTime('UTC'),
  last_activity DateTime('UTC'),
  labels Array(LowCardinality(String)),
  factors String CODEC(ZSTD(1)),
  behaviours String CODEC(ZSTD(1)),
  updated_at DateTime64(3, 'UTC'),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, wallet)
SETTINGS index_granularity = 256
