-- As with graph_neighbours: a page of a list costs 26 ms of a core among three parts where it costs 41 among ten.
ALTER TABLE token_entries MODIFY SETTING merge_selector_base = 2
