-- Whether an alert was raised in its family's quiet hours: it can be read, and nothing is ever sent for it, not even that it was withdrawn.
ALTER TABLE alerts ADD COLUMN IF NOT EXISTS is_quiet UInt8 DEFAULT 0
