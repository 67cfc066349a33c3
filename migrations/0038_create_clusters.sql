-- One row a ring of wallets, kept by the cluster detector. Ids are stable: a ring that was merged keeps its row with merged_into set and is served no more; a ring that dissolved gets is_deleted = 1. size counts wallets; scams are tokens of the ring judged SCAM; stolen_usd and victims by the formula of dim_wallets.
CREATE TABLE IF NOT EXISTS clusters (
  chain_id UInt64,
  cluster_id String,
  name String,
  size UInt32,
  risk_score Float64,
  tokens_created UInt32,
  scams UInt32,
  stolen_usd Float64,
  victims UInt32,
  merged_into String,
  first_seen DateTime('UTC'),
  last_activity DateTime('UTC'),
  updated_at DateTime64(3, 'UTC'),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, cluster_id)
SETTINGS index_granularity = 256
