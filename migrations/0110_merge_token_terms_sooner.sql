-- As with graph_neighbours.
ALTER TABLE token_terms MODIFY SETTING merge_selector_base = 2
