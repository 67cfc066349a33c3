-- As with token_verdicts: wallets are read by key, many columns at once.
ALTER TABLE dim_wallets MODIFY SETTING min_bytes_for_wide_part = 1099511627776, min_rows_for_wide_part = 1000000000000
