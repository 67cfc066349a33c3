-- For analysts: tokens with their creators.
CREATE VIEW IF NOT EXISTS tokens AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, f.name AS name, f.symbol AS symbol, f.decimals AS decimals,
  f.total_supply AS total_supply, concat('0x', lower(hex(f.creator))) AS creator, f.creator_source AS creator_source,
  f.created_block AS created_block, concat('0x', lower(hex(f.created_block_hash))) AS created_block_hash, concat('0x', lower(hex(f.created_tx))) AS created_tx,
  f.created_at AS created_at, concat('0x', lower(hex(f.code_hash))) AS code_hash, f.confirmed_by AS confirmed_by
FROM dim_tokens AS f FINAL
