-- Which factory lists a pool. Any contract can answer like a pool and log reserves that it does not hold; a factory lists its own pools only.
ALTER TABLE dim_pools ADD COLUMN IF NOT EXISTS factory Nullable(FixedString(20))
  COMMENT 'Factory that lists the pool, zero: none does, NULL: found by a release that did not ask' AFTER other_token;
