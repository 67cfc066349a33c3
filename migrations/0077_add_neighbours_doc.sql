-- What the API shows of an edge in one text, since every column that is read costs a request: node_is_token, other_is_token, value_usd, tx_count, first_at and last_at as Unix seconds, tx_hash; of holders address:share of each.
ALTER TABLE graph_neighbours ADD COLUMN IF NOT EXISTS doc String MATERIALIZED if(source = 'holders',
  arrayStringConcat(arrayMap(x -> concat(lower(hex(x.1)), ':', toString(x.2)), holders), ' '),
  concatWithSeparator(' ', toString(node_is_token), toString(other_is_token), toString(value_usd), toString(tx_count),
    toString(toUnixTimestamp(first_at)), toString(toUnixTimestamp(last_at)), lower(hex(tx_hash))))
