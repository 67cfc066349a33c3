-- breaking
-- Both are made again below, with the checks that fail.
DROP TABLE IF EXISTS token_entries_view, token_places_view
