/**
 * Tokens that some wallets created, or were once thought to have created, as a query of one column, `other`: who created a
 * token at last stands in `dim_tokens`. A `LIMIT n BY node` may follow.
 * @param creators right side of `IN`: see `inAddresses`.
 */
export const tokensOfCreators = (creators: string): string =>
  `SELECT other FROM graph_neighbours WHERE chain_id = {chainId:UInt64} AND node IN ${creators}
     AND source = 'token' AND direction = 'out'`;
