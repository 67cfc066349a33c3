-- breaking
-- What lists, counts and searches read is made anew from token_verdicts by the next files.
DROP TABLE IF EXISTS token_states_view, token_order_view, token_counts_view, search_terms_view, token_states, token_order, token_counts, search_terms
