-- Parts of more than 64 MiB have a file for each column: 5 million rows are passed in 40 ms of a core instead of 260.
ALTER TABLE token_places MODIFY SETTING min_bytes_for_wide_part = 67108864
