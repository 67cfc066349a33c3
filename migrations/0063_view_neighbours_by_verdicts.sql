-- Who holds a token, as of its verdict in force.
CREATE MATERIALIZED VIEW IF NOT EXISTS neighbours_by_verdicts TO graph_neighbours AS
SELECT chain_id, token AS node, CAST('holders', 'Enum8(\'holders\' = 3)') AS source,
  CAST('in', 'Enum8(\'out\' = 0, \'in\' = 1)') AS direction, 'holds' AS kind, toUInt8(1) AS node_is_token, holders, version, is_deleted
FROM token_verdicts
