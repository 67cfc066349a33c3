-- Requests to the API by key, hour and operation; rows of the same hour are added up.
CREATE TABLE IF NOT EXISTS api_requests (
  family String,
  hour DateTime('UTC'),
  key_id String,
  operation LowCardinality(String),
  requests SimpleAggregateFunction(sum, UInt64),
  errors SimpleAggregateFunction(sum, UInt64),
  ms SimpleAggregateFunction(sum, Float64),
  last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (family, hour, key_id, operation)
TTL hour + INTERVAL 400 DAY
SETTINGS index_granularity = 1024
