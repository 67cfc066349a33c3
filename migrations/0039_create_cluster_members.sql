-- Wallets of each ring with their role, kept by the cluster detector. A wallet that leaves, and every wallet of a merged or dissolved ring, gets is_deleted = 1; dim_wallets.cluster_id says the same from the wallet's side. role: master or puppet.
CREATE TABLE IF NOT EXISTS cluster_members (
  chain_id UInt64,
  cluster_id String,
  wallet FixedString(20),
  role Enum8('puppet' = 0, 'master' = 1),
  risk_score Float64,
  joined_at DateTime('UTC'),
  version UInt64,
  is_deleted UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, cluster_id, wallet)
SETTINGS index_granularity = 256
