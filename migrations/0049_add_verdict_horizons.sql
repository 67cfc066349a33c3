-- Verdicts made at a horizon have rows of their own beside those of events. horizon_s: seconds after the birth of the main pool, 0 for an event; as_of: the time whose facts a verdict rests on.
ALTER TABLE verdict_history
  ADD COLUMN IF NOT EXISTS horizon_s UInt32,
  ADD COLUMN IF NOT EXISTS as_of DateTime('UTC'),
  MODIFY ORDER BY (chain_id, token, block_number, block_hash, horizon_s)
