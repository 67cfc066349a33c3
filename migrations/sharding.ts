/**
 * How each table is distributed over the shards of a cluster.
 *
 * Columns: their hash determines the shard of a row. They are part of the table's sorting key, so that all versions
 * of a row meet in one shard, where FINAL selects the last one.
 */
export const SHARDING: Readonly<Record<string, readonly string[]>> = {
  fact_transfers: ['chain_id', 'token'],
  fact_native_transfers: ['chain_id', 'to_address'],
  fact_pool_events: ['chain_id', 'pool'],
  fact_markets: ['chain_id', 'market'],
  fact_market_events: ['chain_id', 'market'],
  fact_ownership_transfers: ['chain_id', 'contract'],
  fact_failed_sales: ['chain_id', 'token'],
  fact_locks: ['chain_id', 'asset'],
  dim_tokens: ['chain_id', 'token'],
  dim_pools: ['chain_id', 'pool'],
  dim_contracts: ['chain_id', 'token'],
  dim_wallets: ['chain_id', 'wallet'],
  verdict_history: ['chain_id', 'token'],
  token_verdicts: ['chain_id', 'token'],
  token_activity: ['chain_id', 'token'],
  token_outcomes: ['chain_id', 'token'],
  token_losses: ['chain_id', 'token'],
  shadow_scores: ['chain_id', 'token'],
  models: ['chain_id'],
  code_labels: ['chain_id', 'skeleton'],
  pool_first_syncs: ['chain_id', 'pool'],
  graph_facts: ['chain_id', 'from_address', 'to_address'],
  graph_neighbours: ['chain_id', 'node'],
  clusters: ['chain_id', 'cluster_id'],
  chain_progress: ['chain_id'],
  alerts: ['family'],
  reports: ['family'],
  webhook_deliveries: ['family'],
  api_requests: ['family'],
  token_sort_index: ['chain_id', 'token'],
  token_totals: ['chain_id', 'span', 'start', 'risk'],
};

/** Complete on every server, because each reads it before anything else exists. */
export const LEDGER_TABLE = 'schema_migrations';
