-- breaking
-- Made again below, with repeats.
DROP TABLE IF EXISTS token_terms_view
