-- As with graph_neighbours.
ALTER TABLE token_features MODIFY SETTING merge_selector_base = 2
