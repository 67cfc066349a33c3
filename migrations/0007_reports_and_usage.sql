-- Written reports of key families, as JSON.
CREATE TABLE IF NOT EXISTS reports (
  family String COMMENT 'Key family that owns the row',
  id String COMMENT 'Id of the report',
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  address FixedString(20) COMMENT 'Token or wallet it is about',
  language LowCardinality(String) COMMENT 'Language it is written in',
  generated_at DateTime64(3, 'UTC') COMMENT 'When it was written, version of the row',
  doc String COMMENT 'The report as JSON' CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(generated_at)
ORDER BY (family, id)
SETTINGS index_granularity = 256;

-- Requests to the API by key, hour and operation; rows of the same hour are added up.
CREATE TABLE IF NOT EXISTS api_requests (
  family String COMMENT 'Key family that owns the row',
  hour DateTime('UTC') COMMENT 'Start of the hour',
  key_id String COMMENT 'Id of the API key',
  operation LowCardinality(String) COMMENT 'Operation of the specification',
  requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests',
  errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of those answered 4xx or 5xx',
  ms SimpleAggregateFunction(sum, Float64) COMMENT 'Sum of their durations, milliseconds',
  last_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) COMMENT 'Time of the last one'
)
ENGINE = AggregatingMergeTree
ORDER BY (family, hour, key_id, operation)
TTL hour + INTERVAL 400 DAY
SETTINGS index_granularity = 1024;
