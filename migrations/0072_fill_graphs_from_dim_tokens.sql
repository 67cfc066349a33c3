-- Tokens from before graphs were kept pass through the views once.
INSERT INTO dim_tokens SELECT * FROM dim_tokens FINAL
