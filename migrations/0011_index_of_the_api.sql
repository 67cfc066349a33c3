-- Lists, totals and searches read an index that each process of the API keeps (api/tokens/LISTS.md): roles of 0.1.0 must be
-- stopped before, since its scorer cannot write and its API cannot read without these tables.
DROP TABLE IF EXISTS token_sort_index, token_totals;

-- Dropping the column would rewrite every document.
ALTER TABLE token_verdicts MODIFY COLUMN previous COMMENT 'Not written any more: what the row replaced';
