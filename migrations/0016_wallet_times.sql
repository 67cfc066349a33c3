-- The index of the API follows wallets by when their rows were stored, by the clock of the database.
ALTER TABLE dim_wallets
  MODIFY COLUMN updated_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When the row was stored, later with every change of the wallet: searches of wallets follow it',
  ADD INDEX IF NOT EXISTS stored toUnixTimestamp64Micro(updated_at) TYPE minmax GRANULARITY 8;
ALTER TABLE dim_wallets MATERIALIZE INDEX stored;
