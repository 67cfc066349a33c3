-- What the cluster detector says of a wallet.
CREATE MATERIALIZED VIEW IF NOT EXISTS nodes_by_wallets TO graph_nodes AS
SELECT chain_id, wallet AS node, CAST('wallet', 'Enum8(\'wallet\' = 3)') AS source, label, is_hub AS flag, risk_score AS score,
  cluster_id, version, is_deleted
FROM dim_wallets
