-- breaking
-- All are made again below, with repeats.
DROP TABLE IF EXISTS token_entries_view, token_totals_view, check_totals_view
