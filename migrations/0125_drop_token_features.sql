-- breaking
-- Searches read features_by_birth.
DROP TABLE IF EXISTS token_features_view, token_features
