-- For analysts: Uniswap V2 pools created on the canonical chain.
CREATE VIEW IF NOT EXISTS pools AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.pool))) AS pool, concat('0x', lower(hex(f.factory))) AS factory, concat('0x', lower(hex(f.token0))) AS token0, concat('0x', lower(hex(f.token1))) AS token1,
  f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash, f.log_index AS log_index, f.timestamp AS timestamp,
  concat('0x', lower(hex(f.tx_hash))) AS tx_hash
FROM fact_pools AS f FINAL
