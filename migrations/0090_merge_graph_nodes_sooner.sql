-- As with graph_neighbours.
ALTER TABLE graph_nodes MODIFY SETTING merge_selector_base = 2
