-- graph_facts by either end: all movements of an address are one range of the key. Filled as graph_facts is written, tombstones included.
CREATE MATERIALIZED VIEW IF NOT EXISTS graph_facts_by_address
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, address, direction, kind, other, block_number, block_hash, place)
SETTINGS index_granularity = 512
POPULATE AS
SELECT chain_id, tupleElement(ends, 1) AS address,
  CAST(tupleElement(ends, 2), 'Enum8(\'out\' = 0, \'in\' = 1)') AS direction, kind,
  tupleElement(ends, 3) AS other, block_number, block_hash, place, token, value, timestamp, tx_hash,
  version, is_deleted
FROM graph_facts
ARRAY JOIN [(from_address, 0, to_address), (to_address, 1, from_address)] AS ends
