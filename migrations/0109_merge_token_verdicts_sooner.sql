-- As with graph_neighbours.
ALTER TABLE token_verdicts MODIFY SETTING merge_selector_base = 2
