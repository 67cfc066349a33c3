-- The ids of the checks that fail, sorted, and those that failed before the last change.
ALTER TABLE token_entries ADD COLUMN IF NOT EXISTS failed Array(LowCardinality(String)), ADD COLUMN IF NOT EXISTS old_failed Array(LowCardinality(String))
