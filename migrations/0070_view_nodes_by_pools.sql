-- Addresses that are pools.
CREATE MATERIALIZED VIEW IF NOT EXISTS nodes_by_pools TO graph_nodes AS
SELECT chain_id, pool AS node, CAST('pool', 'Enum8(\'pool\' = 4)') AS source, version, is_deleted
FROM dim_pools
