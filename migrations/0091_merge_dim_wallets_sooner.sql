-- As with graph_neighbours.
ALTER TABLE dim_wallets MODIFY SETTING merge_selector_base = 2
