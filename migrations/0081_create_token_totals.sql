-- How many tokens there are of each kind that lists filter by; sums of what was added and taken.
-- Spans: all of time, by level of risk or (risk) by hundredths of it; months and days of birth, from `start` on.
CREATE TABLE IF NOT EXISTS token_totals (
  chain_id UInt64,
  span Enum8('all' = 1, 'risk' = 2, 'month' = 3, 'day' = 4),
  start Date,
  risk UInt16,
  is_scam UInt8,
  level UInt8,
  percent UInt8,
  tokens Int64
)
ENGINE = SummingMergeTree(tokens)
ORDER BY (chain_id, span, start, risk, is_scam, level, percent)
SETTINGS index_granularity = 1024
