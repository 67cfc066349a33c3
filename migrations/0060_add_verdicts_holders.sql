-- Those who held most of a token when it was judged, burn addresses left out: address and share of all that is held, the largest first, at most 51.
ALTER TABLE token_verdicts ADD COLUMN IF NOT EXISTS holders Array(Tuple(FixedString(20), Float64)) CODEC(ZSTD(1)) AFTER doc
