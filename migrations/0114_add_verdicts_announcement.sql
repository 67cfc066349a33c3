-- The message that tells of the verdict, as JSON; empty for one of the past, of which nobody is told.
ALTER TABLE token_verdicts ADD COLUMN IF NOT EXISTS announcement String CODEC(ZSTD(1)) AFTER holders
