-- What lists filter by often lies together in an order they do not filter by: births where analyses follow each other, confidences among risks.
ALTER TABLE token_places
  ADD INDEX IF NOT EXISTS is_scam_span is_scam TYPE minmax GRANULARITY 16,
  ADD INDEX IF NOT EXISTS percent_span percent TYPE minmax GRANULARITY 16,
  ADD INDEX IF NOT EXISTS created_at_span created_at TYPE minmax GRANULARITY 16,
  ADD INDEX IF NOT EXISTS levels toUInt8((risk >= 2500) + (risk >= 5000) + (risk >= 7500)) TYPE set(4) GRANULARITY 16
