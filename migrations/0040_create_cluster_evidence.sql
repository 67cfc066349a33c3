-- Why the wallets of a ring were joined: one row a link, kept by the cluster detector. rule: same_deployer, deployer_funded, common_funder, shared_proceeds, shared_lp_recipient, same_block_snipe, handed_to_seller or same_bytecode. confidence is the weight of the link, 0 to 1. tx_hash is zero where no single transaction shows it. A reorg inserts tombstones for its orphaned blocks.
CREATE TABLE IF NOT EXISTS cluster_evidence (
  chain_id UInt64,
  cluster_id String,
  rule LowCardinality(String),
  wallet_a FixedString(20),
  wallet_b FixedString(20),
  confidence Float64,
  tx_hash FixedString(32),
  block_number UInt64,
  block_hash FixedString(32),
  version UInt64,
  is_deleted UInt8 DEFAULT 0,
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, cluster_id, rule, wallet_a, wallet_b)
SETTINGS index_granularity = 256
