CREATE MATERIALIZED VIEW IF NOT EXISTS token_features_view TO token_features AS
SELECT chain_id, token, JSONExtract(doc, 'features', 'Map(String, Float64)') AS features, version, is_deleted
FROM token_verdicts
