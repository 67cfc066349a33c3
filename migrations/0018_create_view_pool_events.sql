-- For analysts: canonical Sync, Swap, Mint and Burn events with readable addresses.
CREATE VIEW IF NOT EXISTS pool_events AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.pool))) AS pool, f.kind AS kind, f.block_number AS block_number,
  concat('0x', lower(hex(f.block_hash))) AS block_hash, f.log_index AS log_index, f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash,
  concat('0x', lower(hex(f.sender))) AS sender, concat('0x', lower(hex(f.recipient))) AS recipient, f.amount0_in AS amount0_in, f.amount1_in AS amount1_in,
  f.amount0_out AS amount0_out, f.amount1_out AS amount1_out, f.reserve0 AS reserve0, f.reserve1 AS reserve1
FROM fact_pool_events AS f FINAL
