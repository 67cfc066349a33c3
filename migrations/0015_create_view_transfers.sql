-- For analysts: canonical ERC-20 transfers with readable addresses.
CREATE VIEW IF NOT EXISTS transfers AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash,
  f.log_index AS log_index, f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash, concat('0x', lower(hex(f.from_address))) AS from_address,
  concat('0x', lower(hex(f.to_address))) AS to_address, f.value AS value
FROM fact_transfers AS f FINAL
