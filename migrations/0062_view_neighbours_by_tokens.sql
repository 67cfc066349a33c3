-- Who made which token, under both. A creator that was corrected keeps its edge: graph_nodes tells who it is now.
CREATE MATERIALIZED VIEW IF NOT EXISTS neighbours_by_tokens TO graph_neighbours AS
SELECT chain_id, tupleElement(ends, 1) AS node, CAST('token', 'Enum8(\'token\' = 2)') AS source,
  CAST(tupleElement(ends, 2), 'Enum8(\'out\' = 0, \'in\' = 1)') AS direction, 'created' AS kind,
  tupleElement(ends, 3) AS other, toUInt8(tupleElement(ends, 2)) AS node_is_token, toUInt8(1 - tupleElement(ends, 2)) AS other_is_token,
  toFloat64(1) AS weight, toUInt32(1) AS tx_count, created_at AS first_at, created_at AS last_at, created_tx AS tx_hash,
  version, is_deleted
FROM dim_tokens
ARRAY JOIN [(creator, 0, token), (token, 1, creator)] AS ends
WHERE creator != toFixedString('', 20)
