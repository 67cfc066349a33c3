-- For analysts: canonical native transfers with readable addresses.
CREATE VIEW IF NOT EXISTS native_transfers AS
SELECT f.chain_id AS chain_id, f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash, f.tx_index AS tx_index,
  f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash, concat('0x', lower(hex(f.from_address))) AS from_address, concat('0x', lower(hex(f.to_address))) AS to_address,
  f.value AS value
FROM fact_native_transfers AS f FINAL
