-- As with graph_neighbours.
ALTER TABLE dim_tokens MODIFY SETTING merge_selector_base = 2
