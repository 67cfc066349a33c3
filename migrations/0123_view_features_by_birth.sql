CREATE MATERIALIZED VIEW IF NOT EXISTS features_by_birth_view TO features_by_birth AS
SELECT chain_id, created_at, token, JSONExtract(doc, 'features', 'Map(String, Float64)') AS features, version, is_deleted
FROM token_verdicts
