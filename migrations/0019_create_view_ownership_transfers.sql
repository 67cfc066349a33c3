-- For analysts: canonical ownership changes with readable addresses.
CREATE VIEW IF NOT EXISTS ownership_transfers AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.contract))) AS contract, f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash,
  f.log_index AS log_index, f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash,
  concat('0x', lower(hex(f.previous_owner))) AS previous_owner, concat('0x', lower(hex(f.new_owner))) AS new_owner
FROM fact_ownership_transfers AS f FINAL
