-- Wallets that are hubs whatever their counterparties are, such as exchanges.
CREATE MATERIALIZED VIEW IF NOT EXISTS neighbours_by_wallets TO graph_neighbours AS
SELECT chain_id, wallet AS node, CAST('hub', 'Enum8(\'hub\' = 6)') AS source, 'hub' AS kind, version,
  toUInt8(is_deleted OR is_hub = 0) AS is_deleted
FROM dim_wallets
