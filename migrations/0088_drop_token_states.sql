-- breaking
-- Lists and searches read token_entries, token_places, token_totals and token_terms.
DROP TABLE IF EXISTS token_states_view, token_order_view, token_counts_view, search_terms_view, token_states, token_order, token_counts, search_terms
