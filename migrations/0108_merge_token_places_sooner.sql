-- As with graph_neighbours.
ALTER TABLE token_places MODIFY SETTING merge_selector_base = 2
