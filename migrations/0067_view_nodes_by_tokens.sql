-- What a token calls itself and who made it.
CREATE MATERIALIZED VIEW IF NOT EXISTS nodes_by_tokens TO graph_nodes AS
SELECT chain_id, token AS node, CAST('token', 'Enum8(\'token\' = 1)') AS source, symbol AS label, creator, version, is_deleted
FROM dim_tokens
