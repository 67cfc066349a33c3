-- Pools and their tokens, under both. What a pool holds of a token its holders tell: the weight is in between.
CREATE MATERIALIZED VIEW IF NOT EXISTS neighbours_by_pools TO graph_neighbours AS
SELECT chain_id, tupleElement(ends, 1) AS node, CAST('pool', 'Enum8(\'pool\' = 5)') AS source,
  CAST(tupleElement(ends, 2), 'Enum8(\'out\' = 0, \'in\' = 1)') AS direction, 'holds' AS kind,
  tupleElement(ends, 3) AS other, toUInt8(tupleElement(ends, 2)) AS node_is_token, toUInt8(1 - tupleElement(ends, 2)) AS other_is_token,
  toFloat64(0.5) AS weight, version, is_deleted
FROM dim_pools
ARRAY JOIN [(pool, 0, token), (token, 1, pool)] AS ends
