-- The verdict in force.
CREATE MATERIALIZED VIEW IF NOT EXISTS nodes_by_verdicts TO graph_nodes AS
SELECT chain_id, token AS node, CAST('verdict', 'Enum8(\'verdict\' = 2)') AS source, toUInt8(prediction = 'SCAM') AS flag,
  confidence AS score, version, is_deleted
FROM token_verdicts
