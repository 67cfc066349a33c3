-- 1: the verdict was written before, and is written again because a crash may have come between it and what follows from it.
-- Such a row tells once more what the token was before its last change; counters leave it out.
ALTER TABLE token_entries ADD COLUMN IF NOT EXISTS is_repeat UInt8 DEFAULT 0
