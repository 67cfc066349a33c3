-- Horizons are counted from the start of any market: of a pool of Uniswap V2 its first Sync, of any other its creation.
ALTER TABLE pool_first_syncs
  COMMENT COLUMN first_sync_at 'Time of the first Sync, of a market beside Uniswap V2 of its creation',
  COMMENT COLUMN pool 'Contract of the pool, of a market that is named by a hash the end of its name';
