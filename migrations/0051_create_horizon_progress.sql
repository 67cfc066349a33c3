-- Verdicts of all horizons up to this time are made.
CREATE TABLE IF NOT EXISTS horizon_progress (
  chain_id UInt64,
  scored_until DateTime('UTC'),
  updated_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY chain_id
