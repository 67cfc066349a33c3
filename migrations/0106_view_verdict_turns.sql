-- Made in the insert of the verdict itself, so that no crash comes between.
CREATE MATERIALIZED VIEW IF NOT EXISTS verdict_turns_view TO verdict_turns AS
SELECT chain_id, now64(3, 'UTC') AS stored_at, token
FROM token_entries
WHERE (is_gone = 0 AND is_scam = 1) != (was_there = 1 AND old_is_scam = 1)
