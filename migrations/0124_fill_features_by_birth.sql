-- Verdicts from before there was this order get their features, as features_by_birth_view makes them.
INSERT INTO features_by_birth (chain_id, created_at, token, features, version, is_deleted)
SELECT chain_id, created_at, token, JSONExtract(doc, 'features', 'Map(String, Float64)'), version, is_deleted
FROM token_verdicts
