-- The latest movement of each kind between two addresses, under both. Within an epoch the later block is the later one. A tombstone takes the pair away until its latest canonical movement is written again: see pipeline/clusters/graphStore.ts. weight as in pipeline/clusters/wallets/walletEdges.ts.
CREATE MATERIALIZED VIEW IF NOT EXISTS neighbours_by_facts TO graph_neighbours AS
SELECT chain_id, tupleElement(ends, 1) AS node, CAST('fact', 'Enum8(\'fact\' = 4)') AS source,
  CAST(tupleElement(ends, 2), 'Enum8(\'out\' = 0, \'in\' = 1)') AS direction, toString(kind) AS kind, tupleElement(ends, 3) AS other,
  toUInt8(is_of_token AND tupleElement(ends, 2) = 1) AS node_is_token, toUInt8(is_of_token AND tupleElement(ends, 2) = 0) AS other_is_token,
  weight, last_at, tx_hash, version, is_deleted
FROM (
  SELECT chain_id, [(from_address, 0, to_address), (to_address, 1, from_address)] AS both, kind,
    kind IN ('bought', 'sold', 'lpAdded', 'lpRemoved') AS is_of_token,
    if(value > 0, least(1, log1p(value * 1000) / log1p(1000000)), 0.25) AS weight, timestamp AS last_at, tx_hash,
    version * 68719476736 + block_number AS version, is_deleted
  FROM graph_facts
  WHERE kind != 'created' AND from_address != to_address
)
ARRAY JOIN both AS ends
