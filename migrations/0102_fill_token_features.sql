-- Verdicts from before there were features get theirs, as token_features_view makes them.
INSERT INTO token_features (chain_id, token, features, version, is_deleted)
SELECT chain_id, token, JSONExtract(doc, 'features', 'Map(String, Float64)'), version, is_deleted
FROM token_verdicts
