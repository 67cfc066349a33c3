-- Tokens by who made them: filled from dim_tokens as it is written, tombstones included, so that all tokens of a wallet are one range of the key. A token whose creator was corrected is found under both: join dim_tokens to tell.
CREATE MATERIALIZED VIEW IF NOT EXISTS tokens_by_creator
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, creator, token)
SETTINGS index_granularity = 256
POPULATE AS
SELECT chain_id, creator, token, created_block, created_tx, created_at, version, is_deleted
FROM dim_tokens
WHERE creator != toFixedString('', 20)
