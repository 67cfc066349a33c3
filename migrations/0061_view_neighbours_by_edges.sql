-- What the cluster detector keeps.
CREATE MATERIALIZED VIEW IF NOT EXISTS neighbours_by_edges TO graph_neighbours AS
SELECT chain_id, node, CAST('edge', 'Enum8(\'edge\' = 1)') AS source, direction, kind, other, node_is_token, other_is_token,
  weight, value_usd, tx_count, first_at, last_at, tx_hash, version, is_deleted
FROM wallet_edges
