-- Searches by several checks go along an order: what fails is read with the place. Not part of its key, the newest row tells.
ALTER TABLE token_places ADD COLUMN IF NOT EXISTS failed Array(LowCardinality(String))
