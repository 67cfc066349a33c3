-- As with graph_neighbours.
ALTER TABLE token_checks MODIFY SETTING merge_selector_base = 2
